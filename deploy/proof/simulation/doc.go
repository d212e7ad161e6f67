// Package simulation runs the core of the exchange in one process, from one seed. Callers, services, outbox, relay,
// consumers and sweeps are the real ones; the database and the broker are simulated. Every operation on these two, and
// every request of a caller, waits until the scheduler lets it happen. The seed decides the order and the faults. The
// clock is the one of testing/synctest, which advances only while every goroutine waits. So a seed always gives the
// same history.
//
// Its files, in the order in which a seed meets them:
//
//   - run.go runs a seed: it starts the replicas and the callers, makes the mischief, and checks the end.
//   - world.go is the scheduler: one operation happens at a time, and the seed decides which, and how it fails.
//   - process.go and program.go start, crash and restart a replica of a service.
//   - store.go, broker.go, group.go and wire.go simulate the database, the brokers, the consumer group, and the
//     connection between two services. losses.go has the brokers lose, repeat and forget.
//   - callers.go sends requests about receipts and notes the responses; claims.go, parties.go and policies.go do so for
//     theirs, and check what is stored.
//   - changelog_test.go simulates the sequencers of the log of changes of package mongostore, by themselves.
//   - check.go checks the receipts and the rows; histories.go checks what was kept of every record.
package simulation
