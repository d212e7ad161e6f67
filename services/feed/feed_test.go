package feed_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/feed"
)

func TestTheLogsAreMergedByInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t)
		w.logs["claims"].add(30, "claim", "created", "c1", 1, "M-1")
		w.logs["coverage"].add(10, "motorCoverage", "created", "m1", 1, "M-1")
		w.logs["coverage"].add(30, "motorCoverage", "endorsed", "m1", 2, "M-1")
		w.logs["parties"].add(20, "personal", "created", "p1", 1, "")
		// Of the same millisecond, what is called comes before what calls it.
		const want = "m1-1 p1-1 m1-2 c1-1"
		if all := w.read(""); all.ids() != want || all.Next == "" || len(all.Behind) > 0 ||
			!all.Watermark.Equal(base.Add(time.Second)) {
			t.Errorf("%+v, want %s", all, want)
		}
		var one []string
		after := ""
		for range 4 {
			p := w.read(after, "limit=1")
			one, after = append(one, p.ids()), p.Next
		}
		if got := strings.Join(one, " "); got != want {
			t.Errorf("one by one: %s, want %s", got, want)
		}
		end := w.read(after)
		if len(end.Events) > 0 || end.Next == "" {
			t.Errorf("after the end: %+v", end)
		}
		w.logs["premium"].add(2000, "receipt", "created", "r1", 1, "M-1")
		w.logs["premium"].set(func() { w.logs["premium"].watermark = 2000 })
		// No other log is known beyond 1,000 ms, so that an earlier entry may still come.
		time.Sleep(time.Hour)
		if p := w.read(end.Next); p.ids() != "" || !p.Watermark.Equal(base.Add(time.Second)) {
			t.Errorf("beyond the watermark: %+v", p)
		}
		w.logs["claims"].add(1500, "claim", "settled", "c1", 2, "M-1")
		w.watermarks(3000)
		w.until(end.Next, func(p page) bool { return p.ids() == "c1-2 r1-1" })
	})
}

func TestAnEventSaysWhatHappenedAndWhere(t *testing.T) {
	w := start(t)
	long := strings.Repeat("N", 200)
	w.logs["coverage"].add(1, "businessInterruptionCoverage", "created", "0195a000-0000-7000-8000-000000000001", 1,
		strings.Repeat("N", 128))
	w.logs["coverage"].add(2, "businessInterruptionCoverage", "created", "0195a000-0000-7000-8000-000000000002", 1,
		long)
	w.logs["coverage"].add(3, "businessInterruptionCoverage", "created", "0195a000-0000-7000-8000-000000000003", 1, `"`)
	got := w.Must(200, "GET", "/x/events", "")
	event := got.Body["events"].([]any)[0].(map[string]any)
	for name, want := range map[string]any{
		"specversion": "1.0", "id": "0195a000-0000-7000-8000-000000000001-1",
		"source": "/businessInterruptionCoverage/0195a000-0000-7000-8000-000000000001",
		"type":   "exchange.businessInterruptionCoverage.created", "time": "2026-03-01T13:00:00Z",
		"datacontenttype": "application/json", "subject": strings.Repeat("N", 128),
	} {
		if event[name] != want {
			t.Errorf("%s is %v, want %v", name, event[name], want)
		}
	}
	for i, e := range w.read("").Events {
		if i > 0 && e.Subject+e.Data.PolicyNumber != "" {
			t.Errorf("event %d has a number that it has no room for: %+v", i, e)
		}
	}
	if one := w.Must(200, "GET", "/x/events?limit=1", ""); len(one.Text)-len(one.Member("next")) > 1024+100 {
		t.Errorf("an event has more than 1 KB: %s", one.Text)
	}
}

func TestFiltersSelectEvents(t *testing.T) {
	w := start(t)
	for i := range 3000 {
		w.logs["coverage"].add(i/10, "vehicle", "created", fmt.Sprintf("v%d", i), 1, "")
	}
	w.logs["coverage"].add(400, "motorCoverage", "created", "m1", 1, "M-1")
	w.logs["claims"].add(500, "claim", "created", "c1", 1, "M-1")
	w.logs["claims"].add(501, "claim", "settled", "c1", 2, "M-1")
	w.logs["claims"].add(502, "claim", "created", "c2", 1, "M-2")
	for filter, want := range map[string]string{
		"policyNumber=M-1":                             "m1-1 c1-1 c1-2",
		"type=exchange.claim.*":                        "c1-1 c1-2 c2-1",
		"type=exchange.claim.settled":                  "c1-2",
		"type=exchange.claim.created&policyNumber=M-2": "c2-1",
	} {
		var got []string
		after, pages := "", 0
		for ; pages < 10 && len(got) < len(strings.Fields(want)); pages++ {
			p := w.read(after, filter)
			for _, e := range p.Events {
				got = append(got, e.ID)
			}
			after = p.Next
		}
		// A page looks at 1,000 changes at most, so that a narrow filter has empty pages before.
		if strings.Join(got, " ") != want || pages < 4 {
			t.Errorf("%s: %v after %d pages, want %s", filter, got, pages, want)
		}
		if a := w.Must(400, "GET", path(after), ""); !strings.Contains(a.Text, "another type or policyNumber") {
			t.Error(a.Text)
		}
	}
}

func TestNowBeginsAfterWhatThereIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t)
		w.logs["parties"].add(1, "personal", "created", "p1", 1, "")
		w.logs["claims"].add(2, "claim", "created", "c1", 1, "")
		w.logs["claims"].set(func() { w.logs["claims"].down = true })
		from := w.read("now")
		if from.ids() != "" || !slices.Equal(from.Behind, []string{"claims"}) {
			t.Fatalf("%+v", from)
		}
		// What the service had logged before is passed over, what comes later is not lost.
		w.logs["claims"].set(func() { w.logs["claims"].down = false })
		w.logs["claims"].add(1100, "claim", "settled", "c1", 2, "")
		w.logs["parties"].add(1200, "personal", "replaced", "p1", 2, "")
		w.watermarks(2000)
		p := w.until(from.Next, func(p page) bool { return len(p.Behind) == 0 && len(p.Events) > 0 })
		if p.ids() != "c1-2 p1-2" {
			t.Errorf("events %s", p.ids())
		}
		for _, l := range w.logs {
			l.set(func() { l.down = true })
		}
		w.Must(503, "GET", path("now"), "")
	})
}

// TestNowIsNoEarlierEnd reads from now on while an earlier request for the end of a log has read it, and not returned.
func TestNowIsNoEarlierEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t)
		reached, release := make(chan struct{}), make(chan struct{})
		w.logs["claims"].set(func() { w.logs["claims"].held = func() { close(reached); <-release } })
		earlier := make(chan page)
		go func() { earlier <- w.read("now") }()
		<-reached
		w.logs["claims"].add(1050, "claim", "created", "c1", 1, "")
		from := w.read("now")
		close(release)
		<-earlier
		if len(from.Behind) > 0 {
			t.Errorf("behind %v", from.Behind)
		}
		w.logs["claims"].add(1100, "claim", "settled", "c1", 2, "")
		w.watermarks(2000)
		if p := w.until(from.Next, func(p page) bool { return len(p.Events) > 0 }); p.ids() != "c1-2" {
			t.Errorf("events %s", p.ids())
		}
	})
}

// TestNowIsNoFormerEnd reads from now on after a request for the end of a log came with a change that was logged
// meanwhile.
func TestNowIsNoFormerEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t)
		claims := w.logs["claims"]
		claims.add(10, "claim", "created", "c1", 1, "")
		claims.set(func() { claims.late = 1 })
		w.read("now")
		claims.set(func() { claims.late = 0 })
		claims.add(20, "claim", "settled", "c1", 2, "")
		from := w.read("now")
		claims.add(1100, "claim", "reopened", "c1", 3, "")
		w.watermarks(2000)
		if p := w.until(from.Next, func(p page) bool { return len(p.Events) > 0 }); p.ids() != "c1-3" {
			t.Errorf("events %s", p.ids())
		}
	})
}

func TestAServiceThatDoesNotRespondIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t)
		w.logs["parties"].add(10, "personal", "created", "p1", 1, "")
		w.logs["claims"].add(5, "claim", "created", "c1", 1, "")
		w.logs["premium"].add(7, "receipt", "created", "r1", 1, "")
		w.logs["claims"].set(func() { w.logs["claims"].down = true })
		w.logs["premium"].set(func() { w.logs["premium"].lacks = true }) // of the last release
		p := w.until("", func(p page) bool { return len(p.Events) > 0 })
		if p.ids() != "p1-1" || !slices.Equal(p.Behind, []string{"claims", "premium"}) {
			t.Errorf("%s, behind %v", p.ids(), p.Behind)
		}
		w.logs["claims"].set(func() { w.logs["claims"].down = false })
		w.logs["premium"].set(func() { w.logs["premium"].lacks = false })
		later := w.until(p.Next, func(p page) bool { return len(p.Behind) == 0 })
		if later.ids() != "c1-1 r1-1" {
			t.Errorf("then %s", later.ids())
		}
	})
}

func TestACursorExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t)
		w.logs["claims"].add(1, "claim", "created", "c1", 1, "")
		p := w.read("", "type=exchange.claim.*")
		w.clock.Pass(30 * 24 * time.Hour)
		w.read(p.Next, "type=exchange.claim.*")
		w.clock.Pass(time.Second)
		gone := w.Must(410, "GET", path(p.Next, "type=exchange.claim.*"), "")
		if gone.Member("type") != "/problems/cursor-expired" || !strings.Contains(gone.Text, "after=now") {
			t.Error(gone.Text)
		}
		if again := w.read(gone.Member("earliest"), "type=exchange.claim.*"); again.ids() != "c1-1" {
			t.Errorf("from the earliest: %s", again.ids())
		}
		p = w.read("")
		w.logs["claims"].set(func() { w.logs["claims"].cut = true })
		time.Sleep(time.Hour) // what was read before is not asked for again at once
		if got := w.Must(410, "GET", path(p.Next), ""); !strings.Contains(got.Text, "claims was restored") {
			t.Errorf("a log without the place: %s", got.Text)
		}
	})
}

// TestACursorIsSealed alters every byte of a cursor, as text and as what it stands for.
func TestACursorIsSealed(t *testing.T) {
	w := start(t)
	w.logs["claims"].add(1, "claim", "created", "c1", 1, "")
	cursor := w.read("").Next
	refused := func(altered string) {
		t.Helper()
		if got := w.Must(400, "GET", path(altered), ""); !strings.Contains(got.Text, "or was altered") {
			t.Error(got.Text)
		}
	}
	for i := range cursor {
		for _, by := range []byte("Aa-9") {
			if altered := []byte(cursor); altered[i] != by {
				altered[i] = by
				refused(string(altered))
			}
		}
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sealed {
		for bit := range 8 {
			sealed[i] ^= 1 << bit
			refused(base64.RawURLEncoding.EncodeToString(sealed))
			sealed[i] ^= 1 << bit
		}
	}
	for _, wrong := range []string{"x", cursor[1:], cursor + "A", cursor + "=", strings.Repeat("A", 5000),
		start(t).read("").Next} {
		refused(wrong)
	}
	if strings.Contains(string(sealed), "claims") {
		t.Error("the cursor can be read")
	}
}

// TestReplicasShareTheKeyOfCursors starts replicas on one database at the same time.
func TestReplicasShareTheKeyOfCursors(t *testing.T) {
	o := servicetest.Options{Store: servicetest.OpenStore(t)}
	var replicas []*servicetest.Service
	for range 4 {
		replicas = append(replicas, servicetest.Start(t, feed.Service().Definition(), o))
	}
	for _, giving := range replicas {
		next := giving.Must(200, "GET", "/x/events", "").Member("next")
		for _, taking := range replicas {
			taking.Must(200, "GET", path(next), "")
		}
	}
}

func TestParametersOfTheFeed(t *testing.T) {
	w := start(t)
	for _, wrong := range []string{"limit=0", "limit=201", "limit=+1", "wait=31", "wait=-1", "after=", "type=claim",
		"type=exchange.claims.created", "type=exchange.claim.", "type=exchange.claim.Settled",
		"type=exchange.productCatalog.created", "policyNumber=", "policyNumber=" + strings.Repeat("1", 129), "cursor=x",
		"limit=1&limit=2", "%zz"} {
		if got := w.Must(400, "GET", "/x/events?"+wrong, ""); got.Member("type") != "/problems/bad-parameter" {
			t.Error(got.Text)
		}
	}
	w.Must(405, "POST", "/x/events", "")
}

func TestAWaitEndsWithAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t)
		from := w.read("now").Next
		got := make(chan page)
		go func() { got <- w.read(from, "wait=10") }()
		time.Sleep(5 * time.Second)
		w.logs["claims"].add(1100, "claim", "created", "c1", 1, "")
		w.watermarks(2000)
		if p := <-got; p.ids() != "c1-1" {
			t.Errorf("events %s", p.ids())
		}
	})
}

// TestAnOrganisationWaitsThoughAnotherOneFillsThePlaces has one organisation hold more waits than there are places, and
// another one wait after it.
func TestAnOrganisationWaitsThoughAnotherOneFillsThePlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, "--org-claim", "org")
		one, other := *w, *w
		one.Service, other.Service = w.As("acme"), w.As("zenith")
		from := one.read("now").Next
		var waiting sync.WaitGroup
		for range 40 {
			waiting.Go(func() { one.read(from, "wait=12") })
		}
		time.Sleep(time.Second)
		began := time.Now()
		other.read(other.read("now").Next, "wait=3")
		if waited := time.Since(began); waited < 3*time.Second {
			t.Errorf("the other organisation waited %s", waited)
		}
		waiting.Wait()
	})
}
