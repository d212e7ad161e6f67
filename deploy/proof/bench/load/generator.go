package load

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// Plan says how much is asked for, and when a request is due: at a rate, whether or not earlier requests have their
// responses, or without a rate as soon as the caller has the response to its last one.
type Plan struct {
	Duration time.Duration // for which requests are due
	Requests int           // in place of the duration, if greater than 0
	Rate     float64       // requests a second; 0: each caller sends one after the other
	// Lapses drops a request if no caller was free for it within the duration, and Skips if none was free when it was
	// due.
	Lapses, Skips bool
	// Polite has a caller wait as long as the Retry-After of its last response says.
	Polite bool
	// Patience is how long after the duration a response is waited for; 0: as long as the client waits.
	Patience time.Duration
}

// CutOff stands for the status of a request that the end of the plan cut off.
const CutOff = -1

// Sample is what came of one request that was due.
type Sample struct {
	Row    *Row
	Status int // 0 without a response
	// Took is the time from when the request was due to its response.
	Took time.Duration
}

// Served reports whether the response has the status of the row.
func (s *Sample) Served() bool { return s.Status == s.Row.Status }

// Outcome is what came of a plan.
type Outcome struct {
	Samples []Sample
	// Lasted is the time until the last response.
	Lasted time.Duration
}

// Callers send requests, each one at a time.
type Callers []*caller

type caller struct {
	client   *Client
	request  fasthttp.Request
	response fasthttp.Response
	seen     []Sample
}

// Callers returns callers that share the connections of the client. A client may be nil if the rows only perform.
func (c *Client) Callers(count int) Callers {
	all := make(Callers, count)
	for i := range all {
		all[i] = &caller{client: c}
	}
	return all
}

// Apart returns callers each of which has a connection of its own.
func (c *Client) Apart(count int) Callers {
	all := make(Callers, count)
	for i := range all {
		own := Dial(c.HTTP.Addr, c.Token, 1)
		own.HTTP.IsTLS, own.HTTP.TLSConfig = c.HTTP.IsTLS, c.HTTP.TLSConfig
		all[i] = &caller{client: own}
	}
	return all
}

// Leave closes the connections of callers that have connections of their own.
func (cs Callers) Leave() {
	for _, c := range cs {
		c.client.HTTP.CloseIdleConnections()
	}
}

// Drive has the callers send the requests of the rows in turn, as the plan says, and returns what came of each.
func (cs Callers) Drive(ctx context.Context, plan Plan, rows ...*Row) *Outcome {
	d := &drive{plan: plan, rows: rows, began: time.Now()}
	ctx, cancel := context.WithCancel(ctx)
	if plan.Requests == 0 {
		d.end = d.began.Add(plan.Duration)
		ctx, cancel = context.WithDeadline(ctx, d.end)
	}
	defer cancel()
	if plan.Patience > 0 {
		d.last = d.end.Add(plan.Patience)
	}
	var sending sync.WaitGroup
	for _, c := range cs {
		sending.Go(func() { d.send(ctx, c) })
	}
	sending.Wait()
	o := &Outcome{Lasted: time.Since(d.began)}
	for _, c := range cs {
		o.Samples = append(o.Samples, c.seen...)
		c.seen = nil
	}
	return o
}

// drive is a plan under way. No response is waited for after last, unless that is zero.
type drive struct {
	plan             Plan
	rows             []*Row
	began, end, last time.Time
	count            atomic.Int64
}

// send has a caller send requests until none is due any more.
func (d *drive) send(ctx context.Context, c *caller) {
	for {
		n := d.next()
		due, more := d.due(ctx, n)
		if !more || d.plan.Lapses && d.over() {
			return
		}
		s := Sample{Row: d.rows[n%int64(len(d.rows))]}
		if d.last.IsZero() || time.Now().Before(d.last) {
			s.Status = c.ask(ctx, s.Row, d.last)
		}
		if s.Status == 0 && d.over() {
			s.Status = CutOff
		}
		s.Took = time.Since(due)
		c.seen = append(c.seen, s)
		if d.plan.Polite && s.Status > 0 {
			c.obey(ctx)
		}
	}
}

// next returns the number of the request that is sent next.
func (d *drive) next() int64 {
	for {
		n := d.count.Load()
		next := n
		if d.plan.Skips {
			next = max(n, int64(time.Since(d.began).Seconds()*d.plan.Rate))
		}
		if d.count.CompareAndSwap(n, next+1) {
			return next
		}
	}
}

// obey waits as long as the last response says, or until ctx ends.
func (c *caller) obey(ctx context.Context) {
	seconds, err := strconv.Atoi(string(c.response.Header.Peek("Retry-After")))
	if err != nil {
		return
	}
	select {
	case <-time.After(time.Duration(seconds) * time.Second):
	case <-ctx.Done():
	}
}

// over reports whether the duration of the plan has passed. A context may end a little later.
func (d *drive) over() bool { return !d.end.IsZero() && !time.Now().Before(d.end) }

// due waits until the nth request is due. It reports false if the plan has no such request.
func (d *drive) due(ctx context.Context, n int64) (due time.Time, more bool) {
	now := time.Now()
	switch {
	case d.plan.Requests > 0:
		return now, n < int64(d.plan.Requests) && ctx.Err() == nil
	case d.plan.Rate == 0:
		return now, ctx.Err() == nil
	}
	due = d.began.Add(time.Duration(float64(n) / d.plan.Rate * float64(time.Second)))
	if wait := due.Sub(now); wait > 0 && due.Before(d.end) {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return due, due.Before(d.end) && !errors.Is(ctx.Err(), context.Canceled)
}

// ask sends the next request of a row and returns the status of the response, 0 if there is none.
func (c *caller) ask(ctx context.Context, r *Row, last time.Time) int {
	n := r.count.Add(1)
	if r.Perform != nil {
		return r.Perform(ctx, n)
	}
	c.client.Fill(r.Call(n), &c.request)
	var err error
	if last.IsZero() {
		err = c.client.HTTP.Do(&c.request, &c.response)
	} else {
		err = c.client.HTTP.DoDeadline(&c.request, &c.response, last)
	}
	if err != nil {
		return 0
	}
	return c.response.StatusCode()
}

// Count returns how many samples are as a function wants them.
func (o *Outcome) Count(wanted func(*Sample) bool) (count int) {
	for i := range o.Samples {
		if wanted(&o.Samples[i]) {
			count++
		}
	}
	return count
}

// P returns the time from when they were due that a part of the samples, such as 0.99, did not exceed, of those that
// are as a function wants them; 0 if none is.
func (o *Outcome) P(part float64, wanted func(*Sample) bool) time.Duration {
	var all []time.Duration
	for i := range o.Samples {
		if s := &o.Samples[i]; wanted(s) {
			all = append(all, s.Took)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[int(part*float64(len(all)-1))]
}

// Any reports true for every sample.
func Any(*Sample) bool { return true }

// Statuses are how often each status came.
type Statuses map[int]int

// Statuses returns how often each status came.
func (o *Outcome) Statuses() Statuses {
	all := Statuses{}
	for i := range o.Samples {
		all[o.Samples[i].Status]++
	}
	return all
}

// String returns the statuses in words, such as "200: 12, 503: 4".
func (s Statuses) String() string {
	names := map[int]string{0: "none: ", CutOff: "cut off: "}
	var all []string
	for _, status := range slices.Sorted(maps.Keys(s)) {
		name := names[status]
		if name == "" {
			name = fmt.Sprintf("%d: ", status)
		}
		all = append(all, name+fmt.Sprint(s[status]))
	}
	return strings.Join(all, ", ")
}
