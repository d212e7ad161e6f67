// Command parties runs the parties service.
package main

import (
	"insurance.example/exchange/pkg/service"
	"insurance.example/exchange/pkg/service/stores"
	"insurance.example/exchange/services/parties"
)

func main() { service.Main(parties.Service().Definition(), stores.Open) }
