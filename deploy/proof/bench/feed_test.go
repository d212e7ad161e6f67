package bench

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

const (
	leastEvents = 20_000 // a second, for one reader
	mostDelay   = time.Second
)

// BenchmarkFeed measures how soon after the response of its write a reader sees an event, and how fast it gets
// those of a process that has just started and has no page in memory.
func BenchmarkFeed(b *testing.B) {
	data := b.TempDir()
	exchange, _ := start(b, commands, data)
	exchange.book = &book{}
	b.Run("visible while vehicles are created", func(b *testing.B) {
		once(b, func() { measureDelay(b, exchange) })
	})
	if err := exchange.whole.Close(); err != nil {
		b.Fatal(err)
	}
	exchange, _ = start(b, commands, data)
	b.Run("one reader from the oldest event", func(b *testing.B) {
		once(b, func() { readAll(b, exchange) })
	})
}

// measureDelay creates vehicles as fast as the callers can, and reads the feed meanwhile.
func measureDelay(b *testing.B, exchange *side) {
	b.Helper()
	after := "after=" + read(b, exchange, "after=now").Next
	committed, seen, created := map[string]time.Time{}, map[string]time.Time{}, make(chan *vegeta.Metrics, 1)
	go func() {
		created <- exchange.drive(postVehicle, plan{duration: max(2*time.Second, 7**length), callers: callers,
			each: func(r *vegeta.Result) { committed[idIn(r.Headers)] = r.Timestamp.Add(r.Latency) }})
	}()
	var done *vegeta.Metrics
	for last := false; !last; {
		select {
		case done = <-created:
		default:
		}
		p := read(b, exchange, "wait=1&"+after)
		last, after = done != nil && len(p.Events) == 0, "after="+p.Next
		for _, e := range p.Events {
			seen[e.Data.ID] = time.Now()
		}
	}
	if done.Success < 1 {
		b.Fatalf("vehicles were refused: %v %v", done.StatusCodes, done.Errors)
	}
	var delays []time.Duration
	for id, at := range committed {
		if seen[id].IsZero() {
			b.Fatalf("the feed has no event of vehicle %s", id)
		}
		delays = append(delays, max(0, seen[id].Sub(at)))
	}
	slices.Sort(delays)
	b.ReportMetric(done.Throughput, "creates/s")
	b.ReportMetric(1000*delays[len(delays)/2].Seconds(), "p50-ms")
	p99 := delays[len(delays)*99/100]
	report(b, "p99-ms", 1000*p99.Seconds(), p99 <= mostDelay)
}

// readAll reads the feed once, page after page.
func readAll(b *testing.B, exchange *side) {
	b.Helper()
	began, events, took, after := time.Now(), 0, time.Duration(1), ""
	for {
		p := read(b, exchange, after)
		if len(p.Events) == 0 {
			break
		}
		events, took, after = events+len(p.Events), time.Since(began), "after="+p.Next
	}
	rate := float64(events) / took.Seconds()
	report(b, "events/s", rate, rate >= leastEvents)
}

// events is a page of the feed.
type events struct {
	Events []struct{ Data struct{ ID string } }
	Next   string
}

func read(tb testing.TB, s *side, query string) (p events) {
	tb.Helper()
	response, text, err := s.send(http.MethodGet, "/x/events?limit=200&"+query, nil)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || response.StatusCode != http.StatusOK {
		tb.Fatalf("GET /x/events: %v: %s", err, text)
	}
	return p
}
