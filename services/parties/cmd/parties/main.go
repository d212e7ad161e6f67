// Command parties runs the parties service.
package main

import (
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/services/parties"
)

func main() { process.Main(parties.Service().Definition(), stores.Open) }
