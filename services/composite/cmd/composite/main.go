// Command composite runs the composite service.
package main

import (
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/services/composite"
)

func main() { process.Main(composite.Service().Definition(), stores.Open) }
