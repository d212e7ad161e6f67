// Command book runs the book service.
package main

import (
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/services/book"
)

func main() { process.Main(book.Service().Definition(), stores.Open) }
