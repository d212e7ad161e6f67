module insurance.example/exchange/services/products

go 1.26
