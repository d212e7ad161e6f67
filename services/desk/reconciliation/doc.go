// Package reconciliation compares the files of others with what is reported, and keeps what came of it.
//
// Pairs of rows and records stand for a contract as a whole: all runs of one are listed in one document, the series,
// which a run replaces if it is still as the run has read it. So of two runs at once the later one knows the pairs of
// the other, and no record and no row has two. What a run has found is written first, and the series last: a process
// that is killed leaves no run or a whole one.
//
// Its files, in the order in which a file meets them:
//
//	reconciler.go  the collections
//	profiles.go    how files are read
//	statements.go  files, and the rows that were read of them
//	successors.go  statements that take the place of others
//	changes.go     what differs between a statement and the one that it replaces
//	try.go         the first rows of a file, before it is sent for good
//	runs.go        a comparison
//	before.go      the pairs of the runs before
//	carried.go     what a run keeps of those whose place it takes
//	hand.go        pairs that somebody makes by hand
//	decisions.go   what somebody decides about an item
//	many.go        the same about many items
//	items.go       the items of a run
//	differences.go what is not matched, as a table
//	lists.go       the newest statements and runs
package reconciliation
