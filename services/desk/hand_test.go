package desk_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	shown "insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/servicetest"
)

// handColumns are those of a file without types.
const handColumns = `"currency":"EUR","columns":[{"column":"Policy","means":"policyNumber"},
	{"column":"Gross","means":"gross"}]}`

// twoAlone returns a run with the rows of a file that belong to no record, and records that belong to no row: P has
// 100.00 and 250.00. The profile is p.
func twoAlone(t *testing.T, store docstore.Store, file string) (
	w *world, s *servicetest.Service, run shown.Run, items []shown.RunItem,
) {
	w = newWorld(t, "2026-11-10T12:00:00Z")
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	s = w.startOn(store)
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(sterling, "2026-01\"", "2026-11\"", 1)+`}`)
	w.record("P", "new policy", 100, "")
	w.record("P", "new policy", 250, "")
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	s.Must(200, "PUT", profiles+"p", `{`+plain+`,`+handColumns)
	run, items = compared(t, s, send(t, s, "p", "text/csv", file).ID, "")
	return w, s, run, items
}

// pairing returns the body that pairs items.
func pairing(reason string, items ...int) string {
	return fmt.Sprintf(`{"items":%s,"reason":%q}`, strings.ReplaceAll(fmt.Sprint(items), " ", ","), reason)
}

// counted checks that what a run counts is what it lists.
func counted(t *testing.T, s *servicetest.Service, id string) (run shown.Run, items []shown.RunItem) {
	t.Helper()
	read(t, s.Must(200, "GET", runs+"/"+id, ""), &run)
	items = itemsOf(t, s, run)
	outcomes, decisions, open := map[string]int{}, map[string]int{}, 0
	for _, item := range items {
		outcomes[item.Outcome]++
		if item.Decision != "" {
			decisions[item.Decision]++
		}
		if (item.Outcome != shown.Matched && item.Outcome != shown.Within || item.Decision == shown.Unmatched) &&
			item.Decision != shown.Accepted {
			open++
		}
	}
	for _, of := range run.Ageing {
		open -= of.Items
	}
	if fmt.Sprint(outcomes) != fmt.Sprint(run.Outcomes) || fmt.Sprint(decisions) != fmt.Sprint(run.Decisions) ||
		open != 0 {
		t.Errorf("the run counts %v, %v and %v, and lists %+v", run.Outcomes, run.Decisions, run.Ageing, items)
	}
	for outcome, count := range outcomes {
		var page shown.RunItems
		read(t, s.Must(200, "GET", runs+"/"+id+"/items?limit=200&outcome="+outcome, ""), &page)
		if len(page.Items) != count {
			t.Errorf("of %d items that are %s, %d are listed", count, outcome, len(page.Items))
		}
	}
	return run, items
}

