package rest_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// signed is the body of a delivery.
const signed = `{"signature":"Bo","tip":1}`

// events returns what happened to the record of a path.
func (w *world) events(path string) []string {
	w.t.Helper()
	var all []string
	history, _ := w.do(200, "GET", "/x/history"+path, "").body["history"].([]any)
	for _, entry := range history {
		event, _ := entry.(map[string]any)["event"].(string)
		all = append(all, event)
	}
	return all
}

func TestAnActionMovesTheState(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	r := w.do(200, "POST", path+":deliver", signed)
	if r.text("state") != "delivered" || r.text("status") != "delivered" || r.Header().Get("ETag") != `"2"` {
		t.Errorf("delivered: %s", r.Body)
	}
	again := w.do(409, "POST", path+":deliver", signed)
	w.wants(again, problem.Transition)
	if again.text("state") != "delivered" {
		t.Errorf("the problem does not name the state: %s", again.Body)
	}
	w.wants(w.do(409, "POST", path+":hold", ""), problem.Transition)
	w.do(200, "POST", path+"/scan", "") // in any state
	if got := w.events(path); !slices.Equal(got, []string{"created", "deliver", "scan"}) {
		t.Errorf("history %q", got)
	}
}

func TestTheBodyOfAnActionIsChecked(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	w.wants(w.do(400, "POST", path+":deliver", ""), problem.Required, "/signature")
	w.wants(w.do(400, "POST", path+":deliver", `{"signature":"","tip":1}`), problem.Required, "/signature")
	for _, unseen := range []string{" ", "\u00a0", "\u200b", `\n`} {
		w.wants(w.do(400, "POST", path+":deliver", `{"signature":"`+unseen+`","tip":1}`), problem.Required, "/signature")
	}
	w.wants(w.do(400, "POST", path+":deliver", `{"signature":"Bo","tip":0}`), badTip, "/tip")
	w.wants(w.do(400, "POST", path+":deliver", `{"signature":7,"tip":1}`), problem.Invalid, "/signature")
	w.wants(w.do(400, "POST", path+":deliver", `[]`), problem.Malformed, "")
	w.do(404, "POST", path+":fly", "")
	w.do(404, "POST", path+"/deliver", "") // it is no sub-resource
	w.do(404, "POST", "/parcel/no-id:deliver", signed)
	if r := w.do(405, "GET", path+":deliver", ""); r.Header().Get("Allow") != "POST" {
		t.Errorf("Allow %q", r.Header().Get("Allow"))
	}
}

func TestAnAmendmentPassesTheChecksOfACreation(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	w.wants(w.do(400, "POST", path+":amend", `{"measures":{"weight":-1}}`), tooLight, "/measures/weight")
	w.wants(w.do(409, "POST", path+":amend", `{"depotId":"`+w.depot("Nowhere")+`"}`), closedDepot, "/depotId")
	w.wants(w.do(409, "POST", path+":amend", `{"id":"7","number":"mine"}`), problem.Issued, "/number", "/id")
	r := w.do(200, "POST", path+":amend", `{"weight":7,"contents":null}`)
	if r.body["weight"] != 7.0 || r.text("contents") != "books" {
		t.Errorf("amended to %s", r.Body)
	}
}

func TestAnActionThatWritesASecondRecord(t *testing.T) {
	w := start(t, nil)
	path := w.parcel(`"label":"L"`)
	w.do(409, "POST", path+":return", "")
	w.do(200, "POST", path+":deliver", signed)
	before := w.do(200, "GET", path, "").Body.String()
	w.wants(w.do(400, "POST", path+":return", `{"weight":0}`), tooLight, "/weight")
	r := w.do(201, "POST", path+":return", `{"contents":"broken","number":"mine"}`)
	if r.text("id") == "" || strings.HasSuffix(path, r.text("id")) || r.text("contents") != "broken" ||
		r.text("state") != "stored" || r.text("number") == "mine" {
		t.Errorf("the second record is %s", r.Body)
	}
	if after := w.do(200, "GET", path, "").Body.String(); after != before {
		t.Errorf("the first record became %s", after)
	}
	w.store.insert = once(errDown, false)
	w.do(503, "POST", path+":return", "")
}

func TestAStateThatTimeMoves(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	if r := w.do(200, "POST", path+":hold", ""); r.text("state") != "held" {
		t.Errorf("held: %s", r.Body)
	}
	w.do(409, "POST", path+":deliver", signed)
	w.pass(time.Hour)
	if r := w.do(200, "GET", path, ""); r.text("state") != "stored" {
		t.Errorf("after its time: %s", r.Body)
	}
	if r := w.do(200, "GET", "/parcel", ""); !strings.Contains(r.Body.String(), `"state":"stored"`) {
		t.Errorf("listed after its time: %s", r.Body)
	}
	w.do(200, "POST", path+":deliver", signed)
}

func TestOneOfManyCallersMakesTheTransition(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	statuses := make([]int, 16)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() { statuses[i] = w.send("POST", path+":deliver", signed).Code })
	}
	all.Wait()
	slices.Sort(statuses)
	if statuses[0] != 200 || statuses[1] != 409 || statuses[15] != 409 {
		t.Errorf("statuses %v, want one 200 and 409 for the others", statuses)
	}
}

func TestAnActionThatCannotBeWrittenChangesNothing(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	w.store.replace = once(errDown, false)
	w.do(503, "POST", path+":deliver", signed)
	if r := w.do(200, "GET", path, ""); r.text("state") != "stored" {
		t.Errorf("after an outage: %s", r.Body)
	}
	// The store wrote, and its result was lost. With the key, the repeated request changes nothing more.
	w.store.replace = once(errDown, true)
	w.do(503, "POST", path+":deliver", signed, "Idempotency-Key", "k")
	r := w.do(200, "POST", path+":deliver", signed, "Idempotency-Key", "k")
	if r.Header().Get("Idempotency-Replayed") != "true" || strings.Count(r.Body.String(), "signed by") != 1 {
		t.Errorf("repeated: %v %s", r.Header(), r.Body)
	}
	var stale docstore.Document
	w.store.replace = func(doc docstore.Document) (error, bool) { stale = doc; return nil, false }
	w.do(200, "POST", path+"/scan", "")
	if stale.Version != 2 {
		t.Errorf("version %d was replaced", stale.Version)
	}
}

func TestAnActionMakesOnlyItsMoves(t *testing.T) {
	applied := 0
	w := start(t, func(r *rest.Resource[*parcel]) {
		r.Actions[0] = rest.Act("deliver", []rest.Move{{From: "stored", To: "delivered"}, {From: "stored", To: "held"}},
			func(_ context.Context, c *rest.Change[*parcel], body *delivery) error {
				applied++
				c.MoveTo(*body.Signature)
				return nil
			})
	})
	path := w.parcel("")
	w.wants(w.do(409, "POST", path+":deliver", `{"signature":"returned"}`), problem.Transition)
	w.do(200, "POST", path+":deliver", `{"signature":"held"}`)
	w.wants(w.do(409, "POST", path+":deliver", `{"signature":"delivered"}`), problem.Transition)
	if applied != 2 {
		t.Errorf("the action ran %d times, also in a state that no move begins with", applied)
	}
}
