// Package search finds the records of a resource by their members. A resource declares the members, one line each, as
// it declares the filters of its list; the parameters of the operation, the table of fields that callers read, and the
// indexes follow from that.
//
// A search has conditions, which all must hold. One of them leads: its index says which documents are read, in order
// of creation. The others are compared with what is read. A page reads MostExamined documents at most, and then has
// what it has found, with a cursor after the last that it read. So no search costs more than that, whatever it finds.
package search
