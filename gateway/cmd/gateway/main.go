// Command gateway runs the gateway of the exchange.
package main

import "insurance.example/exchange/gateway"

func main() { gateway.Program().Main() }
