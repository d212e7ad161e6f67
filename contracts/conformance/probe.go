package conformance

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// run is one run of the rules, and the records that they share.
type run struct {
	Options
	http   *http.Client
	began  time.Time
	name   string // unique to the run
	serial atomic.Int64

	mu     sync.Mutex
	shared map[string]func() (record, error)
}

func newName() string { return strings.ToLower(rand.Text()[:10]) }

// fresh returns a text that no other call in any run returns.
func (r *run) fresh(prefix string) string {
	return fmt.Sprintf("%s-%s-%d", prefix, r.name, r.serial.Add(1))
}

// day returns the instant a number of days after the beginning of the run.
func (r *run) day(days int) time.Time { return r.began.AddDate(0, 0, days) }

// instant returns the instant of day as a DateTime.
func (r *run) instant(days int) string { return r.day(days).Format(time.RFC3339) }

// probe tries one rule. A method that cannot go on ends the rule, as the methods of testing.T do.
type probe struct {
	*run
	ctx context.Context

	outcome Outcome
	why     string

	mu   sync.Mutex
	last *roundTrip
}

// try tries one rule in a new goroutine, which fail and skip end.
func (r *run) try(ctx context.Context, rule Rule) Result {
	p := &probe{run: r, ctx: ctx}
	began, done := time.Now(), make(chan struct{})
	go func() {
		defer close(done)
		if ctx.Err() != nil {
			p.skip("the run was ended")
		}
		rule.try(p)
		p.outcome = Passed
	}()
	<-done
	result := Result{Area: rule.Area, Rule: rule.Name, Outcome: p.outcome, Why: p.why, Elapsed: time.Since(began)}
	if p.outcome == Failed && p.last != nil {
		result.Request, result.Response = p.last.short()
	}
	return result
}

// fail ends the rule as failed.
func (p *probe) fail(format string, args ...any) {
	p.outcome, p.why = Failed, fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// skip ends the rule as skipped, because it cannot be tried.
func (p *probe) skip(why string) {
	p.outcome, p.why = Skipped, why
	runtime.Goexit()
}

// must ends the rule as failed if there is an error.
func (p *probe) must(err error) {
	if err != nil {
		p.fail("%v", err)
	}
}

// differences collects everything that is wrong with a response, so that the report lists all of it.
type differences []string

func (d *differences) add(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

func (p *probe) none(d differences) {
	const shown = 8
	switch {
	case len(d) > shown:
		p.fail("%s; and %d more", strings.Join(d[:shown], "; "), len(d)-shown)
	case len(d) > 0:
		p.fail("%s", strings.Join(d, "; "))
	}
}

// each calls do for 0 to n-1, several at a time. If there are errors, it fails the rule with all of them.
func (p *probe) each(n int, do func(i int) error) {
	const width = 8
	var (
		found differences
		mu    sync.Mutex
		group sync.WaitGroup
		next  atomic.Int64
	)
	for range min(width, n) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				if err := do(int(i)); err != nil {
					mu.Lock()
					found.add("%v", err)
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	if found != nil {
		p.last = nil // the last request need not be one that failed
	}
	p.none(found)
}

// tick is the time between two checks of a condition.
const tick = 100 * time.Millisecond

// eventually calls done until it returns nil. After Options.Patience it fails the rule with the last error.
func (p *probe) eventually(done func() error) {
	deadline := time.Now().Add(p.Patience)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		err := done()
		switch {
		case err == nil:
			return
		case p.ctx.Err() != nil || time.Now().After(deadline):
			p.fail("not within %s: %v", p.Patience, err)
		}
		<-ticker.C
	}
}
