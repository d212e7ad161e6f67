package sqlitestore

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// TestReadsShareAView: connections keep their view of the database between reads, and all of them give it up when
// something is written.
func TestReadsShareAView(t *testing.T) {
	store, collection := opened(t, filepath.Join(t.TempDir(), "a.db"))
	for nth := range 2 {
		for range 3 {
			if _, err := collection.(docstore.Members).Texts(t.Context(), us, []uuid.UUID{{}}, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := collection.Find(t.Context(), us, docstore.Query{Limit: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if kept := views(store.gets) + views(store.searches); kept != 2 {
			t.Errorf("%d connections keep a view, want one for each kind of read", kept)
		}
		if err := collection.Insert(t.Context(), us, receipt(strconv.Itoa(nth))); err != nil {
			t.Fatal(err)
		}
		if kept := views(store.gets) + views(store.searches); kept > 0 {
			t.Errorf("%d connections keep the view of what was there before a write", kept)
		}
	}
}

// TestReaderGivesUpItsViewAfterAWrite: who reads while something is written gives its view up afterwards, and does
// not read in it again.
func TestReaderGivesUpItsViewAfterAWrite(t *testing.T) {
	store, collection := opened(t, filepath.Join(t.TempDir(), "a.db"))
	tables := func(one *reader) []string { return texts(t, one.conn, `SELECT count(*) FROM sqlite_schema`, 0) }
	take := func() *reader { // with a view in which it has read
		t.Helper()
		one, err := store.gets.take(t.Context())
		if err == nil {
			err = one.view.renew(store.gets.turn)
		}
		if err != nil {
			t.Fatal(err)
		}
		tables(one)
		return one
	}
	one := take()
	if err := collection.Insert(t.Context(), us, receipt("after")); err != nil {
		t.Fatal(err)
	}
	store.gets.give(one)
	if kept := views(store.gets); kept > 0 {
		t.Errorf("%d connections keep a view of what was there before a write", kept)
	}

	one = take()
	err := store.writer.do(t.Context(), func(*sqlite3.Conn) error {
		store.gets.give(one)
		if kept := views(store.gets); kept > 0 {
			t.Errorf("%d connections keep a view during a write", kept)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	one = take()
	before := tables(one)
	if err := store.writer.do(t.Context(),
		func(conn *sqlite3.Conn) error { return conn.Exec("CREATE TABLE another (a)") }); err != nil {
		t.Fatal(err)
	}
	if now := tables(one); !slices.Equal(now, before) {
		t.Errorf("%v tables, then %v in the same view", before, now)
	}
	if err := one.view.renew(store.gets.turn); err != nil {
		t.Fatal(err)
	}
	if now := tables(one); slices.Equal(now, before) {
		t.Errorf("%v tables after another one was made", now)
	}
	store.gets.give(one)
}

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
	for range cap(store.gets.places) {
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
		// Views are begun between two writes only.
		for enough := reads.Load() + int64(2*cap(store.gets.places)); version+2 < versions && reads.Load() < enough &&
			!t.Failed(); {
			runtime.Gosched()
		}
	}
	reading.Wait()
}

// TestLogIsMovedAlthoughConnectionsKeepViews: reads between the writes do not keep the log from being moved into the
// database.
func TestLogIsMovedAlthoughConnectionsKeepViews(t *testing.T) {
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

// views returns how many idle connections keep a view.
func views(of *readers) (kept int) {
	of.mu.Lock()
	defer of.mu.Unlock()
	for _, one := range of.idle {
		if one.conn.InTransaction() {
			kept++
		}
	}
	return kept
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
	began := map[uint64]int64{} // the instants of the transactions by the count at their beginning
	busy.Go(func() {
		for !enough.Load() {
			at.begin()
			began[at.count.Load()] = at.began.Load()
			at.end()
		}
	})
	type mark struct {
		count     uint64 // after it was taken
		watermark int64
	}
	var marks []mark
	for first := time.Now(); !enough.Load(); {
		watermark := at.watermark().UnixMilli()
		if next := (mark{at.count.Load(), watermark}); len(marks) == 0 || next != marks[len(marks)-1] {
			marks = append(marks, next)
		}
		enough.Store(time.Since(first) > tried && at.count.Load() > 2*least && len(marks) > fewest)
	}
	busy.Wait()
	for _, taken := range marks {
		next := taken.count + 1 + taken.count%2 // of the first transaction that began after it
		if instant, is := began[next]; is && instant < taken.watermark {
			t.Fatalf("transaction %d began at %d, before the watermark %d", next, instant, taken.watermark)
		}
	}
}
