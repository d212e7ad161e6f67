// Command products runs the products service.
package main

import (
	"insurance.example/exchange/pkg/service"
	"insurance.example/exchange/pkg/service/stores"
	"insurance.example/exchange/services/products"
)

func main() { service.Main(products.Service().Definition(), stores.Open) }
