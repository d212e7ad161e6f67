// Package docstore is the storage interface of the exchange: collections of JSON documents. It is small, so that both
// an embedded database (sqlitestore) and a server (mongostore) implement all of it. It is strong enough that no
// service needs a transaction over several documents: what must happen together is in one, which has the record, its
// unique values and the mark of what it still leads to.
//
// Everything else rests on three guarantees:
//
//   - A write that returned nil is durable. Any write happens wholly or not at all.
//   - One document at most has a value of a unique index. The index decides, not a read before the write.
//   - Replace happens only if the version is still the one that was read (compare-and-swap). What it replaces is kept
//     first, where the caller asks for it.
//
// gocloud.dev/docstore is such an interface, with a driver for MongoDB. It has no unique indexes and no
// SQLite, so that it would replace the get and the put, and leave the guarantees.
//
// Package conformance tests these guarantees and the rest of the interface; every store passes it.
//
// The files:
//
//	docstore.go    what is stored, what is asked for, Collection and Store, and the errors
//	spec.go        what a collection is, what it refuses, and the keys of a document that an organisation owns
//	capability.go  the rest of Collection: former versions, members, owners, changes; SharingOf and Decorate
//	migration.go   what gives documents the keys of new indexes before a collection is opened
//	kept.go        values of one type, each in a document, changed by compare-and-swap
//	digest.go      what shows that a version is as it was written
//	settled.go     pages from which a reader goes on later
//	finding.go     what does not hold, in the words of those who look for faults
package docstore
