package rest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

func TestAReplacementIsAWholeRecord(t *testing.T) {
	w := start(t, nil)
	path := w.parcel(`"sender":"Bo"`)
	w.wants(w.do(400, "PUT", path, `{}`), problem.Required, "/depotId")
	depot := w.depot("Ghent")
	w.wants(w.do(400, "PUT", path, `{"depot":"`+depot+`","contents":"x"}`), problem.Required, "/weight")
	w.wants(w.do(404, "PUT", path, `{"depot":"no-id","weight":1,"contents":"x"}`), unknownDepot, "/depot")
	// A check that names nothing it depends on runs at every write.
	w.wants(w.do(400, "PUT", path, `{"depot":"`+depot+`","weight":5}`), problem.Invalid, "/contents")
	r := w.do(200, "PUT", path, `{"depot":"`+depot+`","weight":6,"contents":"toys"}`)
	if r.text("contents") != "toys" || r.text("sender") != "Bo" || r.text("state") != "stored" ||
		r.Header().Get("ETag") != `"2"` {
		t.Errorf("replaced by %s %v", r.Body, r.Header())
	}
}

func TestAnUnchangedMemberIsNotCheckedAgain(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	before := w.do(200, "GET", path, "")
	w.loads = 0
	body := `{"depot":"` + before.text("depot") + `","weight":5,"contents":"other"}`
	w.do(200, "PUT", "/depot/"+before.text("depot"), `{"town":"Nowhere"}`) // right when it was written
	w.do(200, "PUT", path, body)
	if w.loads != 0 {
		t.Error("the depot was looked up although it is the same")
	}
	w.wants(w.do(409, "PUT", path, strings.Replace(body, before.text("depot"), w.depot("Nowhere"), 1)),
		closedDepot, "/depot")
}

// TestMembersThatACheckSetsAreInTheHistory replaces a record. One of its checks sets a member.
func TestMembersThatACheckSetsAreInTheHistory(t *testing.T) {
	w := start(t, func(r *rest.Resource[*parcel]) {
		r.Checks = append(r.Checks, rest.Check[*parcel]{
			Name: "label", Refuses: []problem.Kind{problem.Invalid},
			Run: func(_ context.Context, d *rest.Draft[*parcel]) error {
				label := "for " + *d.Value.Contents
				d.Value.Label = &label
				return nil
			},
		})
	})
	path := w.parcel("")
	w.do(200, "PUT", path, strings.Replace(w.body(""), "books", "toys", 1))
	events := w.pages("/x/history" + path)
	if change := events[len(events)-1].Change; change["label"] != "for toys" || change["contents"] != "toys" {
		t.Errorf("the change is %v", change)
	}
}

func TestMembersOfTheExchangeAreProtected(t *testing.T) {
	w := start(t, nil)
	path := w.parcel(`"sender":"Bo"`)
	before := w.do(200, "GET", path, "")
	w.do(200, "POST", path+"/scan", "")
	body := w.body(`"number":"mine","state":"delivered","sender":"Al","scans":["mine"]`)
	w.wants(w.do(409, "PUT", path, body), problem.Issued, "/number", "/state", "/sender")
	r := w.do(200, "PUT", path,
		w.body(`"number":"`+before.text("number")+`","state":"stored","sender":"Bo","scans":["mine"]`))
	if !strings.Contains(r.Body.String(), `"scans":["seen"]`) {
		t.Errorf("a kept member is not as it was: %s", r.Body)
	}
	w.wants(w.do(400, "PUT", path, w.body(`"id":"7"`)), problem.Invalid, "/id")
}

func TestMergeReplacesTheMembersSent(t *testing.T) {
	w := start(t, func(r *rest.Resource[*parcel]) { r.Merge = true })
	path := w.parcel(`"label":"L","size":"small"`)
	r := w.do(200, "PUT", path, `{"size":"large","label":null}`)
	if r.text("size") != "large" || r.text("label") != "L" || r.text("contents") != "books" {
		t.Errorf("merged into %s", r.Body)
	}
	w.wants(w.do(400, "PUT", path, `{"size":"huge"}`), problem.Invalid, "/size")
	// Time has moved the state: a member that the body does not have is not one that the caller changes.
	w.do(200, "POST", path+":hold", "")
	w.pass(2 * time.Hour)
	if r := w.do(200, "PUT", path, `{"size":"small"}`); r.text("state") != "stored" {
		t.Errorf("merged into %s", r.Body)
	}
}

