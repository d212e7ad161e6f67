// Command desk runs the desk service.
package main

import (
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/services/desk"
)

func main() { process.Main(desk.Service().Definition(), stores.Open) }
