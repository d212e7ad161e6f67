// Package book fills an exchange with a believable book of business: parties, products, what is insured, policies of
// every line in every state that callers can bring about, claims, receipts and bordereau rows, and a year of contracts
// with their bordereaux. Everybody in it is invented.
//
// The files, in the order in which a book is made:
//
//	book.go      what a book is made from, and how its requests are sent
//	examples.go  the records of the examples in the OpenAPI document
//	policies.go  a policy with its holder, claim and receipts, and what happens to it
//	lines.go     what policies of each line insure
//	names.go     invented names, and values of value sets
//	cede.go      the rows of premium, put under a treaty
//	year.go      a year of contracts: the clock, and the bordereaux of each month
//	story.go     what the contracts are, and what happens in each month
//	statement.go what a broker says of a month, compared with what is reported
//	sharing.go   with whom organisations share policies
package book
