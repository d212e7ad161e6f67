// Package conformance tries an implementation of the Insurance Exchange Service against the interface, from outside: it
// sends requests as any caller would and judges the responses. The rules are made from tables that are written as the
// interface writes them. It shares no code with any implementation, and leaves behind nothing but the records it made;
// each run uses values of its own, so it can be repeated on the same store.
package conformance

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"
)

// Options say what is tried.
type Options struct {
	// Base is the URL of the implementation, without a slash at its end.
	Base string
	// AdminToken has the scope std.admin, DeveloperToken std.developer. Where they are the same token, what each scope
	// alone may not do is not tried.
	AdminToken, DeveloperToken string
	// Only are the areas to try; all if empty. Matching, if set, is what the names of the rules to try match.
	Only     []string
	Matching *regexp.Regexp
	// NoAggregation: the implementation is configured to keep no premium bordereau of its own.
	NoAggregation bool
	// AdminReads: the implementation is configured to let std.admin read.
	AdminReads bool
	// Parallel is how many rules are tried at the same time; 0 is 16.
	Parallel int
	// Patience is how long a rule waits for what comes with time, such as the aggregation of a receipt; 0 is 30 seconds.
	Patience time.Duration
	// Timeout is how long a request may take; 0 is a minute.
	Timeout time.Duration
	// Transport sends the requests; nil is a transport of the run's own.
	Transport http.RoundTripper
}

// Rule is one thing that the interface says.
type Rule struct {
	Area, Name string

	try func(*probe)
	// slow rules wait for something; they begin first.
	slow bool
}

// Rules returns all rules, by area. None of them needs an implementation to be listed.
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

// Run tries the rules and returns what came of each. It ends early, with what was tried until then, if ctx ends.
func Run(ctx context.Context, o Options) Report {
	o.Parallel = cmp.Or(o.Parallel, defaultParallel)
	o.Patience = cmp.Or(o.Patience, defaultPatience)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	began := time.Now()
	rules := o.chosen()
	results := make([]Result, len(rules))
	r := newRun(o)
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

// chosen returns the rules that are to be tried.
func (o *Options) chosen() []Rule {
	return slices.DeleteFunc(Rules(), func(r Rule) bool {
		return len(o.Only) > 0 && !slices.Contains(o.Only, r.Area) || o.Matching != nil && !o.Matching.MatchString(r.Name)
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
		Options: o, began: time.Now().UTC().Truncate(time.Second), name: newName(), shared: map[string]func() (record, error){},
		http: &http.Client{
			Transport: o.Transport, Timeout: o.Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}
