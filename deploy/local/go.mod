module insurance.example/exchange/deploy/local

go 1.26

require (
	insurance.example/exchange/contracts v0.0.0
	insurance.example/exchange/gateway v0.0.0
	insurance.example/exchange/pkg v0.0.0
	insurance.example/exchange/services/claims v0.0.0
	insurance.example/exchange/services/coverage v0.0.0
	insurance.example/exchange/services/parties v0.0.0
	insurance.example/exchange/services/premium v0.0.0
	insurance.example/exchange/services/products v0.0.0
)

replace (
	insurance.example/exchange/contracts => ../../contracts
	insurance.example/exchange/gateway => ../../gateway
	insurance.example/exchange/pkg => ../../pkg
	insurance.example/exchange/services/claims => ../../services/claims
	insurance.example/exchange/services/coverage => ../../services/coverage
	insurance.example/exchange/services/parties => ../../services/parties
	insurance.example/exchange/services/premium => ../../services/premium
	insurance.example/exchange/services/products => ../../services/products
)
