package sqlitestore

// The settings of the connections. SQLite forgets all but journal_mode when a connection closes.

// writerPragmas configure the one connection that writes.
var writerPragmas = []string{
	// If another program holds a lock, such as a backup tool, wait this many milliseconds for it.
	"PRAGMA busy_timeout = 5000",
	// Readers and the writer do not wait for one another, and a commit appends to one file.
	"PRAGMA journal_mode = WAL",
	// Every commit is on the disk before its caller gets a result. In WAL mode any weaker setting may lose it in a
	// power cut.
	"PRAGMA synchronous = FULL",
	// Move the log into the database every 16 MiB (pages have 4 KiB). This is four times the default: a page that
	// changes often is moved once, and more commits share the two syncs of a move.
	"PRAGMA wal_autocheckpoint = 4096",
	// After a burst of writes, shorten the log to 64 MiB.
	"PRAGMA journal_size_limit = 67108864",
	// A cache of 4 MiB: it holds the inner pages of the indexes, and the leaves that inserts go to. A larger one would
	// cost more than it saves, because SQLite looks through the whole cache with every commit.
	"PRAGMA cache_size = -4096",
	"PRAGMA temp_store = MEMORY",
	// Do not run functions that the schema in the file names.
	"PRAGMA trusted_schema = OFF",
}

// readerPragmas configure each connection that reads.
var readerPragmas = []string{
	"PRAGMA busy_timeout = 5000",
	"PRAGMA query_only = ON",
	// Ids found in a range are sorted in memory.
	"PRAGMA temp_store = MEMORY",
	"PRAGMA trusted_schema = OFF",
	// Map the first two gibibytes of the file, which is the most that SQLite maps, into memory. That makes a page of a
	// list a third cheaper, and so it does a read by id in a large file.
	"PRAGMA mmap_size = 2147418112",
}
