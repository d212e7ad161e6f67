// Package shared decorates the store of a service for an exchange that organisations share. It says whose the documents
// without an owner are, shows public ones to all, and refuses a start with settings under which an organisation would
// see what another one has. It also decides what is seen of the policies that are shared, by their access lists.
//
// The files:
//
//	shared.go    the owners of documents, and each call of a collection
//	lists.go     the access lists of policies: their changes and their history
//	refusal.go   what a participant refuses of what others share
//	grants.go    which policies are shared with an organisation
//	findings.go  the documents by which participants find things, and which are used again
//	stamps.go    by which a participant finds a record under a policy
//	compare.go   whether participants find what the lists show them, for those who look for faults
//	sight.go     what is seen of the documents of others, and what may be written
//	operator.go  what an operator reads of all organisations
package shared
