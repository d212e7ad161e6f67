// Package feed measures how fast a reader gets the events of the feed, and how soon after its commit it sees a change.
package feed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
)

// The targets: the events that one reader gets in a second, and the time from commit to visible.
const (
	leastEvents = 20_000
	mostDelay   = time.Second
)

const (
	reading = "one reader from the oldest event"
	seeing  = "commit to visible while vehicles are created"
)

// Measurement returns the measurement of the feed.
func Measurement() measurement.Kind {
	return measurement.Kind{Rows: []string{reading, seeing}, Measure: measure}
}

func measure(ctx context.Context, run *measurement.Run, _ *records.Book) (met bool, err error) {
	fmt.Fprintf(run.Out, "targets: %d events a second for one reader, p99 from commit to visible %v\n", leastEvents,
		mostDelay)
	table := run.Table([]string{reading, seeing})
	if run.Chosen(seeing) {
		if err := measureDelay(ctx, run, table); err != nil {
			return false, err
		}
	}
	if run.Chosen(reading) {
		// A process that has just started has no page in memory.
		if err := errors.Join(run.Exchange.Stop(), run.Restart(ctx)); err != nil {
			return false, err
		}
		events, took, err := readAll(run.Exchange.Client)
		if err != nil {
			return false, err
		}
		rate := float64(events) / took.Seconds()
		table.Row(reading, report.Of("a second", "events/s", 0, rate).If(rate >= leastEvents),
			report.Text("p50, ms", ""), report.Text("p99, ms", ""))
	}
	return table.Met, nil
}

// page is a page of the feed.
type page struct {
	Events []struct {
		Data struct {
			ID      string `json:"id"`
			Version int64  `json:"version"`
		} `json:"data"`
	} `json:"events"`
	Next string `json:"next"`
}

func read(c *load.Client, query string) (p page, err error) {
	response, err := c.Send(load.Call{Method: http.MethodGet, Path: "/x/events?limit=200&" + query})
	if err == nil && response.StatusCode() != http.StatusOK {
		err = fmt.Errorf("status %d: %s", response.StatusCode(), response.Body())
	}
	if err == nil {
		err = json.Unmarshal(response.Body(), &p)
	}
	return p, err
}

// readAll reads the feed once, page after page.
func readAll(c *load.Client) (events int, took time.Duration, err error) {
	began, after := time.Now(), ""
	for {
		p, err := read(c, after)
		if err != nil {
			return 0, 0, err
		}
		if len(p.Events) == 0 {
			return events, took, nil
		}
		events, took, after = events+len(p.Events), time.Since(began), "after="+p.Next
	}
}

// measureDelay creates vehicles as fast as the callers can and reads the feed meanwhile. The delay of a vehicle is from
// its response to the page that has its event.
func measureDelay(ctx context.Context, run *measurement.Run, table *report.Table) error {
	c := run.Exchange.Client
	from, err := read(c, "after=now")
	if err != nil {
		return err
	}
	creating, cancel := context.WithTimeout(ctx, run.Duration)
	defer cancel()
	var mu sync.Mutex
	committed := map[string]time.Time{}
	failed := make([]error, run.Connections)
	var creators sync.WaitGroup
	var done atomic.Bool
	began := time.Now()
	for i := range run.Connections {
		creators.Go(func() {
			for creating.Err() == nil && failed[i] == nil {
				var made map[string]string
				if made, failed[i] = c.Create("vehicle", records.NewVehicle()); failed[i] == nil {
					mu.Lock()
					committed[made["id"]] = time.Now()
					mu.Unlock()
				}
			}
		})
	}
	lasted := make(chan time.Duration, 1)
	go func() {
		creators.Wait()
		lasted <- time.Since(began)
		done.Store(true)
	}()
	// One more connection than the callers have is the reader's.
	reader := load.Dial(c.HTTP.Addr, c.Token, 1)
	defer reader.HTTP.CloseIdleConnections()
	seen := map[string]time.Time{}
	for all := false; !all; {
		all = done.Load()
		p, err := read(reader, "wait=2&after="+from.Next)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		at := time.Now()
		for _, e := range p.Events {
			seen[e.Data.ID] = at
		}
		from = p
		all = all && len(p.Events) == 0
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	var delays []time.Duration
	for id, at := range committed {
		if seen[id].IsZero() {
			return fmt.Errorf("the feed has no event of vehicle %s", id)
		}
		delays = append(delays, max(0, seen[id].Sub(at)))
	}
	slices.Sort(delays)
	p := func(part float64) time.Duration { return delays[int(part*float64(len(delays)-1))] }
	table.Row(seeing, report.Of("a second", "creates/s", 0, float64(len(delays))/(<-lasted).Seconds()),
		report.Of("p50, ms", "p50-ms", 0, float64(p(0.5).Milliseconds())),
		report.Of("p99, ms", "p99-ms", 0, float64(p(0.99).Milliseconds())).If(p(0.99) < mostDelay))
	return nil
}
