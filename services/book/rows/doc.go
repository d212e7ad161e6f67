// Package rows keeps the rows and the cells of the book in an SQLite file, which can be thrown away and made again.
//
// What the logs of the other services say is kept as facts, one for each policy, claim, receipt, party and object. A
// policy whose facts have changed is due: its row, those of its claims and movements, and what these add to the cells
// are computed anew and take the place of what they were, in one transaction. So a cell is the sum of what its rows
// add, whatever was read, how often, and in which order the services were read.
//
// The file is the service's own and not a store of the exchange: rows are sorted by any of their columns and cells are
// added up, which needs SQL, and nothing in it has to outlive its disk.
//
// Its files, in the order in which a change meets them:
//
//	schema.go   the tables
//	book.go     opens the file; what is kept about the logs
//	fact.go     what is kept of records
//	apply.go    takes the entries of a log
//	object.go   a few words for what a policy insures
//	contract.go the contracts of the desk, and which policy belongs to which
//	account.go  what the rows of a policy have in common, such as names
//	settle.go   has what is due computed, and keeps it
//	due.go      computes a policy
//	cell.go     what rows add to cells; sums of cells
//	open.go     what rows have open, by the day since when
//	column.go   the columns by which rows are selected and sorted
//	find.go     by what rows are found
//	list.go     pages of rows
//	sight.go    rows of policies that others share, in pages
//	file.go     rows in files
//	compare.go  compares a copy of a book with another one
package rows
