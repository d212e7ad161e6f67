// Command premium runs the premium service.
package main

import (
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/services/premium"
)

func main() { process.Main(premium.Service().Definition(), stores.Open) }
