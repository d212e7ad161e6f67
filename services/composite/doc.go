// Package composite is the service of the operations that need several others: it creates records of any service
// together, shows a policy with what belongs to it, and shares it. It keeps nothing, and asks the others in the name of
// its caller.
//
// The files:
//
//	service.go  the service and its operations
//	batch.go    a batch of creations
//	run.go      the run of a batch
//	view.go     a policy with what belongs to it
//	access.go   the access list of a policy
//	refusal.go  what an organisation refuses of what others share
//	about.go    what runs here
package composite
