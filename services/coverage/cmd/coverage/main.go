// Command coverage runs the coverage service.
package main

import (
	"insurance.example/exchange/pkg/service"
	"insurance.example/exchange/pkg/service/stores"
	"insurance.example/exchange/services/coverage"
)

func main() { service.Main(coverage.Service().Definition(), stores.Open) }
