module insurance.example/exchange/gateway

go 1.26.0

require (
	github.com/gin-gonic/gin v1.12.0
	github.com/spf13/pflag v1.0.10
	insurance.example/exchange/contracts v0.0.0
	insurance.example/exchange/pkg v0.0.0
)

replace (
	insurance.example/exchange/contracts => ../contracts
	insurance.example/exchange/pkg => ../pkg
)
