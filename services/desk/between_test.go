package desk_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/servicetest"
)

// betweenStore is a store that has something happen between two of the calls that a request makes.
type betweenStore struct {
	docstore.Store
	mu sync.Mutex
	// calls is how many calls are made before it happens.
	calls   int
	happens func()
}

// after has something happen after so many calls.
func (b *betweenStore) after(calls int, happens func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls, b.happens = calls, happens
}

func (b *betweenStore) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := b.Store.Collection(ctx, spec)
	if err != nil {
		return c, err
	}
	return docstore.Decorate(c, func(ctx context.Context, _ docstore.Call, do func(context.Context) error) error {
		b.mu.Lock()
		happens := b.happens
		if b.calls--; b.calls >= 0 {
			happens = nil
		}
		if happens != nil {
			b.happens = nil
		}
		b.mu.Unlock()
		if happens != nil {
			happens()
		}
		return do(ctx)
	}), nil
}

// office is a desk with the contracts C and D, whose policies begin with November 2026, on the first of December.
type office struct {
	*servicetest.Service
	t *testing.T
}

// under returns terms of a contract whose rule takes the policies of a line.
func under(line string) string {
	return `{` + strings.NewReplacer(`2026-01"`, `2026-11"`, "motorCoverage", line).Replace(sterling) + `}`
}

// may makes a request that may be refused because of another one, and reports whether it was not.
func (o *office) may(method, path, body string, header ...string) (servicetest.Response, bool) {
	a := o.Do(method, path, body, header...)
	if a.Status >= 300 && a.Status != 409 {
		o.t.Errorf("%s %s: %s", method, path, a.Text)
	}
	return a, a.Status < 300
}

func (o *office) prepare(contract, period, kind string) bool {
	at := "/x/bordereau/" + contract + "/premium/" + period
	_, done := o.may("POST", at+":prepare", `{"type":"`+kind+`"}`, caller, "anna")
	return done
}

// approve approves the pending versions of a period.
func (o *office) approve(contract, period string) {
	at := "/x/bordereau/" + contract + "/premium/" + period
	for _, v := range o.Must(200, "GET", at, "").Body["versions"].([]any) {
		if v := v.(map[string]any); v["state"] == "pending" {
			o.may("POST", fmt.Sprintf("%s/versions/%v:approve", at, v["number"]),
				fmt.Sprintf(`{"digest":"%s"}`, v["digest"]), caller, "bob")
		}
	}
}

// signOff prepares a period and approves it, as an original or as nil. A pending version that cannot be approved is
// rejected first.
func (o *office) signOff(contract, period string) {
	at := "/x/bordereau/" + contract + "/premium/" + period
	for range 3 {
		o.approve(contract, period)
		for _, v := range o.Must(200, "GET", at, "").Body["versions"].([]any) {
			switch v := v.(map[string]any); v["state"] {
			case "approved":
				return
			case "pending":
				o.Must(200, "POST", fmt.Sprintf("%s/versions/%v:reject", at, v["number"]), `{"reason":"not so"}`)
			}
		}
		if !o.prepare(contract, period, "original") {
			o.prepare(contract, period, "nil")
		}
	}
	o.t.Errorf("%s of %s is not signed off", period, contract)
}

// lines returns how many lines the approved versions of both contracts have of the receipts of each policy.
func (o *office) lines() map[string]int {
	count := map[string]int{}
	for _, contract := range []string{"C", "D"} {
		for _, period := range []string{"2026-11", "2026-12"} {
			at := "/x/bordereau/" + contract + "/premium/" + period
			for _, v := range o.Must(200, "GET", at, "").Body["versions"].([]any) {
				if v := v.(map[string]any); v["state"] == "approved" {
					lines := o.Must(200, "GET", fmt.Sprintf("%s/versions/%v/lines", at, v["number"]), "")
					for _, line := range lines.Body["lines"].([]any) {
						count[line.(map[string]any)["policyNumber"].(string)]++
					}
				}
			}
		}
	}
	return count
}

func (o *office) assign(contract string) { o.may("PUT", "/x/contract/"+contract+"/policy/P", "") }

// pass moves the rule that takes the policy from C to D.
func (o *office) pass() {
	if _, done := o.may("PUT", "/x/contract/C", under("travelCoverage")); done {
		o.may("PUT", "/x/contract/D", under("motorCoverage"))
	}
}

// overtake has D take what begins before the end of C in the zone of C, and after the beginning of D in its own.
func (o *office) overtake() {
	o.may("PUT", "/x/contract/D", strings.NewReplacer("2027-01-01", "2028-01-01", "2026-01-01", "2027-01-01").
		Replace(in("Europe/Paris", under("motorCoverage"))))
}

// in returns terms of a contract with a time zone.
func in(zone, terms string) string { return strings.Replace(terms, `{`, `{"timeZone":"`+zone+`",`, 1) }

