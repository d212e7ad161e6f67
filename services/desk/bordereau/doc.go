// Package bordereau prepares what is reported for the periods of contracts, keeps it, and has it signed off.
//
// All versions of one contract and kind are listed in one document, the ledger, which a prepare, an approval or a
// rejection replaces if it is still as it was read. So of two at once one happens. The lines of a version are written
// first, in blocks, and the ledger last: a process that is killed leaves no version or a whole one.
//
// Its files, in the order in which a period meets them:
//
//	desk.go      the collections, and what operations ask for
//	ledger.go    the ledger of a contract: versions and their states
//	happened.go  what the log of changes says of a version of a ledger
//	status.go    the state of a period by the clock, the work list
//	prepare.go   a new version
//	known.go     the contracts and policies that the making of lines asks for
//	collect.go   the receipts that belong to a period, each once
//	line.go      the line of a receipt
//	claims.go    the claims of a period, as they were at its end
//	reported.go  what the period before says of a claim
//	claimline.go the line of a claim
//	supplement.go  what was added to claims
//	total.go     sums of lines, by section and currency
//	claimtotal.go  those of claims
//	blocks.go    lines and findings as they are stored
//	findings.go  what is found of a version
//	sign.go      approve, reject, acknowledge, waive
//	read.go      what a period would have now; versions, lines and findings
//	diff.go      what differs between two versions, or between one and what it would be now
//	unassigned.go  policies that belong to no contract
//	records.go   the lines that something else is compared with
//	origin.go    what a line was made of
//	examine.go   looks for faults in what is stored
//	anew.go      makes a version again
package bordereau
