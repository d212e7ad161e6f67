// Package book fills an exchange with a believable book of business: parties, products, what is insured, policies of
// every line in every state that callers can bring about, claims, receipts and bordereau rows, contracts of the desk,
// and a year of contracts with their bordereaux. Everybody in it is invented: book.yaml says who and what is in it, and
// what happens.
//
// The files, in the order in which a book is made:
//
//	book.go      what a book is made from, and how its requests are sent
//	story.go     what book.yaml has, and how its steps are taken
//	functions.go the expressions of book.yaml
//	examples.go  the records of the examples in the OpenAPI document
//	cede.go      the rows of premium, put under a treaty
//	contracts.go how months of contracts are reported, and what a broker says compared with them
//	reported.go  the contracts of the policies, and a statement to compare
//	year.go      a year of contracts: the clock, and the bordereaux of each month
//	sharing.go   with whom organisations share policies
package book
