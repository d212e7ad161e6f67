module insurance.example/exchange/pkg

go 1.26
