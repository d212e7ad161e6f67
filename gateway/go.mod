module insurance.example/exchange/gateway

go 1.26
