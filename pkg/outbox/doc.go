// Package outbox does what documents lead to, also where the news of them is lost.
//
// A sender stores a document together with its unsent mark, in one write, and says what is due (Outbox.Due), in this
// process or by a message to another one. What is due has a name, such as the key of a row, is done once for all who
// ask at the same time, and not again for a while: it reads the present state, so it gives the same result if it is
// done several times, late, or in another order. The marks of the documents that a result includes are removed once it
// is stored. So a mark stays if nobody was told, if a message is lost, or if a process crashes between any two of these
// steps, and the sweep finds the documents that have kept theirs for some time.
//
// A kept library would leave nearly all of it. The forwarder of Watermill and what reads a database's own log
// (Debezium) need a second table in the same transaction, or another server: here one write stores document and mark,
// on both stores, without a transaction. What they also leave is the other half: that a mark outlives a message that a
// broker has accepted and lost, and goes only when the result is stored.
//
// The files, in the order in which a document meets them:
//
//	outbox.go   what is due: once at a time, not again for a while, and again if it fails
//	sweep.go    removes marks, and finds the documents that have kept theirs
//	metrics.go  the metrics
package outbox
