package load

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// slow is a row whose requests take some time and are served.
func slow(took time.Duration) *Row {
	return &Row{Name: "slow", Status: http.StatusOK, Perform: func(context.Context, uint64) int {
		<-time.After(took)
		return http.StatusOK
	}}
}

// TestRequestsAreDueAtTheirRate drives more requests than one caller can send: each counts, and its time counts from
// when it was due.
func TestRequestsAreDueAtTheirRate(t *testing.T) {
	const each = 20 * time.Millisecond
	o := (*Client)(nil).Callers(1).Drive(t.Context(), Plan{Duration: 10 * each, Rate: 200, Patience: time.Minute},
		slow(each))
	if len(o.Samples) != 40 || o.Count((*Sample).Served) != 40 {
		t.Fatalf("%d requests with the statuses %v, want 40 that were served", len(o.Samples), o.Statuses())
	}
	last := o.Samples[39]
	if last.Took < 11*each {
		t.Errorf("the last request took %v; it was due long before the caller was free", last.Took)
	}
	if p50, p99 := o.P(0.5, Any), o.P(0.99, Any); p50 >= p99 {
		t.Errorf("p50 %v, p99 %v", p50, p99)
	}
}

// TestPatienceEnds drives requests of which no caller can send most before the patience ends: they have no response.
func TestPatienceEnds(t *testing.T) {
	const each = 20 * time.Millisecond
	plan := Plan{Duration: 5 * each, Rate: 1000, Patience: time.Nanosecond}
	o := (*Client)(nil).Callers(1).Drive(t.Context(), plan, slow(each))
	if served := o.Count((*Sample).Served); len(o.Samples) != 100 || served == 0 || served > 6 {
		t.Errorf("%d requests with the statuses %v, want 100 of which few are served", len(o.Samples), o.Statuses())
	}
	plan.Lapses = true
	if o := (*Client)(nil).Callers(1).Drive(t.Context(), plan, slow(each)); len(o.Samples) > 6 {
		t.Errorf("%d requests, want only those that were sent", len(o.Samples))
	}
}

// TestCallersTakeTurns drives a number of requests of two rows.
func TestCallersTakeTurns(t *testing.T) {
	var asked [2]atomic.Int64
	var rows []*Row
	for i := range asked {
		rows = append(rows, &Row{Status: http.StatusOK, Perform: func(context.Context, uint64) int {
			asked[i].Add(1)
			return http.StatusOK - i
		}})
	}
	o := (*Client)(nil).Callers(4).Drive(t.Context(), Plan{Requests: 100}, rows...)
	if asked[0].Load() != 50 || asked[1].Load() != 50 || o.Count((*Sample).Served) != 50 {
		t.Errorf("%d and %d requests, %v; want 50 of each", asked[0].Load(), asked[1].Load(), o.Statuses())
	}
}
