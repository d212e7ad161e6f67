// Package simulation runs a part of the exchange in one process, from one seed: the core, the desk with what it
// reports, or policies that organisations share. Callers, services, outbox and sweeps are the real ones; the
// database is simulated. Every operation on it, and every request of a caller, waits until the scheduler lets it
// happen. The seed decides the order and the faults. The clock is the one of testing/synctest, which advances only
// while every goroutine waits. So a seed always gives the same history.
//
// Its files, in the order in which a seed meets them:
//
//	run.go        runs a seed: starts replicas and callers, makes the mischief, and checks the end
//	world.go      the scheduler: one operation at a time; the seed decides which, and how it fails
//	process.go    starts, crashes and restarts a replica
//	program.go    the services that a replica runs
//	store.go      simulates the database
//	wire.go       simulates the connection between two services
//	callers.go    sends requests about receipts and notes the responses
//	refunds.go    refunds parts of these; checks that no more is given back than was received
//	claims.go     the same for claims; checks what is stored
//	parties.go    the same for parties
//	policies.go   the same for policies
//	dates.go      endorses policies from dates on; compares what counts when with a model
//	check.go      checks the receipts and the rows
//	histories.go  checks what was kept of every record
//	desks.go      a desk with what it reports: its callers make records, move policies and let months pass
//	clerks.go     prepares versions, and has them approved or rejected
//	reported.go   reports everything in the end, and checks what always holds of bordereaux
//	sharing.go    shares policies, writes what is under them and reads it, for several organisations
//	shared.go     completes each change in the end, and checks that all see what the lists show, and no more
package simulation
