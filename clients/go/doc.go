// Package exchange is the client of the Insurance Exchange Service. Each operation of its OpenAPI document is a method
// of Client, with typed parameters, body and reply. Amounts are json.Number and integers int64, so that no digit is
// lost.
//
//	client.go        what every operation shares: a client, a reply, a refusal
//	exchange.gen.go  the types and operations, written by oapi-codegen (make generate)
//	templates        what a generated operation looks like
//	examples         programs to copy from; each is run against a running exchange
package exchange
