// Package book fills an exchange with a believable book of business: parties, products, what is insured, policies of
// every line in every state that callers can bring about, claims, receipts and bordereau rows, contracts of the desk,
// and a year of contracts with their bordereaux. Everybody in it is invented.
//
// The files, in the order in which a book is made:
//
//	book.go      what a book is made from, and how its requests are sent
//	examples.go  the records of the examples in the OpenAPI document
//	policies.go  a policy with its holder, claim and receipts, and what happens to it
//	lines.go     what policies of each line insure
//	names.go     invented names, and values of value sets
//	cede.go      the rows of premium, put under a treaty
//	contracts.go what contracts have in common, and how their months are reported
//	reported.go  the contracts of the policies, and a statement to compare
//	statement.go what a broker says, compared with what is reported
//	year.go      a year of contracts: the clock, and the bordereaux of each month
//	story.go     what the contracts of a year are, and what happens in each month
//	sharing.go   with whom organisations share policies
package book
