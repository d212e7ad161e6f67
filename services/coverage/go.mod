module insurance.example/exchange/services/coverage

go 1.26
