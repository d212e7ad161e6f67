// Command coverage runs the coverage service.
package main

import (
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/services/coverage"
)

func main() { process.Main(coverage.Service().Definition(), stores.Open) }
