package sqlitestore

// The settings of the connections. SQLite forgets all but journal_mode when a connection closes.

// writerPragmas are those of the one connection that writes.
var writerPragmas = []string{
	// Should anything hold a lock, such as a backup tool, wait this many milliseconds for it.
	"PRAGMA busy_timeout = 5000",
	// Readers and the writer do not wait for one another, and a commit appends to one file.
	"PRAGMA journal_mode = WAL",
	// Every commit reaches the disk before it is answered. In WAL mode anything less may lose it in a power cut.
	"PRAGMA synchronous = FULL",
	// Move the log into the database every 16 MiB (of pages of 4 KiB). Four times the default: pages that change again
	// and again are moved once, and the two syncs it takes are shared by more commits.
	"PRAGMA wal_autocheckpoint = 4096",
	// Give the disk back what a burst made of the log, beyond 64 MiB.
	"PRAGMA journal_size_limit = 67108864",
	// 64 MiB of pages: the inner pages of every index, and the leaves that inserts go to.
	"PRAGMA cache_size = -65536",
	"PRAGMA temp_store = MEMORY",
	// What the file's schema says is data, not code to trust.
	"PRAGMA trusted_schema = OFF",
}

// readerPragmas are those of each connection that reads.
var readerPragmas = []string{
	"PRAGMA busy_timeout = 5000",
	"PRAGMA query_only = ON",
	// Read the first gibibyte through the page cache of the system: a third less time for a read by id, and no copy of
	// the pages in each connection. A larger file is read in the ordinary way beyond that.
	"PRAGMA mmap_size = 1073741824",
	// Ids found in a range are sorted in memory.
	"PRAGMA temp_store = MEMORY",
	"PRAGMA trusted_schema = OFF",
}
