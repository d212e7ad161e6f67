// Package search finds the records of a resource by their members. A resource declares the members, one line each, as
// it declares the filters of its list; the parameters of the operation, the table of fields that callers read, and the
// indexes follow from that.
//
// A search has conditions, which all must hold. One of them leads: its index says which documents are read, in order
// of creation. The others are compared with what is read. A page reads MostExamined documents at most, and then has
// what it has found, with a cursor after the last that it read. So no search costs more than that, whatever it finds.
//
// Its files, in the order in which a search meets them:
//
//	field.go   the members that can be searched, and the indexes that follow
//	name.go    how names are folded
//	table.go   the parameters of a search, and the table of fields that callers read
//	query.go   reads the conditions, and chooses the one that leads
//	page.go    reads what the index leads to, and compares it
//	expand.go  adds the records that a found one refers to
package search
