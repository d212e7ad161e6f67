// Command premium runs the premium service.
package main

import (
	"insurance.example/exchange/pkg/service"
	"insurance.example/exchange/pkg/service/stores"
	"insurance.example/exchange/services/premium"
)

func main() { service.Main(premium.Service().Definition(), stores.Open) }
