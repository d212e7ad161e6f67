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
	// 4 MiB of pages: the inner pages of the indexes, and the leaves that inserts go to. More would cost more than it
	// saves, for SQLite looks through the whole cache with every commit.
	"PRAGMA cache_size = -4096",
	"PRAGMA temp_store = MEMORY",
	// What the file's schema says is data, not code to trust.
	"PRAGMA trusted_schema = OFF",
}

// readerPragmas are those of each connection that reads.
var readerPragmas = []string{
	"PRAGMA busy_timeout = 5000",
	"PRAGMA query_only = ON",
	// Ids found in a range are sorted in memory.
	"PRAGMA temp_store = MEMORY",
	"PRAGMA trusted_schema = OFF",
}

// searchPragmas are those of a connection that reads many documents at a time. It maps the first gibibyte of the file
// into memory, which makes a page of a list a third cheaper. With each commit of the writer the map has to be made
// anew; a read of one document, which costs less than that, does better without.
var searchPragmas = append([]string{"PRAGMA mmap_size = 1073741824"}, readerPragmas...)