// TestPairedByHand pairs a row and a record that no key has brought together, decides on the pair, and parts another
// one. Later runs know the pairs that stand.
func TestPairedByHand(t *testing.T) {
	_, s, run, items := twoAlone(t, nil, "Policy,Gross\nP,101\nP,250.00\nP,103\n")
	if len(items) != 4 || items[0].Outcome != shown.MissingHere || items[2].Outcome != shown.MissingThere {
		t.Fatalf("%+v", items)
	}
	at, first, third, record := runs+"/"+run.ID, items[0].Number, items[1].Number, items[2].Number
	var pair shown.RunItem
	for range 2 { // a repeated request is the same
		read(t, s.Must(200, "POST", at+":pair", pairing("by telephone", record, first), caller, "ann"), &pair)
	}
	if pair.Number != first || pair.Outcome != shown.Mismatch || pair.LineID != items[2].LineID || pair.Row != 2 ||
		pair.Key != "hand" || len(pair.Cells) != 1 || pair.Cells[0].Theirs != "101.00" ||
		pair.Cells[0].Ours != "100.00" ||
		pair.Paired == nil || pair.Paired.By != "ann" || pair.Paired.With != record ||
		pair.Paired.Reason != "by telephone" || pair.Paired.At.IsZero() {
		t.Fatalf("%+v %+v", pair, pair.Paired)
	}
	if of, items := counted(t, s, run.ID); of.Items != 3 || items[0].Paired == nil {
		t.Errorf("%+v: %+v", of, items)
	}
	var page shown.RunItems
	read(t, s.Must(200, "GET", at+"/items?limit=1&skip=1", ""), &page)
	if len(page.Items) != 1 || page.Items[0].Number != third || page.Next != 2 {
		t.Errorf("the second item of a page of 1 is %+v", page)
	}

	// What is in a pair is decided as one item, and not paired again.
	item := fmt.Sprint(at, "/items/", first)
	s.Must(409, "POST", fmt.Sprint(at, "/items/", record, ":accept"), `{"reason":"x"}`)
	s.Must(409, "POST", item+":unmatch", `{"reason":"x"}`)
	s.Must(409, "POST", at+":pair", pairing("again", third, record))
	s.Must(200, "POST", item+":accept", `{"reason":"a rounding"}`)
	s.Must(409, "POST", at+":unpair", pairing("x", first, record))
	if of, _ := counted(t, s, run.ID); of.Decisions[shown.Accepted] != 1 {
		t.Errorf("%+v", of)
	}

	// A file of somebody else finds the record taken.
	s.Must(200, "PUT", profiles+"q", `{`+plain+`,`+handColumns)
	_, others := compared(t, s, send(t, s, "q", "text/csv", "Policy,Gross\nP,100\n").ID, "")
	if others[0].Outcome != shown.Duplicate || others[0].PairedIn == nil || others[0].PairedIn.Item != first {
		t.Errorf("%+v", others)
	}
}

// TestUnpaired parts a pair that was made by hand: its items are as they were, and may be paired again.
func TestUnpaired(t *testing.T) {
	_, s, run, items := twoAlone(t, nil, "Policy,Gross\nP,8\nP,9\nP,10\n")
	at := runs + "/" + run.ID
	row, record := items[0].Number, items[3].Number
	s.Must(409, "POST", at+":unpair", pairing("x", row, record))
	s.Must(200, "POST", at+":pair", pairing("a", row, record))
	var page shown.RunItems
	for range 2 {
		read(t, s.Must(200, "POST", at+":unpair", pairing("wrong", record, row)), &page)
	}
	if len(page.Items) != 2 || page.Items[0].Outcome != shown.MissingThere ||
		page.Items[1].Outcome != shown.MissingHere {
		t.Fatalf("%+v", page)
	}
	if of, _ := counted(t, s, run.ID); of.Items != 5 {
		t.Errorf("%+v", of)
	}
	s.Must(200, "POST", fmt.Sprint(at, "/items/", record, ":dispute"), `{"reason":"x"}`)
	s.Must(409, "POST", at+":pair", pairing("b", row, record)) // it is decided on
	s.Must(200, "POST", at+":pair", pairing("b", items[1].Number, items[4].Number))
	if of, _ := counted(t, s, run.ID); of.Items != 4 || of.Decisions[shown.Disputed] != 1 {
		t.Errorf("%+v", of)
	}
	wantEvents(t, s, "finished", "paired", "unpaired", "paired")
}

