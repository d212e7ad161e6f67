// Package desk holds the commands of the people who report: contract, bordereau, with what is done with the periods of
// contracts, reconcile, with what is done with the files of others, clock, and book. They use only the public HTTP
// interface. commands.yaml declares them.
//
// The files:
//
//	declared.go   commands that are declared: what they ask for, and how it is shown
//	values.go     members of responses, and cells of tables
//	special.go    what commands do beyond that: prepare, export, compare, clock, rebuild
//	office.go     what the commands share: how they run, print and wait
package desk
