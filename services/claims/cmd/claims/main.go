// Command claims runs the claims service.
package main

import (
	"insurance.example/exchange/pkg/service"
	"insurance.example/exchange/pkg/service/stores"
	"insurance.example/exchange/services/claims"
)

func main() { service.Main(claims.Service().Definition(), stores.Open) }
