module insurance.example/exchange/services/premium

go 1.26
