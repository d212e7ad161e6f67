// Package desk holds the commands of the people who report: contract, bordereau, with what is done with the periods of
// contracts, reconcile, with what is done with the files of others, and clock. They use only the public HTTP interface.
//
// The files:
//
//	office.go     what the commands share: how they run, print and wait
//	contract.go   contract: list, get, put, assign
//	bordereau.go  bordereau: list, show, prepare, sign off, export, diff
//	lines.go      bordereau: lines, findings, waive
//	reconcile.go  reconcile: profiles, comparisons, what is decided about their items
//	clock.go      clock: a test clock, shown or moved
package desk
