// Command feed runs the feed service.
package main

import (
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/services/feed"
)

func main() { process.Main(feed.Service().Definition(), stores.Open) }
