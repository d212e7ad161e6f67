package merged_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/feed/merged"
)

// coverage is a service with a log of changes, which says which policies are shared, and which contracts name the
// caller.
type coverage struct {
	changes []internalapi.Change
	owners  map[string]string
	// parties has the owners of each contract whose counterparty asks, and drafts says that it sees what is not
	// approved.
	parties map[string][]string
	drafts  bool
	// status is the one of a refusal; 0 if it says what is shared.
	status int
	// asked has the policies of each request.
	asked [][]string
}

func (s *coverage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == internalapi.CounterpartyPath {
		s.sayContracts(w, r)
		return
	}
	if r.URL.Path == internalapi.SeenPath {
		var asked internalapi.Asked
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || s.status > 0 {
			problem.Write(w, problem.New(map[int]problem.Kind{
				http.StatusServiceUnavailable: problem.Unavailable, http.StatusNotFound: problem.NotFound,
			}[s.status], ""))
			return
		}
		s.asked = append(s.asked, asked.PolicyNumbers)
		seen := internalapi.Seen{Policies: []internalapi.SeenPolicy{}}
		for _, number := range asked.PolicyNumbers {
			if owner := s.owners[number]; owner != "" {
				seen.Policies = append(seen.Policies, internalapi.SeenPolicy{PolicyNumber: number, Owner: owner})
			}
		}
		_ = json.NewEncoder(w).Encode(seen)
		return
	}
	from := 0
	after := strings.TrimPrefix(r.URL.Path, internalapi.ChangesPath)
	if _, err := fmt.Sscanf(after, "at-%d", &from); err != nil && after != "oldest" {
		from = len(s.changes)
	}
	page := internalapi.Changes{
		Changes: s.changes[from:], Next: fmt.Sprintf("at-%d", len(s.changes)), Watermark: at(1000),
	}
	_ = json.NewEncoder(w).Encode(page)
}

func (s *coverage) sayContracts(w http.ResponseWriter, r *http.Request) {
	var asked internalapi.AskedContracts
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || s.parties == nil {
		problem.Write(w, problem.New(problem.Unavailable, ""))
		return
	}
	s.asked = append(s.asked, asked.References)
	seen := internalapi.SeenContracts{Contracts: []internalapi.SeenContract{}}
	for _, reference := range asked.References {
		for _, owner := range s.parties[reference] {
			seen.Contracts = append(seen.Contracts,
				internalapi.SeenContract{Reference: reference, Owner: owner, Drafts: s.drafts})
		}
	}
	_ = json.NewEncoder(w).Encode(seen)
}

func at(milliseconds int) scalar.DateTime {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return scalar.Instant(noon.Add(time.Duration(milliseconds) * time.Millisecond))
}

// add adds the first version of a record, which an organisation owns.
func (s *coverage) add(id, owner, policyNumber string, shared bool) {
	n := len(s.changes) + 1
	s.changes = append(s.changes, internalapi.Change{
		Resource: "motorCoverage", ID: scalar.ID(id), Version: 1, Type: "created", Time: at(n), Logged: at(n),
		PolicyNumber: policyNumber, Owner: owner, Shared: shared, Position: fmt.Sprintf("at-%d", n),
	})
}

// report adds an event of the desk about a contract of an organisation.
func (s *coverage) report(id, owner, contract string) {
	s.add(id, owner, "", false)
	c := &s.changes[len(s.changes)-1]
	c.Contract, c.Status = contract, "approved"
}

func newReader(t *testing.T, s *coverage) *merged.Reader { return readerOf(t, s, "coverage") }

func newDeskReader(t *testing.T, s *coverage) *merged.Reader { return readerOf(t, s, "desk") }

