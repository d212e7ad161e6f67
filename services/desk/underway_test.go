package desk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	shown "insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/desk"
)

// watching returns what returns what the last look has shown that showed something. It looks before each call to the
// store.
func (b *betweenStore) watching(look func() *shown.WorkUnderWay) (last func() *shown.WorkUnderWay) {
	var seen *shown.WorkUnderWay
	var again func()
	again = func() {
		if is := look(); is != nil {
			seen = is
		}
		b.after(0, again)
	}
	b.after(0, again)
	return func() *shown.WorkUnderWay {
		b.after(0, nil)
		return seen
	}
}

// TestWorkUnderWay prepares a version of 3,000 lines and compares a file with it, and asks another replica meanwhile
// how far that has come. Once it is over, whatever came of it, it is no longer shown.
func TestWorkUnderWay(t *testing.T) {
	t.Parallel()
	const count = 3000
	store := &betweenStore{Store: servicetest.OpenStore(t)}
	w := newWorld(t, "2026-11-10T12:00:00Z")
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	s := servicetest.Start(t, desk.Service().Definition(), servicetest.Options{
		Clock: w.clock, Peers: w.peers(), Store: store, Flags: []string{"--request-timeout", "5m"},
	})
	other := w.startOn(store.Store)
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(sterling, `2026-01"`, `2026-11"`, 1)+`}`)
	for i := range count {
		w.record("P", "new policy", int64(1+i), "")
	}
	w.until(t, "2026-12-01T00:01:00Z")
	worked := func() *shown.WorkUnderWay {
		var page shown.BordereauWork
		read(t, other.Must(200, "GET", "/x/bordereau?contract=C&kind=premium", ""), &page)
		if len(page.Periods) != 2 || page.Periods[1].Preparing != nil {
			t.Errorf("%+v", page)
		}
		return page.Periods[0].Preparing
	}
	since := scalar.Instant(w.clock.Now())
	prepared := shown.WorkUnderWay{AskedBy: "anna", Since: since, Read: count, Made: count}
	compared := shown.WorkUnderWay{AskedBy: "carl", Since: since, Read: 2 * count, Made: 2000}
	preparing := store.watching(worked)
	s.Must(201, "POST", november+":prepare", `{"type":"original"}`, caller, "anna")
	last(t, preparing(), prepared)
	over(t, worked())
	s.Must(200, "POST", november+"/versions/1:reject", `{"reason":"not so"}`, caller, "bob")

	preparing = store.watching(func() *shown.WorkUnderWay {
		is := worked()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.away["premium"] = w.away["premium"] || is != nil
		return is
	})
	s.Must(503, "POST", november+":prepare", `{"type":"original"}`, caller, "anna")
	if preparing() == nil {
		t.Error("it has not begun")
	}
	over(t, worked())
	w.away["premium"] = false

	// Nobody has said for long that it goes on.
	preparing = store.watching(func() *shown.WorkUnderWay {
		is := worked()
		if is != nil {
			w.clock.Pass(6 * time.Minute)
			over(t, worked())
			w.clock.Pass(-6 * time.Minute)
		}
		return is
	})
	v := s.Must(201, "POST", november+":prepare", `{"type":"original"}`, caller, "anna")
	last(t, preparing(), prepared)
	s.Must(200, "POST", november+"/versions/"+number(v)+":approve", `{"digest":"`+v.Member("digest")+`"}`, caller,
		"bob")

	s.Must(200, "PUT", profiles+"own", `{`+plain+`,`+ownColumns+`}`)
	sent := send(t, s, "own", "text/csv", s.Must(200, "GET", november+"/versions/2/lines.csv", "").Text)
	comparing := func() *shown.WorkUnderWay {
		var of reconciliation.Statement
		read(t, other.Must(200, "GET", statements+"/"+sent.ID, ""), &of)
		return of.Comparing
	}
	seen := store.watching(comparing)
	asked := fmt.Sprintf(`{"statement":%q,"against":{"contract":"C","kind":"premium","period":"2026-11"`, sent.ID)
	s.Must(201, "POST", runs, asked+`}}`, caller, "carl")
	compared.Of = 2 * count
	last(t, seen(), compared)
	over(t, comparing())
	seen = store.watching(comparing)
	s.Must(201, "POST", runs, asked+`,"receipts":true}}`, caller, "carl")
	compared.Of = 0 // nobody has counted the receipts
	last(t, seen(), compared)
	over(t, comparing())
}

// last fails the test unless the work that was seen under way is what is wanted.
func last(t *testing.T, is *shown.WorkUnderWay, want shown.WorkUnderWay) {
	t.Helper()
	if is == nil || *is != want {
		t.Errorf("under way is %+v, not %+v", is, want)
	}
}

// over fails the test if work is under way.
func over(t *testing.T, is *shown.WorkUnderWay) {
	t.Helper()
	if is != nil {
		t.Errorf("under way is %+v", *is)
	}
}