// wantEvents checks the types of the events of comparisons.
func wantEvents(t *testing.T, s *servicetest.Service, want ...string) {
	t.Helper()
	var page struct {
		Changes []struct {
			Resource string `json:"resource"`
			Type     string `json:"type"`
		} `json:"changes"`
	}
	read(t, s.Must(200, "GET", "/internal/changes/oldest", ""), &page)
	var got []string
	for _, of := range page.Changes {
		if of.Resource == "reconciliation" {
			got = append(got, of.Type)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the events are %v, not %v", got, want)
	}
}

// TestPairedWrong asks for pairs that cannot be.
func TestPairedWrong(t *testing.T) {
	_, s, run, items := twoAlone(t, nil, "Policy,Gross\nP,8\nP,9\n")
	at := runs + "/" + run.ID
	for body, pointer := range map[string]string{
		pairing("x", 1): "/items", pairing("x", 1, 2, 3): "/items", pairing("x", 1, 1): "/items/1",
		pairing("x", 0, 9): "/items/0", pairing("x", 1, 5): "/items/1", pairing(" ", 1, 3): "/reason",
		`{"reason":"x"}`: "/items", `{"items":[1,3]}`: "/reason", `{"items":[1,3],"reason":"x","more":1}`: "/more",
		`{"items":["1",3],"reason":"x"}`: "/items/0",
	} {
		for _, action := range []string{":pair", ":unpair"} {
			a := s.Do("POST", at+action, body)
			if a.Status != 400 || !strings.Contains(a.Text, `"pointer":"`+pointer+`"`) {
				t.Errorf("%s %s: %d %s", action, body, a.Status, a.Text)
			}
		}
	}
	for _, two := range [][]int{{items[0].Number, items[1].Number}, {items[2].Number, items[3].Number}} {
		s.Must(409, "POST", at+":pair", pairing("x", two...))
	}
	s.Must(404, "POST", runs+"/"+items[2].LineID+":pair", pairing("x", 1, 3))
}

// TestPairsAtOnce pairs the same record with two rows at once, and accepts an item while it is paired: the record is in
// one pair, and what is decided is not paired.
func TestPairsAtOnce(t *testing.T) {
	_, s, run, items := twoAlone(t, nil, "Policy,Gross\nP,8\nP,9\nP,10\n")
	at, record := runs+"/"+run.ID, items[3].Number
	var group sync.WaitGroup
	var pairs atomic.Int32
	for _, row := range items[:3] {
		group.Go(func() {
			if s.Do("POST", at+":pair", pairing("x", row.Number, record)).Status == 200 {
				pairs.Add(1)
			}
		})
	}
	group.Wait()
	if of, _ := counted(t, s, run.ID); pairs.Load() != 1 || of.Items != 4 {
		t.Errorf("%d pairs: %+v", pairs.Load(), of)
	}
}

// meanwhile is a store that does something once, before a write of a collection.
type meanwhile struct {
	docstore.Store
	before string
	do     atomic.Pointer[func()]
}

func (s *meanwhile) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := s.Store.Collection(ctx, spec)
	if err != nil || spec.Name != s.before {
		return c, err
	}
	return docstore.Decorate(c, func(ctx context.Context, of docstore.Call, do func(context.Context) error) error {
		if of.Operation == "insert" || of.Operation == "replace" {
			if f := s.do.Swap(nil); f != nil {
				(*f)()
			}
		}
		return do(ctx)
	}), nil
}

// TestDecidedWhilePaired accepts an item after :pair has looked at it, and pairs it after :accept has: one of the two
// is refused, and the run counts what it lists.
func TestDecidedWhilePaired(t *testing.T) {
	for before, pairs := range map[string]bool{"reconciliationLedger": false, "reconciliation": true} {
		store := &meanwhile{Store: servicetest.OpenStore(t), before: before}
		_, s, run, items := twoAlone(t, store, "Policy,Gross\nP,8\nP,9\n")
		at := runs + "/" + run.ID
		pair := func() servicetest.Response {
			return s.Do("POST", at+":pair", pairing("x", items[0].Number, items[2].Number))
		}
		accept := func() servicetest.Response {
			return s.Do("POST", fmt.Sprint(at, "/items/", items[0].Number, ":accept"), `{"reason":"x"}`)
		}
		first, second := pair, accept
		if pairs {
			first, second = accept, pair
		}
		var other servicetest.Response
		do := func() { other = second() }
		store.do.Store(&do)
		one := first()
		if one.Status != 409 || other.Status != 200 {
			t.Errorf("before a write of %s: %d and %d: %s", before, one.Status, other.Status, one.Text)
		}
		of, _ := counted(t, s, run.ID)
		if (of.Outcomes[shown.Mismatch] == 1) != pairs {
			t.Errorf("before a write of %s: %+v", before, of)
		}
	}
}
