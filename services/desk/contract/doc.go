// Package contract keeps the contracts under which policies are reported, and says which policies belong to each.
//
// Its files, in the order in which a request meets them:
//
//	terms.go         what a contract may say
//	kept.go          a contract as it is stored, and who signs off under it
//	counterparty.go  what another organisation sees of a contract
//	store.go         the contracts and their versions
//	past.go          contracts as they were
//	rules.go         the rules that contracts have or are about to have
//	taken.go         what a changed rule must still take
//	assignment.go    the policies that are assigned to contracts
package contract
