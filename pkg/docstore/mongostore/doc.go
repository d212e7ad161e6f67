// Package mongostore keeps documents in MongoDB. It is the store for production. It uses no transactions, change
// streams or TTL indexes, so that it works alike on a replica set, on a sharded cluster and on servers that speak
// MongoDB's protocol without all of its features. README.md describes the shape of a document, how values are kept
// unique, the indexes, the read and write concerns, and how it is sharded.
//
// The official driver connects, chooses servers and converts types. Libraries above it (mgm, qmgo) map structs to
// documents, which is record.go, and would leave the rest: unique values without transactions, writes whose outcome is
// unknown, former versions, and the log of changes.
//
// The files, in the order in which a call meets them:
//
//	options.go            Open: the limits of the client and what the server must be
//	store.go              the collections of a database, the time in which each call ends, and Close
//	indexes.go            the indexes of a collection
//	collection.go         a collection and its get
//	driver.go             the calls of the driver, as the others make them
//	record.go             a document as MongoDB holds it
//	insert.go             insert
//	replace.go            replace, and how a document gets unique values that it does not have
//	reservations.go       the reservations of unique values, which keep them unique
//	take.go               how a reservation passes to another document
//	settle.go             what became of a write whose response was lost
//	find.go               find, by an index or by a unique value
//	dense.go              the page of a long range
//	several.go            little of many documents
//	unsent.go             the outbox marks
//	former.go             the former versions
//	segments.go           the log of changes: marks, segments and head, as package sequencer works on them
//	changes.go            the log of changes: its pages
//	migrate.go            gives documents the keys of new indexes
//	lease.go              which of several processes does so
//	sharding.go           how the collections are divided among the shards of a cluster
package mongostore
