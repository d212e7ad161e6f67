// Command products runs the products service.
package main

import (
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/services/products"
)

func main() { process.Main(products.Service().Definition(), stores.Open) }