// readerOf returns a reader of the logs of services with some names, which are one.
func readerOf(t *testing.T, s *coverage, names ...string) *merged.Reader {
	t.Helper()
	client, err := peer.New(peer.Config{
		Name: "coverage", Address: "http://coverage", Handler: s, OpenAfter: 1 << 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	return merged.NewReader(names, func(string) *peer.Client { return client }, prometheus.NewRegistry())
}

func as(t *testing.T, organisation string) context.Context {
	t.Helper()
	ctx, err := request.ForOwner(t.Context(), organisation)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

// read returns the ids of a page of events as an organisation sees it, and the page.
func read(t *testing.T, r *merged.Reader, who string, from merged.Places, filter merged.Filter) (string, merged.Page) {
	t.Helper()
	page, err := r.Read(as(t, who), from, filter, 100, true)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, event := range page.Events {
		ids = append(ids, string(event.Data.ID))
	}
	if len(page.Under) != len(page.Events) || len(page.After) != len(page.Events) {
		t.Errorf("%d events, %d places, %d policies", len(page.Events), len(page.After), len(page.Under))
	}
	return strings.Join(ids, " "), page
}

// TestTheFeedShowsWhatIsSharedNow reads a log as an organisation with which policies are shared, and then not any more.
func TestTheFeedShowsWhatIsSharedNow(t *testing.T) {
	s := &coverage{owners: map[string]string{"P1": "acme"}}
	s.add("shared", "acme", "P1", true)
	s.add("kept", "acme", "P2", true)
	s.add("own", "zenith", "P3", true)
	s.add("names-it", "orion", "P1", true)  // of another owner, about a policy of acme
	s.add("a-vehicle", "acme", "P1", false) // with a member of that name
	s.add("another", "acme", "P1", true)    // a second record of the policy
	s.add("long", "acme", strings.Repeat("1", 129), true)
	r := newReader(t, s)
	got, page := read(t, r, "zenith", nil, merged.Filter{})
	of := merged.Under{Keeper: "coverage", Name: "P1", Owner: "acme"}
	if got != "shared own another" || !slices.Equal(page.Under, []merged.Under{of, {}, of}) || len(page.Behind) > 0 {
		t.Errorf("%s under %v, behind %v", got, page.Under, page.Behind)
	}
	if len(s.asked) != 1 || !slices.Equal(s.asked[0], []string{"P1", "P2"}) {
		t.Errorf("coverage is asked for %v", s.asked)
	}
	s.asked = nil
	if got, _ := read(t, r, "acme", nil, merged.Filter{}); got != "shared kept a-vehicle another long" {
		t.Errorf("the owner reads %s", got)
	}
	// Nothing is asked for that is not selected, and as often for a policy of its own, of another and of nobody.
	for number, want := range map[string]string{"P3": "own", "P2": "", "P9": ""} {
		s.asked = nil
		if got, _ := read(t, r, "zenith", nil, merged.Filter{PolicyNumber: number}); got != want || len(s.asked) != 1 {
			t.Errorf("of %s: %s, asked for %v", number, got, s.asked)
		}
	}
	// What is read again from the beginning is what is seen now.
	s.owners = map[string]string{"P2": "acme"}
	if got, _ := read(t, r, "zenith", nil, merged.Filter{}); got != "kept own" {
		t.Errorf("once another policy is shared: %s", got)
	}
	for under, want := range map[merged.Under]bool{
		of: false, {Keeper: "coverage", Name: "P2", Owner: "acme"}: true,
		{Keeper: "coverage", Name: "P2", Owner: "orion"}: false,
	} {
		if sees, err := r.Sees(as(t, "zenith"), under); sees != want || err != nil {
			t.Errorf("%v: %v %v", under, sees, err)
		}
	}
}

// TestTheFeedWaitsForTheAccessLists reads a log while coverage does not say what is shared, and goes on from there.
// What it shows then is the same whether others have written or not.
func TestTheFeedWaitsForTheAccessLists(t *testing.T) {
	s := &coverage{owners: map[string]string{"P1": "acme"}, status: http.StatusServiceUnavailable}
	s.add("before", "zenith", "P3", true)
	s.add("shared", "acme", "P1", true)
	s.add("after", "zenith", "P3", true)
	r := newReader(t, s)
	alone := &coverage{status: http.StatusServiceUnavailable}
	alone.add("before", "zenith", "P3", true)
	alone.add("after", "zenith", "P3", true)
	for name, r := range map[string]*merged.Reader{"beside others": r, "alone": newReader(t, alone)} {
		for _, filter := range []merged.Filter{{}, {PolicyNumber: "P3"}, {PolicyNumber: "P1"}} {
			got, page := read(t, r, "zenith", nil, filter)
			if got != "" || !slices.Equal(page.Behind, []string{"coverage"}) || !page.Watermark.IsZero() || page.More {
				t.Errorf("%s, %v: %s, behind %v, watermark %v", name, filter, got, page.Behind, page.Watermark)
			}
		}
	}
	if got, page := read(t, r, "", nil, merged.Filter{}); got != "" || page.Watermark.IsZero() || len(page.Behind) > 0 {
		t.Errorf("where nobody shares: %s, behind %v", got, page.Behind)
	}
	s.status = 0
	if got, page := read(t, r, "zenith", nil, merged.Filter{}); got != "before shared after" || len(page.Behind) > 0 {
		t.Errorf("then %s, behind %v", got, page.Behind)
	}
	// What another service logs is read on, and says nothing of how far the page is known.
	other := &coverage{status: http.StatusServiceUnavailable, parties: map[string][]string{}}
	other.add("of-both", "zenith", "", false)
	got, page := read(t, readerOf(t, other, "coverage", "desk"), "zenith", nil, merged.Filter{})
	if got != "of-both" || !slices.Equal(page.Behind, []string{"coverage"}) || !page.Watermark.IsZero() {
		t.Errorf("of the desk %s, behind %v, watermark %v", got, page.Behind, page.Watermark)
	}
	// A coverage of the last release does not know the operation, and shares nothing by it.
	s.status = http.StatusNotFound
	if got, page := read(t, r, "zenith", nil, merged.Filter{}); got != "before after" || len(page.Behind) > 0 {
		t.Errorf("without the operation: %s, behind %v", got, page.Behind)
	}
}

// TestPagesDoNotCountWhatOthersWrite reads pages of few own events between thousands of others.
func TestPagesDoNotCountWhatOthersWrite(t *testing.T) {
	var pages [2][]string
	for i, foreign := range []int{0, 2300} {
		s := &coverage{}
		for n := range 4 {
			for range foreign {
				s.add("foreign", "acme", "", false)
			}
			s.add(fmt.Sprintf("own-%d", n), "zenith", "", false)
		}
		r := newReader(t, s)
		for at := (merged.Places)(nil); len(pages[i]) < 4; {
			page, err := r.Read(as(t, "zenith"), at, merged.Filter{}, 2, false)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, event := range page.Events {
				ids = append(ids, string(event.Data.ID))
			}
			pages[i], at = append(pages[i], strings.Join(ids, " ")), page.At
		}
	}
	if !slices.Equal(pages[0], pages[1]) || pages[0][0] != "own-0 own-1" || pages[0][1] != "own-2 own-3" {
		t.Errorf("alone %q, beside others %q", pages[0], pages[1])
	}
}

// TestTheFeedShowsWhatIsReportedToTheCounterparty reads the events of the desk as the counterparty of a contract, while
// it is that, while the desk does not respond, and when a contract of another owner has the reference.
func TestTheFeedShowsWhatIsReportedToTheCounterparty(t *testing.T) {
	s := &coverage{parties: map[string][]string{"C": {"acme"}}}
	s.report("approved", "acme", "C")
	s.report("draft", "acme", "C")
	s.changes[1].Status = "pending"
	s.report("kept", "acme", "D")
	s.report("another", "orion", "C") // which has a contract of that reference as well
	s.add("comparison", "acme", "", false)
	s.report("nobody's", "", "E")
	r := newDeskReader(t, s)
	got, page := read(t, r, "zenith", nil, merged.Filter{})
	if of := (merged.Under{Keeper: "desk", Name: "C", Owner: "acme"}); got != "approved" || page.Under[0] != of {
		t.Errorf("%s under %v", got, page.Under)
	}
	if len(s.asked) != 1 || !slices.Equal(s.asked[0], []string{"C", "D"}) {
		t.Errorf("the desk is asked for %v", s.asked)
	}
	if got, _ := read(t, r, "acme", nil, merged.Filter{}); got != "approved draft kept comparison" {
		t.Errorf("the owner reads %s", got)
	}
	s.drafts = true
	got, drafts := read(t, r, "zenith", nil, merged.Filter{})
	if got != "approved draft" {
		t.Errorf("with drafts: %s", got)
	}
	s.drafts = false
	if sees, err := r.Sees(as(t, "zenith"), drafts.Under[1]); sees || err != nil {
		t.Errorf("a draft that is no longer shown: %v %v", sees, err)
	}
	s.parties = map[string][]string{"C": {"acme", "orion"}}
	if got, _ := read(t, r, "zenith", nil, merged.Filter{}); got != "approved another" {
		t.Errorf("the counterparty of two contracts of one reference: %s", got)
	}
	s.parties = map[string][]string{"C": {"orion"}}
	if got, _ := read(t, r, "zenith", nil, merged.Filter{}); got != "another" {
		t.Errorf("once another contract names it: %s", got)
	}
	if sees, err := r.Sees(as(t, "zenith"), page.Under[0]); sees || err != nil {
		t.Errorf("%v %v", sees, err)
	}
	s.parties = nil
	got, page = read(t, r, "zenith", nil, merged.Filter{})
	if got != "" || !slices.Equal(page.Behind, []string{"desk"}) {
		t.Errorf("without the desk: %s, behind %v", got, page.Behind)
	}
}

// TestManyPoliciesAreAskedForInParts reads a page with more policies of others than are asked for at a time.
func TestManyPoliciesAreAskedForInParts(t *testing.T) {
	s := &coverage{owners: map[string]string{"P0": "acme", "P700": "acme"}}
	for i := range 701 {
		s.add(fmt.Sprintf("r%d", i), "acme", fmt.Sprintf("P%d", i), true)
	}
	if got, _ := read(t, newReader(t, s), "zenith", nil, merged.Filter{}); got != "r0 r700" {
		t.Error(got)
	}
	if len(s.asked) != 2 || len(s.asked[0]) != internalapi.MostAsked || len(s.asked[1]) != 701-internalapi.MostAsked {
		t.Errorf("%d requests", len(s.asked))
	}
	s = &coverage{parties: map[string][]string{"C0": {"acme"}, "C120": {"acme"}}}
	for i := range 121 {
		s.report(fmt.Sprintf("r%d", i), "acme", fmt.Sprintf("C%d", i))
	}
	if got, _ := read(t, newDeskReader(t, s), "zenith", nil, merged.Filter{}); got != "r0 r120" {
		t.Error(got)
	}
	if len(s.asked) != 2 || len(s.asked[0]) != internalapi.MostContracts {
		t.Errorf("%d requests for contracts", len(s.asked))
	}
}
