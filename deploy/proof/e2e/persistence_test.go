package e2e_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// holdWrites takes the lock that SQLite takes to write to a database in WAL mode, as another program would that writes
// to it: WAL_WRITE_LOCK, byte 120 of the -shm file (https://sqlite.org/walformat.html#wal_locks).
func holdWrites(t *testing.T, database string) (release func()) {
	t.Helper()
	shm, err := os.OpenFile(database+"-shm", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: 120, Len: 1}
	if err := syscall.FcntlFlock(shm.Fd(), syscall.F_SETLKW, &lock); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := shm.Close(); err != nil { // this releases the lock
			t.Fatal(err)
		}
	}
}

// TestPersistenceFails tests the last row of the errors table of POST /personal: 503, retry. Another program locks
// the database.
func TestPersistenceFails(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir(), "EXCHANGE_REQUEST_TIMEOUT=5s")
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	party := c.Create(t, "personal", personal())
	path := "/personal/" + party.Text("id")

	release := holdWrites(t, filepath.Join(e.Data, "exchange.db"))
	body, key := personal(), fresh("key")
	c.Post(t, "/personal", body, "Idempotency-Key", key).Want(t, http.StatusServiceUnavailable)
	c.Put(t, path, party.With("firstName", "Augusta")).Want(t, http.StatusServiceUnavailable)
	wantMembers(t, c.Read(t, path), map[string]string{"firstName": "Ada"})
	// The checks that the table lists before the write do not need the database.
	c.Post(t, "/personal", body.Without("idType")).Want(t, http.StatusBadRequest)
	release()

	made := c.Post(t, "/personal", body, "Idempotency-Key", key)
	if made.Status != http.StatusCreated && made.Status != http.StatusOK {
		t.Fatalf("the retry returns %d %s", made.Status, made.Body)
	}
	again := c.Post(t, "/personal", body, "Idempotency-Key", key).Want(t, http.StatusOK).Record(t)
	wantMembers(t, again, map[string]string{"id": made.Record(t).Text("id")})
	if found := c.Get(t, "/personal?idNumber="+body.Text("idNumber")).Records(t); len(found) != 1 {
		t.Errorf("there are %d parties of one", len(found))
	}
}