func TestAnImmutableRecordTakesItsOwnContentOnly(t *testing.T) {
	w := start(t, func(r *rest.Resource[*parcel]) {
		r.Immutable = func() error { return problem.New(closedDepot, "") }
	})
	r := w.do(201, "POST", "/parcel", w.body(`"label":"L"`))
	path, same := "/parcel/"+r.text("id"), `{"label":"L","contents":"books","weight":5.0e0,"depot":"`+
		r.text("depot")+`"}`
	if again := w.do(200, "PUT", path, strings.Replace(same, "5.0e0", "5", 1)); again.Header().Get("ETag") != `"1"` {
		t.Errorf("the record was written: %v", again.Header())
	}
	w.wants(w.do(409, "PUT", path, strings.Replace(same, "5.0e0", "6", 1)), closedDepot)
	w.wants(w.do(409, "PUT", path, strings.Replace(same, "5.0e0", `5,"number":"mine"`, 1)), closedDepot)
}

func TestAReplacementIsDecidedAnewWhereSomebodyWasFaster(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	other := w.body(`"size":"large"`)
	first := true
	w.store.replace = func(docstore.Document) (error, bool) {
		if !first {
			return nil, false
		}
		first = false
		w.do(200, "PUT", path, other) // somebody else, between reading and writing
		return nil, false
	}
	r := w.do(200, "PUT", path, w.body(`"size":"small"`))
	if r.text("size") != "small" || r.Header().Get("ETag") != `"3"` {
		t.Errorf("version %s: %s", r.Header().Get("ETag"), r.Body)
	}
	if events := w.events(path); strings.Join(events, " ") != "created replaced replaced" {
		t.Errorf("history %q", events)
	}
	w.store.replace = func(docstore.Document) (error, bool) { return docstore.ErrStale, false }
	w.do(503, "PUT", path, w.body(""))
	w.store.replace = once(errDown, false)
	w.do(503, "PUT", path, w.body(""))
	if r := w.do(200, "GET", path, ""); r.Header().Get("ETag") != `"3"` {
		t.Errorf("a failed replacement wrote version %s", r.Header().Get("ETag"))
	}
}

func TestConditionalRequests(t *testing.T) {
	w := start(t, nil)
	path, body := w.parcel(""), w.body("")
	for tag, status := range map[string]int{`"1"`: 304, `W/"1"`: 304, `"7", W/"1"`: 304, `*`: 304,
		`"2"`: 200, `1`: 200} {
		w.do(status, "GET", path, "", "If-None-Match", tag)
	}
	// If-Match compares strongly: a weak tag equals none.
	for _, tag := range []string{`"2"`, `"7", W/"1"`} {
		w.wants(w.do(412, "PUT", path, body, "If-Match", tag), problem.Changed)
		w.wants(w.do(412, "POST", path+":hold", "", "If-Match", tag), problem.Changed)
	}
	for _, tag := range []string{`W/"1"`, `1`} {
		w.wants(w.do(400, "PUT", path, body, "If-Match", tag), problem.BadHeader, "")
		w.wants(w.do(400, "POST", path+":hold", "", "If-Match", tag), problem.BadHeader, "")
	}
	w.do(200, "PUT", path, body, "If-Match", `"7", "1"`)
	w.do(412, "PUT", path, body, "If-Match", `"1"`)
	w.do(200, "PUT", path, body, "If-Match", `*`)
	// A state that time moves changes the tag.
	held := w.do(200, "POST", path+":hold", "").Header().Get("ETag")
	w.do(200, "PUT", path, body, "If-Match", held)
	held = w.do(200, "GET", path, "").Header().Get("ETag")
	w.pass(2 * time.Hour)
	w.do(412, "PUT", path, body, "If-Match", held)
	w.do(200, "GET", path, "", "If-None-Match", held)
}
