package desk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	shown "insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/servicetest"
)

// decidedOf decides about the items that a filter selects, and returns how many there were.
func decidedOf(t *testing.T, s *servicetest.Service, run, action, where string) shown.RunDecided {
	t.Helper()
	var of shown.RunDecided
	read(t, s.Must(200, "POST", runs+"/"+run+":"+action, `{"where":`+where+`,"reason":"agreed"}`, caller, "ann"), &of)
	return of
}

// TestDecidedInBulk accepts and disputes the items that a filter selects: those that nobody has decided on, unless it
// says otherwise.
func TestDecidedInBulk(t *testing.T) {
	_, s, run, items := twoAlone(t, nil, "Policy,Gross\nP,250.00\nQ,1\nQ,2\nR,3\nR,x\n")
	number := map[string]int{}
	for _, item := range items {
		number[item.Outcome+" "+fmt.Sprint(item.Row)] = item.Number
	}
	s.Must(200, "POST", fmt.Sprint(runs, "/", run.ID, "/items/", number["missingHere 3"], ":dispute"), `{"reason":"x"}`)
	for _, of := range []struct {
		action, where string
		decided       int
	}{
		{"accept", `{"policyNumber":"R","outcome":"missingHere"}`, 1},
		{"accept", `{"policyNumber":"R","outcome":"missingHere"}`, 0}, // it was sent again
		{"accept", `{"policyNumber":"NOBODY"}`, 0},
		{"accept", `{"outcome":"missingHere"}`, 1}, // one is disputed, and one accepted
		{"accept", `{"outcome":"missingHere","decision":"disputed"}`, 1},
		{"accept", `{"month":"2026-10"}`, 0},
		{"dispute", `{"outcome":"matched"}`, 1},
		{"dispute", `{"month":"2026-11"}`, 1}, // the record that is missing there
		{"accept", `{"policyNumber":"P"}`, 0}, // what is matched is not accepted, and the other is disputed
		{"dispute", `{"policyNumber":"Q","decision":"accepted"}`, 2},
	} {
		if got := decidedOf(t, s, run.ID, of.action, of.where); got.Decided != of.decided || got.More {
			t.Errorf("%s %s: %+v, not %d", of.action, of.where, got, of.decided)
		}
	}
	after, items := counted(t, s, run.ID)
	if after.Decisions[shown.Accepted] != 1 || after.Decisions[shown.Disputed] != 4 {
		t.Errorf("%+v", after)
	}
	for _, item := range items {
		if item.Decision != "" && (item.DecidedBy != "ann" || item.Reason != "agreed") {
			t.Errorf("%+v", item)
		}
	}
	for decision, want := range map[string]int{shown.Accepted: 1, shown.Disputed: 4} {
		at, next, found := 0, "0", 0
		for next != "" {
			page := s.Must(200, "GET", fmt.Sprint(runs, "/", run.ID, "/items?decision=", decision, "&limit=2&skip=",
				next), "")
			var of shown.RunItems
			read(t, page, &of)
			for _, item := range of.Items {
				if item.Decision != decision || item.Number == at {
					t.Errorf("among %s, after %d: %+v", decision, at, item)
				}
				at = item.Number
			}
			found, next = found+len(of.Items), ""
			if of.Next > 0 {
				next = fmt.Sprint(of.Next)
			}
		}
		if found != want {
			t.Errorf("%d are listed as %s, not %d", found, decision, want)
		}
	}
	s.Must(400, "GET", runs+"/"+run.ID+"/items?decision=unmatched", "")
	file := s.Must(200, "GET", runs+"/"+run.ID+"/items?decision=accepted", "", "Accept", "text/csv").Text
	if strings.Contains(file, "disputed") || strings.Count(file, "accepted") != 1 {
		t.Errorf("the file of what is accepted: %s", file)
	}
	for body, pointer := range map[string]string{
		`{"where":{},"reason":"x"}`: "/where", `{"reason":"x"}`: "/where",
		`{"where":{"outcome":"x"},"reason":"x"}`:                              "/where/outcome",
		`{"where":{"outcome":"matched"},"reason":"x"}`:                        "/where/outcome",
		`{"where":{"month":"2026-13"},"reason":"x"}`:                          "/where/month",
		`{"where":{"outcome":"mismatch","decision":"accepted"},"reason":"x"}`: "/where/decision",
		`{"where":{"outcome":"mismatch"}}`:                                    "/reason",
		`{"where":{"row":1},"reason":"x"}`:                                    "/where/row",
	} {
		a := s.Do("POST", runs+"/"+run.ID+":accept", body)
		if a.Status != 400 || !strings.Contains(a.Text, `"pointer":"`+pointer+`"`) {
			t.Errorf("%s: %d %s", body, a.Status, a.Text)
		}
	}
	s.Must(404, "POST", runs+"/"+items[0].LineID+"0:accept", `{"where":{"outcome":"mismatch"},"reason":"x"}`)
}

// failing is a store that fails in an operation of the collection of decisions and statements, after some others.
type failing struct {
	docstore.Store
	operation string
	left      atomic.Int32
}

func (s *failing) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := s.Store.Collection(ctx, spec)
	if err != nil || spec.Name != "reconciliation" {
		return c, err
	}
	return docstore.Decorate(c, func(ctx context.Context, of docstore.Call, do func(context.Context) error) error {
		if of.Operation == s.operation && s.left.Add(-1) == 0 {
			return errors.Join(docstore.ErrUnavailable, errors.New("the disk is full"))
		}
		return do(ctx)
	}), nil
}

// TestManyAreDecidedInParts accepts more items than a request decides on, in a store that fails between: the requests
// that are sent again go on, and each item is decided on once.
func TestManyAreDecidedInParts(t *testing.T) {
	if testing.Short() {
		t.Skip("each of ten thousand decisions is a write")
	}
	const rows = 10_003
	var file strings.Builder
	for i := range rows {
		fmt.Fprintf(&file, "Q-%d,1\n", i)
	}
	store := &failing{Store: servicetest.OpenStore(t), operation: "insert"}
	_, s, run, _ := twoAlone(t, store, "Policy,Gross\nP,100\nP,250\n"+file.String())
	store.left.Store(3)
	path, body := runs+"/"+run.ID+":accept", `{"where":{"outcome":"missingHere"},"reason":"agreed"}`
	s.Must(503, "POST", path, body)
	var of shown.Run
	read(t, s.Must(200, "GET", runs+"/"+run.ID, ""), &of)
	if of.Decisions[shown.Accepted] != 2 || of.State != "open" {
		t.Errorf("%+v", of)
	}
	if got := decidedOf(t, s, run.ID, "accept", `{"outcome":"missingHere","policyNumber":"Q-0"}`); got.Decided != 0 {
		t.Errorf("an item is decided on again: %+v", got)
	}
	all := 2
	for _, more := range []bool{true, false} {
		got := decidedOf(t, s, run.ID, "accept", `{"outcome":"missingHere"}`)
		if all += got.Decided; got.More != more {
			t.Errorf("%+v", got)
		}
	}
	read(t, s.Must(200, "GET", runs+"/"+run.ID, ""), &of)
	if all != rows || of.Decisions[shown.Accepted] != rows || of.State != "settled" {
		t.Errorf("%d: %+v", all, of)
	}
}
