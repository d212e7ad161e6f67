// Package comparison measures two sides in turn: the exchange and something else, another build of it, a small store
// and a large one, young records and old ones, batches and single creations.
//
// Its files:
//
//	comparison.go   both sides of a row in turn, and the table of the exchange next to something else
//	rows.go         the rows, and the calls that they make
//	receipts.go     the rows of the bordereau that receipts lead to
//	allocations.go  the allocations of a request, which a test compares with those of a file
//	scale.go        reads before and after a million records are loaded
//	aging.go        requests about a record before and after thousands of changes
//	against.go      creations by this build and by another one, as with one more index
//	invisible.go    requests about what another organisation has, and about what nobody has
//	batch.go        batches, and their creations one by one
package comparison
