package sqlitestore

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// TestReadsSeeWhatWasAcknowledged: a read that begins after a write has returned sees it, by every connection, while
// others read.
func TestReadsSeeWhatWasAcknowledged(t *testing.T) {
	store, collection := opened(t, filepath.Join(t.TempDir(), "a.db"))
	doc := receipt("one")
	if err := collection.Insert(t.Context(), us, doc); err != nil {
		t.Fatal(err)
	}
	const versions = 40
	var acknowledged, reads atomic.Int64
	acknowledged.Store(1)
	var reading sync.WaitGroup
	for range cap(store.reads.places) {
		reading.Go(func() {
			for {
				least := acknowledged.Load()
				got, err := collection.Get(t.Context(), us, doc.ID)
				found, errOfFind := collection.Find(t.Context(), us, docstore.Query{Limit: 2})
				if err != nil || errOfFind != nil || got.Version < least || len(found) != 1 ||
					found[0].Version < got.Version {
					t.Errorf("version %d, then %v, after %d was acknowledged: %v, %v", got.Version, found, least, err,
						errOfFind)
					return
				}
				reads.Add(1)
				if least == versions {
					return
				}
			}
		})
	}
	for version := range int64(versions - 1) {
		doc.Version = version + 1
		if err := collection.Replace(t.Context(), us, doc, nil); err != nil {
			t.Error(err)
		}
		acknowledged.Store(version + 2)
		for enough := reads.Load() + int64(2*cap(store.reads.places)); version+2 < versions && reads.Load() < enough &&
			!t.Failed(); {
			runtime.Gosched()
		}
	}
	reading.Wait()
}

// TestLogIsMovedAlthoughConnectionsRead: reads between the writes do not keep the log from being moved into the
// database.
func TestLogIsMovedAlthoughConnectionsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	store, collection := opened(t, path)
	const pages, writes = 20, 100
	if err := store.writer.do(t.Context(), func(conn *sqlite3.Conn) error {
		_ = texts(t, conn, "PRAGMA wal_autocheckpoint = "+strconv.Itoa(pages), 0)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	largest := int64(0)
	for nth := range writes {
		if err := collection.Insert(t.Context(), us, receipt(strconv.Itoa(nth))); err != nil {
			t.Fatal(err)
		}
		if _, err := collection.Find(t.Context(), us, docstore.Query{Limit: 1}); err != nil {
			t.Fatal(err)
		}
		log, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, log.Size())
		if nth == 0 {
			largest = 0 // what the start has written
		}
	}
	// A write changes a few pages, and each write has some of its own in the log.
	if most := int64(3 * pages * pageSize); largest > most {
		t.Errorf("the log grew to %d bytes, although it is moved at %d pages; at most %d were expected", largest, pages,
			most)
	}
}

// TestNoTransactionBeginsBeforeAWatermark takes watermarks while transactions begin, on processors that are busy, so
// that the writer is set aside anywhere in the beginning.
func TestNoTransactionBeginsBeforeAWatermark(t *testing.T) {
	const tried, least, fewest = time.Second, 100, 10
	var at turn
	var busy sync.WaitGroup
	var enough atomic.Bool
	for range 2 * runtime.GOMAXPROCS(0) {
		busy.Go(func() {
			for !enough.Load() {
			}
		})
	}
	var count atomic.Uint64         // of the transactions that were to begin
	began := map[uint64]time.Time{} // their instants
	busy.Go(func() {
		for !enough.Load() {
			nth := count.Add(1)
			at.begin()
			began[nth] = at.instant()
			at.end()
		}
	})
	type mark struct {
		count     uint64 // after it was taken
		watermark time.Time
	}
	var marks []mark
	for first := time.Now(); !enough.Load(); {
		watermark := at.instant()
		if next := (mark{count.Load(), watermark}); len(marks) == 0 || next != marks[len(marks)-1] {
			marks = append(marks, next)
		}
		enough.Store(time.Since(first) > tried && count.Load() > least && len(marks) > fewest)
	}
	busy.Wait()
	for _, taken := range marks {
		next := taken.count + 1 // the first transaction that began after it
		if instant, is := began[next]; is && instant.Before(taken.watermark) {
			t.Fatalf("transaction %d began at %v, before the watermark %v", next, instant, taken.watermark)
		}
	}
}
