// Package outbox has what a document leads to done, although the broker that carries the news of it may be down or
// lose it.
//
// The sender stores a document together with its unsent mark, in one write, and a Relay publishes a message about it.
// A kafka.Consumer handles the message. A handler that has stored its result has the marks of the documents that the
// result includes removed (Marks). So a mark stays if the message is not published, if a broker loses it, or if a
// process crashes between any two of these steps. A Sweep finds the documents that have kept their marks for some
// time, and calls the same handler.
//
// A message may therefore be handled several times, late, or in another order, and the handler must give the same
// result. A message that only names what has changed has this property, because the handler reads the present state.
//
// A kept library would leave nearly all of it. The forwarder of Watermill and what reads a database's own log
// (Debezium) need a second table in the same transaction, or another server: here one write stores document and mark,
// on both stores, without a transaction. What they also leave is the other half: that a mark outlives a message that a
// broker has accepted and lost, and goes only when the result is stored.
package outbox
