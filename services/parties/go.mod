module insurance.example/exchange/services/parties

go 1.26

require (
	insurance.example/exchange/contracts v0.0.0
	insurance.example/exchange/pkg v0.0.0
)

replace (
	insurance.example/exchange/contracts => ../../contracts
	insurance.example/exchange/pkg => ../../pkg
)
