module insurance.example/exchange/services/claims

go 1.26
