package rest_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/changes"
)

// changesAfter returns a page of the log of changes.
func (w *world) changesAfter(position string, limit int) (page changes.Page) {
	w.t.Helper()
	got := w.do(200, "GET", fmt.Sprintf("/internal/changes/%s?limit=%d", position, limit), "")
	if err := json.Unmarshal(got.Body.Bytes(), &page); err != nil {
		w.t.Fatal(err)
	}
	return page
}

func TestTheLogOfChangesSaysWhatHappened(t *testing.T) {
	w := start(t, nil)
	var want []changes.Change
	note := func(resource string, version int64, what, status string) {
		want = append(want,
			changes.Change{Resource: resource, Version: version, Type: what, Time: w.now, Status: status})
		if got := w.changesAfter("now", 1); len(got.Changes) > 0 {
			t.Errorf("after the end: %v", got)
		}
		w.pass(time.Minute)
	}
	body := w.body("")
	note("depot", 1, "created", "")
	made := w.do(201, "POST", "/parcel", body)
	id := made.text("id")
	note("parcel", 1, "created", "stored")
	w.do(200, "PUT", "/parcel/"+id, body[:len(body)-1]+`,"policyNumber":"M-1"}`)
	note("parcel", 2, "replaced", "stored")
	w.do(200, "POST", "/parcel/"+id+":deliver", `{"signature":"x","tip":1}`)
	note("parcel", 3, "delivered", "delivered")
	ctx := request.ForExchange(t.Context())
	for version := range int64(2) {
		record, _, err := w.parcels.Get(ctx, id)
		if err == nil {
			err = w.parcels.Alter(ctx, record, func(*rest.Record[*parcel]) (bool, error) { return true, nil })
		}
		if err != nil {
			t.Fatal(err)
		}
		note("parcel", 4+version, "altered", "delivered")
	}
	w.do(200, "POST", "/parcel/"+id+":amend", "{}")
	note("parcel", 6, "amended", "delivered")
	// What an action makes of a record begins with that action, and goes on as any other.
	returned := w.do(201, "POST", "/parcel/"+id+":return", `{"policyNumber":"M-1"}`).text("id")
	note("parcel", 1, "returned", "stored")
	w.do(200, "POST", "/parcel/"+returned+":amend", "{}")
	note("parcel", 2, "amended", "stored")

	position := changes.Oldest
	var all []changes.Change
	for {
		page := w.changesAfter(position, 2)
		if position = string(page.Next); len(page.Changes) == 0 {
			break
		}
		all = append(all, page.Changes...)
	}
	if len(all) != len(want) {
		t.Fatalf("%d entries, want %d: %+v", len(all), len(want), all)
	}
	for i, got := range all {
		exact := got.Time.Equal(want[i].Time)
		if i == 4 { // not kept, so that only the store knows when it was
			exact = got.Time.Equal(got.Logged)
		}
		if got.Resource != want[i].Resource || got.Version != want[i].Version || got.Type != want[i].Type || !exact ||
			got.Status != want[i].Status {
			t.Errorf("entry %d\n got %+v\nwant %+v", i, got, want[i])
		}
		if numbered := got.PolicyNumber == "M-1"; numbered != (got.Resource == "parcel") {
			t.Errorf("entry %d has the policy number %q", i, got.PolicyNumber)
		}
	}
	again := w.changesAfter(string(all[2].Position), 200)
	if len(again.Changes) != len(all)-3 || !reflect.DeepEqual(again.Changes[0], all[3]) {
		t.Errorf("after entry 2: %+v", again.Changes)
	}
}

func TestTheLogOfChangesRefusesWhatItDoesNotKnow(t *testing.T) {
	w := start(t, nil)
	w.wants(w.do(404, "GET", "/internal/changes/elsewhere", ""), problem.NotFound)
	for _, wrong := range []string{"?limit=0", "?limit=201", "?limit=x", "?limit=1&limit=2", "?after=1", "?%zz"} {
		w.do(400, "GET", "/internal/changes/oldest"+wrong, "")
	}
}
