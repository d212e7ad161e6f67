package book_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/setting"
	of "insurance.example/exchange/services/book"
	"insurance.example/exchange/services/book/figures"
	"insurance.example/exchange/services/book/rows"
)

// replica is a replica of the service that is killed and begins again from its file.
type replica struct {
	*testing.T
	name  string
	file  string
	lives int
	peers map[string]*peer.Client
}

// mortal is the context of a process that is killed after so many steps.
type mortal struct {
	context.Context
	left *atomic.Int64
}

func (m mortal) Err() error {
	if m.left.Add(-1) < 0 {
		return context.Canceled
	}
	return m.Context.Err()
}

func (r *replica) open(file string) *rows.Book {
	r.Helper()
	b, err := rows.Open(file, setting.Amounts{Unit: "major", Currency: "EUR"}, time.UTC)
	if err != nil {
		r.Fatal(err)
	}
	return b
}

// live has the replica follow the logs for so many steps. If it has not come to their ends by then it is killed, and
// its next life begins with the file as it is at that instant.
func (r *replica) live(steps int64) {
	r.Helper()
	b := r.open(r.file)
	left := &atomic.Int64{}
	left.Store(steps)
	err := of.CatchUp(mortal{r.Context(), left}, b, func(name string) *peer.Client { return r.peers[name] },
		func(int) {})
	if err != nil && left.Load() >= 0 {
		r.Fatalf("%s does not follow: %v", r.name, err)
	}
	if err != nil {
		r.lives++
		next := filepath.Join(filepath.Dir(r.file), fmt.Sprintf("%s%d", r.name, r.lives))
		for _, suffix := range []string{"", "-wal"} {
			if text, err := os.ReadFile(r.file + suffix); err == nil {
				err = os.WriteFile(next+suffix, text, 0o600)
				if err != nil {
					r.Fatal(err)
				}
			} else if !errors.Is(err, os.ErrNotExist) {
				r.Fatal(err)
			}
		}
		r.file = next
	}
	if err := b.Close(); err != nil {
		r.Fatal(err)
	}
}

// TestReplicasThatAreKilled has two replicas of the book follow the same logs while records are written, are killed at
// any step, get pages twice, and find logs that were restored to what they had before. At the end both have the same
// rows and cells as a book that is made anew, and these come to what the test adds up of the records.
func TestReplicasThatAreKilled(t *testing.T) {
	t.Parallel()
	first, seeds := uint64(1), 30
	if !testing.Short() {
		first, seeds = rand.Uint64N(1<<32), 300
	}
	if given := os.Getenv("SEED"); given != "" {
		seeds = 1
		if _, err := fmt.Sscan(given, &first); err != nil {
			t.Fatal(err)
		}
	}
	killed, restored := 0, 0
	for seed := range uint64(seeds) {
		synctest.Test(t, func(t *testing.T) {
			w := simulate(t, first+seed)
			killed, restored = killed+w.killed, restored+w.restored
		})
		if t.Failed() {
			t.Fatalf("SEED=%d repeats it", first+seed)
		}
	}
	t.Logf("seeds %d to %d: %d kills, %d restorations", first, first+uint64(seeds)-1, killed, restored)
	if killed < seeds || restored < seeds/3 {
		t.Error("that is too few")
	}
}

func simulate(t *testing.T, seed uint64) *world {
	t.Helper()
	w := newWorld(rand.New(rand.NewPCG(seed, 1)))
	peers := map[string]*peer.Client{}
	for _, name := range []string{"parties", "coverage", "claims", "premium", "desk"} {
		client, err := peer.New(peer.Config{Name: name, Address: "http://" + name, Handler: http.HandlerFunc(
			func(rw http.ResponseWriter, r *http.Request) { w.serve(rw, name, path.Base(r.URL.Path)) })})
		if err != nil {
			t.Fatal(err)
		}
		peers[name] = client
	}
	folder := t.TempDir()
	begin := func(name string) *replica { return &replica{t, name, filepath.Join(folder, name), 0, peers} }
	replicas := []*replica{begin("a"), begin("b")}
	for range 12 {
		for range w.IntN(12) {
			w.happen()
		}
		if w.IntN(10) == 0 {
			w.restore()
		}
		replicas[w.IntN(2)].live(w.Int64N(150))
	}
	w.quiet = true
	const forever = 1 << 40
	for _, r := range replicas {
		r.live(forever)
		w.killed += r.lives
	}
	made := begin("anew")
	made.live(forever)
	anew := made.open(made.file)
	for _, r := range replicas {
		b := r.open(r.file)
		if _, err := b.Compare(t.Context(), anew, 3, func(d rows.Difference) error {
			t.Errorf("replica %s: %+v", r.name, d)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w.compare(t, anew)
	if err := anew.Close(); err != nil {
		t.Fatal(err)
	}
	return w
}

// compare compares cells and rows with what the records come to.
func (w *world) compare(t *testing.T, b *rows.Book) {
	t.Helper()
	want, policies, claims := w.sums()
	got := map[sumKey]sums{}
	if _, err := b.Cells(t.Context(), rows.Sight{}, figures.FirstMonth, figures.LastMonth, func(c rows.Cell) error {
		key := sumKey{c.Line, c.Year}
		s := got[key]
		for _, one := range []struct {
			to *int64
			of money.Amount
		}{{&s.written, c.Sums.Written}, {&s.earned, c.Sums.Earned}, {&s.received, c.Sums.Received},
			{&s.refunded, c.Sums.Refunded}, {&s.paid, c.Sums.Paid}, {&s.outstanding, c.Sums.Outstanding}} {
			euros, err := one.of.Float()
			if err != nil {
				return err
			}
			*one.to += int64(math.Round(euros * euro))
		}
		s.notified, s.closed = s.notified+c.Sums.Notified, s.closed+c.Sums.Closed
		got[key] = s
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for key := range want {
		if got[key] != want[key] {
			t.Errorf("%v: got %+v, want %+v", key, got[key], want[key])
		}
	}
	for key, s := range got {
		if _, is := want[key]; !is && s != (sums{}) {
			t.Errorf("%v: got %+v, want none", key, s)
		}
	}
	for list, rowsWanted := range map[*rows.List]map[string]string{rows.Policies: policies, rows.Claims: claims} {
		page, err := b.Page(t.Context(), list, rows.Query{Limit: 1000, Now: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range page.Rows {
			key, is := "", ""
			switch row := row.(type) {
			case *book.PolicyRow:
				key = row.PolicyNumber
				is = fmt.Sprint(row.Insured, " ", row.Object, " ", row.Claims, " ", row.OpenClaims)
			case *book.ClaimRow:
				key, is = row.ClaimNumber, fmt.Sprint(row.Insured, " ", row.PolicyNumber, " ", row.Status)
			}
			if is != rowsWanted[key] {
				t.Errorf("row %s is %q, want %q", key, is, rowsWanted[key])
			}
		}
		if len(page.Rows) != len(rowsWanted) {
			t.Errorf("%d rows of %s, want %d", len(page.Rows), list.Name, len(rowsWanted))
		}
	}
}
