// Package internalapi holds the operations that services offer to each other. Their paths are under Prefix, which the
// gateway never routes.
//
// Its files:
//
//	internalapi.go  looks up parties, policies and claims, and reports that a policy was not paid for
//	records.go      records by their names
//	view.go         what belongs to a policy
//	changes.go      the log of changes of a service
//	reporting.go    what a bordereau is made of
//	booked.go       what the book needs of contracts
//	sharing.go      who may see a policy, and what an organisation refuses
//	identities.go   which members of a record identify somebody
//	trial.go        creations that are tried and not made
//	about.go        the build and settings of a service
//	operations.go   how an operation is described
//	contracts.go    the operations of each service
//	processes.go    which process calls which service
package internalapi
