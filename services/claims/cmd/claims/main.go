// Command claims runs the claims service.
package main

import (
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/services/claims"
)

func main() { process.Main(claims.Service().Definition(), stores.Open) }