// TestAPolicyChangesItsContractMeanwhile has a policy go from one contract to another between any two calls to the
// store that a preparation or an approval makes, and the reverse. In the end its receipt has one line, and so has the
// receipt of another policy.
func TestAPolicyChangesItsContractMeanwhile(t *testing.T) {
	ofC := func(o *office) {
		o.prepare("C", "2026-11", "original")
		o.approve("C", "2026-11")
	}
	apart := 1 // between any two calls; with -short between some of them
	if testing.Short() {
		apart = 8
	}
	for name, of := range map[string]struct {
		before, request, between func(*office)
		// zones says that C has the days of New York, and P begins on its last one.
		zones bool
	}{
		"assigned while prepared": {request: ofC, between: func(o *office) {
			o.assign("D")
			o.signOff("D", "2026-11")
		}},
		"assigned to it while prepared": {request: func(o *office) {
			o.prepare("D", "2026-11", "original")
			o.approve("D", "2026-11")
		}, between: func(o *office) { o.assign("D") }},
		"prepared while assigned": {request: func(o *office) { o.assign("D") }, between: ofC},
		"approved while assigned": {
			before:  func(o *office) { o.prepare("C", "2026-11", "original") },
			request: func(o *office) { o.assign("D") }, between: func(o *office) { o.approve("C", "2026-11") },
		},
		"both while assigned": {
			request: func(o *office) { o.assign("D") }, between: func(o *office) { ofC(o); o.signOff("D", "2026-11") },
		},
		"assigned in two ways": {
			request: func(o *office) { o.assign("D") }, between: func(o *office) { o.assign("C"); ofC(o) },
		},
		"passed while prepared": {request: ofC, between: func(o *office) { o.pass(); o.signOff("D", "2026-11") }},
		"prepared while passed": {request: (*office).pass, between: ofC},
		"approved while passed": {
			before:  func(o *office) { o.prepare("C", "2026-11", "original") },
			request: (*office).pass, between: func(o *office) { o.approve("C", "2026-11") },
		},
		"overtaken while prepared": {zones: true, request: ofC, between: func(o *office) {
			o.overtake()
			o.signOff("D", "2026-11")
		}},
		"prepared while overtaken": {zones: true, request: (*office).overtake, between: ofC},
		"approved while overtaken": {
			zones: true, before: func(o *office) { o.prepare("C", "2026-11", "original") },
			request: (*office).overtake, between: func(o *office) { o.approve("C", "2026-11") },
		},
		"passed while assigned": {
			request: func(o *office) { o.assign("D") },
			between: func(o *office) { o.pass(); o.signOff("D", "2026-11") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for calls, happened := 0, true; happened; calls += apart {
				happened = false
				path := filepath.Join(t.TempDir(), "desk.db")
				store, err := sqlitestore.Open(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				w := newWorld(t, "2026-11-10T12:00:00Z")
				w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
				between := &betweenStore{Store: store}
				o := &office{w.startOn(between), t}
				o.Must(200, "PUT", "/x/contract/C", under("motorCoverage"))
				o.Must(200, "PUT", "/x/contract/D", under("petCoverage"))
				w.policies["Q"] = w.policies["P"]
				if of.zones {
					o.Must(200, "PUT", "/x/contract/C", in("America/New_York", under("motorCoverage")))
					w.policies["P"] = policy{"motorCoverage", "2026-12-31T23:30:00Z", "Ann Lee", "in force"}
				}
				w.record("P", "new policy", 100, "")
				w.record("Q", "new policy", 50, "")
				w.until(t, "2026-12-01T05:01:00Z")
				if of.before != nil {
					of.before(o)
				}
				between.after(calls, func() {
					happened = true
					w.clock.Pass(time.Second)
					of.between(o)
				})
				of.request(o)
				between.after(0, nil)
				if lines := o.lines(); lines["P"] > 1 || lines["Q"] > 1 {
					t.Errorf("after %d calls: %v", calls, lines)
				}
				w.until(t, "2027-01-01T05:01:00Z")
				for _, period := range []string{"2026-11", "2026-12"} {
					o.signOff("C", period)
					o.signOff("D", period)
				}
				if lines := o.lines(); lines["P"] != 1 || lines["Q"] != 1 {
					t.Errorf("after %d calls and two periods: %v", calls, lines)
				}
				o.Stop()
				if err := store.Close(); err != nil {
					t.Fatal(err)
				}
				if found := w.examine(t, path).findings; len(found) > 0 {
					t.Errorf("after %d calls: %v", calls, found)
				}
			}
		})
	}
}

// TestAssignedByAClockThatIsAhead has a policy assigned by a process whose clock is ahead of the one that prepares.
func TestAssignedByAClockThatIsAhead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	store, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "2026-11-10T12:00:00Z")
	w.policies["P"] = policy{"petCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	o := &office{w.startOn(store), t}
	o.Must(200, "PUT", "/x/contract/C", under("motorCoverage"))
	o.Must(200, "PUT", "/x/contract/D", under("petCoverage"))
	w.record("P", "new policy", 100, "")
	w.until(t, "2026-12-01T00:01:30Z")
	o.assign("C")
	w.clock.Pass(-30 * time.Second)
	o.signOff("C", "2026-11")
	o.signOff("D", "2026-11")
	if lines := o.lines(); lines["P"] != 1 {
		t.Error(lines)
	}
	o.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if found := w.examine(t, path).findings; len(found) > 0 {
		t.Error(found)
	}
}

// TestTwoRulesAtOnce sets a contract between any two calls to the store that the setting of another one makes, so that
// the rules of both would take the same policy. One of them is refused.
func TestTwoRulesAtOnce(t *testing.T) {
	t.Parallel()
	for _, made := range []bool{false, true} {
		for calls, happened := 0, true; happened; calls++ {
			happened = false
			between := &betweenStore{Store: servicetest.OpenStore(t)}
			o := &office{newWorld(t, "2026-11-10T12:00:00Z").startOn(between), t}
			if made {
				o.Must(200, "PUT", "/x/contract/C", under("petCoverage"))
				o.Must(200, "PUT", "/x/contract/D", under("travelCoverage"))
			}
			other := false
			between.after(calls, func() {
				happened = true
				_, other = o.may("PUT", "/x/contract/D", under("motorCoverage"))
			})
			_, one := o.may("PUT", "/x/contract/C", under("motorCoverage"))
			between.after(0, nil)
			if happened && one == other {
				t.Errorf("made before: %v; after %d calls both or neither were set: %v", made, calls, one)
			}
			o.Stop()
		}
	}
}
