module insurance.example/exchange/deploy/local

go 1.26
