package conformance

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// run is one run of the rules, and the records that they share.
type run struct {
	Options
	http *http.Client
	// now returns the present instant: that of the test clock, if there is one.
	now func() time.Time
	// zone is the time zone in which the implementation counts days and months.
	zone   *time.Location
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

// shown returns the instant at which a clock in the zone of the implementation shows a time, as a DateTime.
func (p *probe) shown(text string) string {
	at, err := time.ParseInLocation(time.DateTime, text, p.zone)
	p.must(err)
	return at.UTC().Format(time.RFC3339)
}

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

// maxSkip is the greatest number of records at which a run looks for the end of a list.
const maxSkip = 1_000_000

// list returns the first page of a list.
func (p *probe) list(path string) []record {
	all, err := p.get(path).records()
	p.must(err)
	return all
}

// length returns the number of records of a list. It looks for the end: it doubles the skip, and then halves the
// remaining range. A list that is longer than maxSkip ends the rule.
func (p *probe) length(path string) int {
	has := func(n int) bool { return len(p.list(withQuery(path, fmt.Sprintf("limit=1&skip=%d", n-1)))) > 0 }
	least, beyond := 0, 1
	for has(beyond) {
		if least, beyond = beyond, 2*beyond; beyond > maxSkip {
			p.skip(fmt.Sprintf("GET %s has more than %d records", path, least))
		}
	}
	for beyond-least > 1 {
		if middle := (least + beyond) / 2; has(middle) {
			least = middle
		} else {
			beyond = middle
		}
	}
	return least
}

func withQuery(path, query string) string {
	if strings.Contains(path, "?") {
		return path + "&" + query
	}
	return path + "?" + query
}

// since returns the records of a list after its first n. It follows the links from page to page.
func (p *probe) since(path string, n int) []record {
	return p.along(withQuery(path, fmt.Sprintf("limit=200&skip=%d", n)))
}

// along returns the records of a list. It follows the links from page to page.
func (p *probe) along(path string) []record {
	var all []record
	for path != "" {
		a := p.get(path)
		page, err := a.records()
		p.must(err)
		all = append(all, page...)
		next := p.next(a)
		if next == path {
			p.fail("the link of GET %s goes to itself", path)
		}
		path = next
	}
	return all
}

// linkNext is the RFC 8288 link to the next page.
var linkNext = regexp.MustCompile(`<([^>]*)>\s*;[^,]*\brel="?next"?`)

// next returns the path and query of the next page, or "" if the response has no link to one.
func (p *probe) next(a response) string {
	match := linkNext.FindStringSubmatch(strings.Join(a.header.Values("Link"), ", "))
	if match == nil {
		return ""
	}
	base, err := url.Parse(p.Base)
	p.must(err)
	next, err := base.Parse(match[1])
	if err != nil {
		p.fail("the link %q is no URL: %v", match[1], err)
	}
	return strings.TrimPrefix(next.RequestURI(), base.Path)
}

// refusedQuery fails the rule unless the response to each path is 400.
func (p *probe) refusedQuery(paths ...string) {
	for _, path := range paths {
		p.refused(http.StatusBadRequest, "", p.get(path))
	}
}
