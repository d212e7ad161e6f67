module insurance.example/exchange/contracts

go 1.26
