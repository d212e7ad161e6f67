// Package desk is the service of the contracts under which policies are reported, and of the bordereaux that are
// prepared for them and signed off.
//
// Its files:
//
//	service.go          the service, with its settings and what it opens
//	contracts.go        the operations about contracts, and about the policies that are assigned to them
//	bordereaux.go       those about periods and versions, and their exports
//	supplements.go      those about what is added to claims
//	reconciliations.go  those about profiles, statements and comparisons
//	imports.go          those about files whose rows become records
//	views.go            those about the lists of the book that people keep under a name
//	booked.go           what the book needs of contracts
//	counterparty.go     what the counterparty of a contract may ask for, and what it is shown
package desk
