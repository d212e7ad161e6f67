// Package book is the service that keeps the book in figures: a row for each policy, claim and movement, and sums of
// them, made of what the logs of the other services say. It owns nothing: it can be thrown away and made again.
//
// Its files:
//
//	service.go  the service, its settings and operations
//	follow.go   reads the logs of the other services
//	rebuild.go  makes the book anew beside the one that is served
//	lag.go      the metrics that say how far it is
//	lists.go    the lists: conditions, order and cursors
//	find.go     what rows are found by
//	export.go   the lists with some of their columns, and as files
//	sight.go    what a caller sees: what it owns, what others share with it, and what they report to it
//	summary.go  sums by line, year and others
//	triangle.go  the loss triangle
//	aging.go    what is open, by its age
package book
