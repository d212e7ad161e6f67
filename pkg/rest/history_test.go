package rest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// entry is an event as the history shows it.
type entry struct {
	Number    int
	Event, To string
	At        time.Time
	Change    map[string]any
}

// page reads one page of a history and returns the path of the next, "" on the last page.
func (w *world) page(path string) (events []entry, next string) {
	w.t.Helper()
	r := w.do(200, "GET", path, "")
	var page struct{ History []entry }
	if err := json.Unmarshal(r.Body.Bytes(), &page); err != nil {
		w.t.Fatal(err)
	}
	if link := r.Header().Get("Link"); link != "" {
		next = strings.TrimSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`)
	}
	return page.History, next
}

// pages reads a whole history, page after page.
func (w *world) pages(path string) []entry {
	w.t.Helper()
	var all []entry
	for range 1000 {
		events, next := w.page(path)
		all, path = append(all, events...), next
		if path == "" {
			return all
		}
	}
	w.t.Fatalf("the pages do not end: %s", path)
	return nil
}

// numbered fails unless the events are those expected, numbered from 1.
func (w *world) numbered(got []entry, want ...string) {
	w.t.Helper()
	var events []string
	for i, e := range got {
		events = append(events, e.Event)
		if e.Number != i+1 {
			w.t.Errorf("event %d has the number %d", i+1, e.Number)
		}
	}
	if !slices.Equal(events, want) {
		w.t.Errorf("events\n got %q\nwant %q", events, want)
	}
}

func TestAHistoryIsPaged(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	want := []string{"created"}
	for range 99 {
		w.do(200, "POST", path+"/scan", "")
		want = append(want, "scan")
	}
	for _, limit := range []int{1, 7, 33, 100, 200} {
		w.numbered(w.pages(fmt.Sprintf("/x/history%s?limit=%d", path, limit)), want...)
	}
	if events, next := w.page("/x/history" + path); len(events) != rest.DefaultLimit || next == "" {
		t.Errorf("a page without a limit has %d events, and leads to %q", len(events), next)
	}
	_, cursor, _ := strings.Cut(func() string {
		_, next := w.page("/x/history" + path + "?limit=3")
		return next
	}(), "cursor=")
	for _, wrong := range []string{"limit=0", "limit=201", "limit=x", "cursor=x",
		"cursor=" + cursor + "&cursor=" + cursor, "skip=1"} {
		w.do(400, "GET", "/x/history"+path+"?"+wrong, "")
	}
}

func TestAPageOfAHistoryEndsByItsSize(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	for range 4 {
		w.do(200, "POST", path+":amend", `{"contents":"`+strings.Repeat("x", 60<<10)+`","note":"`+
			strings.Repeat("y", 60<<10)+`","more":`+list(512)+`}`)
	}
	first, next := w.page("/x/history" + path)
	if next == "" || len(first) > 3 {
		t.Errorf("the first page has %d events", len(first))
	}
	if all := w.pages("/x/history" + path); len(all) != 5 {
		t.Errorf("the pages have %d events", len(all))
	}
}

// TestWhatIsKeptWithARecordDoesNotGrow makes every kind of change many times, and measures the state.
func TestWhatIsKeptWithARecordDoesNotGrow(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	size := 0
	w.store.replace = func(doc docstore.Document) (error, bool) {
		size = len(doc.State)
		return nil, false
	}
	largest := func(from, to int) int {
		most := 0
		for i := from; i < to; i++ {
			w.do(200, "POST", path+":hold", "", "Idempotency-Key", fmt.Sprint("hold ", i))
			most = max(most, size)
			w.do(200, "POST", path+"/scan", "", "Idempotency-Key", fmt.Sprint("scan ", i))
			most = max(most, size)
			w.pass(time.Hour)
			w.do(200, "POST", path+":amend", fmt.Sprintf(`{"weight":%d}`, 1+i%9))
			most = max(most, size)
		}
		return most
	}
	// The number of the event has more digits later.
	if early, late := largest(100, 110), largest(110, 310); late > early+2 {
		t.Errorf("the state has %d bytes at first, and %d later", early, late)
	}
}

// TestAnAlteredRecord changes a record as the service itself does, which keeps no former version.
func TestAnAlteredRecord(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	id := strings.TrimPrefix(path, "/parcel/")
	read, err := w.parcels.Stored().Get(t.Context(), organisation.Sole(), uuid.MustParse(id))
	if err != nil {
		t.Fatal(err)
	}
	made := w.now
	w.pass(time.Minute)
	alter := func() {
		w.alter(path, func(p *parcel) { p.Scans = append(p.Scans, "altered") })
	}
	alter()
	w.pass(time.Minute)
	w.do(200, "POST", path+":deliver", signed)
	alter()
	// Somebody read version 1 to change it, kept it, and came too late.
	w.store.formers = func(after int64, found []docstore.Former) []docstore.Former {
		if after == 0 {
			found = slices.Insert(found, 0, docstore.Former{Version: 1, State: read.State})
		}
		return found
	}
	w.numbered(w.pages("/x/history"+path+"?limit=1"), "created", "deliver")
	w.numbered(w.pages("/x/history"+path), "created", "deliver")
	w.store.formers = nil
	w.wants(w.do(404, "GET", asOf(path, made), ""), problem.NotFound) // what it was then is not known any more
	if r := w.do(200, "GET", asOf(path, made.Add(time.Minute)), ""); r.text("state") != "stored" ||
		!strings.Contains(r.Body.String(), "altered") {
		t.Errorf("before its delivery: %s", r.Body)
	}
}
