// Package profile has how the files of somebody are read: what was declared of them, and the rows of a file read by it.
// What can be read in two ways is not read.
//
// Its files:
//
//	profile.go  what can be declared, and what is wrong with it
//	read.go     the rows of a file, one after the other
//	members.go  the same for files that are imported, whose cells give members of records
//	amounts.go  the amounts of a row
//	header.go   which column is which
//	width.go    rows that are wider than the header
//	cell.go     texts and amounts
//	alike.go    characters of identifiers that look like others
//	dates.go    days, in the declared forms
//	totals.go   rows of totals, and text below them
//	notes.go    what was left out, or read in a way of its own
package profile
