// Package sqlitestore keeps documents in one SQLite file. It is the store of small deployments and of the exchange in
// one process. It needs no server and no C compiler.
//
// A collection is a table with a column for each index. One goroutine writes, and commits all waiting writes
// together, because a sync of the disk costs the same for one write as for fifty. Reads have separate connections and
// do not wait for the writer. They see every write that returned before they began.
//
// It calls SQLite by zombiezen.com/go/sqlite: database/sql costs nearly three times as much for a read by id, see
// internal/sqlite3, and snapshots need the calls themselves.
//
// The files, in the order in which a call meets them:
//
//	store.go        Open, the collections of a file, Ping and Close
//	files.go        the files of a database
//	pragmas.go      how connections use them
//	schema.go       which versions of the tables are read
//	join.go         one file of the files that services had
//	inuse_unix.go   whether a process has the database open
//	inuse_other.go  the same where that cannot be known
//	collection.go   the table of a collection: insert, get, replace, find, unsent, sent
//	statements.go   the SQL of a collection
//	reads.go        in whose name is read, and the SQL of reads: by id, and finds, written once for each form
//	writer.go       the goroutine that writes, the writes that it commits together, and when it is at work
//	readers.go      the connections that read
//	rows.go         the rows of a read: one, which may be large, a little of many, or those of a page
//	dense.go        the page of a long range
//	former.go       the former versions
//	changes.go      the log of changes, and another identity for that of a backup that is restored
//	migrate.go      gives the documents that are there the keys of new indexes
//	snapshot.go     the file as it was at one instant, to be read or copied while it is in use
package sqlitestore
