package book_test

import (
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/rest/changes"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/book"
)

// TestTheBookIsMadeAnewWhileItIsServed has the book made anew, with a stop of the service in the middle. Its figures
// are the same before, meanwhile and afterwards.
func TestTheBookIsMadeAnewWhileItIsServed(t *testing.T) {
	stubs := bookPeers(t)
	synctest.Test(t, func(t *testing.T) {
		var silent atomic.Bool // to those who read from the beginning
		peers := maps.Clone(stubs)
		peers["premium"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path.Base(r.URL.Path) == changes.Oldest && silent.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			stubs["premium"].ServeHTTP(w, r)
		})
		file := filepath.Join(t.TempDir(), "book.db")
		start := func() *servicetest.Service {
			s := servicetest.Start(t, book.Service().Definition(), servicetest.Options{
				Peers: peers, Clock: servicetest.At(t, "2026-03-01T12:00:00Z"), Flags: []string{"--book-file", file}})
			untilShown(s)
			return s
		}
		shown := func(s *servicetest.Service) (all []string) {
			for _, at := range []string{"policies", "claims", "movements", "summary?by=year,contract", "triangle",
				"aging", "late"} {
				all = append(all, s.Must(http.StatusOK, http.MethodGet, "/x/book/"+at, "").Text)
			}
			return all
		}
		s := start()
		before := shown(s)
		s.Must(http.StatusNotFound, http.MethodGet, rebuild, "")
		silent.Store(true)
		since := s.Must(http.StatusOK, http.MethodPost, rebuild, "").Member("since")
		time.Sleep(time.Minute)
		if got := s.Must(http.StatusOK, http.MethodPost, rebuild, ""); got.Member("since") != since ||
			strings.Contains(got.Text, "finished") {
			t.Errorf("asked again: %s, want what has begun at %s", got.Text, since)
		}
		if is := shown(s); !slices.Equal(is, before) {
			t.Errorf("while it is made: %v, before: %v", is, before)
		}
		s.Stop()
		s = start()
		defer s.Stop()
		time.Sleep(time.Minute)
		if got := s.Must(http.StatusOK, http.MethodGet, rebuild, ""); got.Member("since") != since ||
			strings.Contains(got.Text, "finished") {
			t.Errorf("after a start: %s, want what has begun at %s", got.Text, since)
		}
		if is := shown(s); !slices.Equal(is, before) {
			t.Errorf("after a start: %v, before: %v", is, before)
		}
		was, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		silent.Store(false)
		time.Sleep(time.Minute)
		if got := s.Must(http.StatusOK, http.MethodGet, rebuild, ""); !strings.Contains(got.Text, "finished") ||
			!strings.Contains(got.Text, `"readUpTo":"2026-03-01T12:00:01Z"`) {
			t.Errorf("at last: %s", got.Text)
		}
		if is := shown(s); !slices.Equal(is, before) {
			t.Errorf("made anew: %v, before: %v", is, before)
		}
		is, err := os.Stat(file)
		if left, _ := filepath.Glob(file + ".anew*"); err != nil || os.SameFile(is, was) || len(left) > 0 {
			t.Errorf("the file is the same, or others are left: %v, %v", left, err)
		}
		if s.Must(http.StatusOK, http.MethodPost, rebuild, "").Member("since") == since {
			t.Error("asked for the next time, it is not made")
		}
	})
}

const rebuild = "/x/book:rebuild"

// TestNoOrganisationMakesTheBookAnew asks as one of those that share the exchange.
func TestNoOrganisationMakesTheBookAnew(t *testing.T) {
	s := servicetest.Start(t, book.Service().Definition(), servicetest.Options{Flags: []string{"--org-claim", "org"}})
	got := s.As("vega").Must(http.StatusForbidden, http.MethodPost, rebuild, "")
	if got.Member("type") != "/problems/right-missing" {
		t.Error(got.Text)
	}
}
