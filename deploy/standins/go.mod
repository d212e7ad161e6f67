module insurance.example/exchange/deploy/standins

go 1.26
