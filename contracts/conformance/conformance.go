package conformance

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"
	// A client has no database of time zones of its own.
	_ "time/tzdata"
)

// Options say what is tried and how.
type Options struct {
	// Base is the URL of the implementation, without a slash at its end.
	Base string
	// AdminToken has the scope std.admin, DeveloperToken the scope std.developer. If they are the same token, the rules
	// about what one scope alone may not do are skipped.
	AdminToken, DeveloperToken string
	// Only are the areas to try; all if empty. Matching, if set, selects the rules whose names match.
	Only     []string
	Matching *regexp.Regexp
	// NoAggregation says that the implementation is configured not to aggregate receipts.
	NoAggregation bool
	// AdminReads says that the implementation is configured to let std.admin read.
	AdminReads bool
	// Parallel is how many rules are tried at the same time; 0 is 16.
	Parallel int
	// Patience is how long a rule waits for something that happens later, such as the aggregation of a receipt; 0 is 30
	// seconds.
	Patience time.Duration
	// Timeout is how long a request may take; 0 is a minute.
	Timeout time.Duration
	// Transport sends the requests; nil is a new transport.
	Transport http.RoundTripper
}

// Rule is one statement of the interface.
type Rule struct {
	Area, Name string

	try func(*probe)
	// slow rules wait for something; they begin first.
	slow bool
}

// Rules returns all rules, by area. It needs no implementation.
func Rules() []Rule {
	var all []Rule
	for _, area := range areas {
		for _, rule := range area.rules() {
			rule.Area = area.name
			all = append(all, rule)
		}
	}
	return all
}

// areas are the parts of the interface, in the order of the report.
var areas = []struct {
	name  string
	rules func() []Rule
}{
	{"records", recordRules},
	{"lists", listRules},
	{"errors", errorRules},
	{"transitions", transitionRules},
	{"claims", claimRules},
	{"receipts", receiptRules},
	{"idempotency", idempotencyRules},
	{"versions", versionRules},
	{"values", valueRules},
	{"access", accessRules},
	{"syntax", syntaxRules},
	{"limits", limitRules},
	{"corrections", correctionRules},
	{"beyond", beyondRules},
}

// Areas returns the names of the areas.
func Areas() []string {
	names := make([]string, len(areas))
	for i, area := range areas {
		names[i] = area.name
	}
	return names
}

const (
	defaultParallel = 16
	defaultPatience = 30 * time.Second
	defaultTimeout  = time.Minute
)

// Run tries the rules and returns the result of each. If ctx ends first, it returns the results until then.
func Run(ctx context.Context, o Options) Report {
	o.Parallel = cmp.Or(o.Parallel, defaultParallel)
	o.Patience = cmp.Or(o.Patience, defaultPatience)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	began := time.Now()
	rules := o.chosen()
	results := make([]Result, len(rules))
	r := newRun(o)
	r.goByClock(ctx)
	r.goByZone(ctx)
	var triers sync.WaitGroup
	next := make(chan int)
	for range o.Parallel {
		triers.Go(func() {
			for i := range next {
				results[i] = r.try(ctx, rules[i])
			}
		})
	}
	for _, slow := range []bool{true, false} {
		for i, rule := range rules {
			if rule.slow == slow {
				next <- i
			}
		}
	}
	close(next)
	triers.Wait()
	r.http.CloseIdleConnections()
	return Report{Base: o.Base, Began: began, Elapsed: time.Since(began), Results: results}
}

// goByClock has the rules go by the test clock of the implementation, if it is run with one.
func (r *run) goByClock(ctx context.Context) {
	p := probe{run: r, ctx: ctx}
	if got, err := p.send(http.MethodGet, "/x/clock", nil); err == nil && got.status == http.StatusOK {
		if clock, err := got.record(http.StatusOK); err == nil {
			if at, err := time.Parse(time.RFC3339, clock.text("now")); err == nil {
				r.now = func() time.Time { return at }
			}
		}
	}
	r.began = r.now().Truncate(time.Second)
}

// goByZone has the rules count days and months in the time zone of the implementation, UTC if it does not say one.
func (r *run) goByZone(ctx context.Context) {
	p := probe{run: r, ctx: ctx}
	if said, err := p.send(http.MethodGet, "/x/about", nil); err == nil && said.status == http.StatusOK {
		if about, err := said.record(http.StatusOK); err == nil {
			if zone, err := time.LoadLocation(about.text("timeZone")); err == nil {
				r.zone = zone
			}
		}
	}
}

// chosen returns the rules that the options select.
func (o *Options) chosen() []Rule {
	return slices.DeleteFunc(Rules(), func(r Rule) bool {
		return len(o.Only) > 0 && !slices.Contains(o.Only, r.Area) ||
			o.Matching != nil && !o.Matching.MatchString(r.Name)
	})
}

func newRun(o Options) *run {
	if o.Transport == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 4 * o.Parallel
		transport.MaxIdleConns = transport.MaxIdleConnsPerHost
		o.Transport = transport
	}
	return &run{
		Options: o, now: func() time.Time { return time.Now().UTC() }, name: newName(),
		zone: time.UTC, shared: map[string]func() (record, error){},
		http: &http.Client{
			Transport: o.Transport, Timeout: o.Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}
