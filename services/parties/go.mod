module insurance.example/exchange/services/parties

go 1.26
