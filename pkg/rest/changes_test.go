package rest_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
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
	for _, wrong := range []string{"?limit=0", "?limit=201", "?limit=x", "?limit=1&limit=2", "?after=1", "?%zz",
		"?records=false",
		"?records=", "?records=true&records=true"} {
		w.do(400, "GET", "/internal/changes/oldest"+wrong, "")
	}
}

// recordsAfter returns a page of the log of changes with the records.
func (w *world) recordsAfter(position string, limit int) (page changes.Page) {
	w.t.Helper()
	got := w.do(200, "GET", fmt.Sprintf("/internal/changes/%s?records=true&limit=%d", position, limit), "")
	if err := json.Unmarshal(got.Body.Bytes(), &page); err != nil {
		w.t.Fatal(err)
	}
	return page
}

// TestTheLogOfChangesHasRecordsAsTheyWereWritten reads each version of a record after it was written, and all of them
// from the log afterwards.
func TestTheLogOfChangesHasRecordsAsTheyWereWritten(t *testing.T) {
	w := start(t, nil)
	body := w.body("")
	id := w.do(201, "POST", "/parcel", body).text("id")
	var want []string
	written := func() {
		want = append(want, w.do(200, "GET", "/parcel/"+id, "").Body.String())
	}
	written()
	w.do(200, "PUT", "/parcel/"+id, body[:len(body)-1]+`,"policyNumber":"M-1"}`)
	written()
	w.do(200, "POST", "/parcel/"+id+":deliver", `{"signature":"x","tip":1}`)
	// Of what the service alters, the version that the next event of a caller finds is kept.
	want = append(want, "", "")
	for range 2 {
		record, _, err := w.parcels.Get(request.ForExchange(t.Context()), id)
		if err == nil {
			err = w.parcels.Alter(request.ForExchange(t.Context()), record,
				func(r *rest.Record[*parcel]) (bool, error) {
					r.Value.Scans = append(r.Value.Scans, "altered")
					return true, nil
				})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	written()
	w.do(200, "POST", "/parcel/"+id+":amend", "{}")
	written()

	for limit := range 6 {
		var got []string
		position := changes.Oldest
		for {
			page := w.recordsAfter(position, limit+1)
			if position = string(page.Next); len(page.Changes) == 0 {
				break
			}
			for _, c := range page.Changes {
				if c.Resource == "parcel" {
					got = append(got, string(c.Record))
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d\n got %q\nwant %q", limit+1, got, want)
		}
	}
	for _, c := range w.changesAfter(changes.Oldest, 200).Changes {
		if c.Record != nil {
			t.Errorf("version %d has a record that nobody asks for: %s", c.Version, c.Record)
		}
	}
}

// TestAPageOfLargeRecordsEndsEarly reads records of 2.4 MB together. What a page leaves out is on the next one, and
// was logged at its watermark or later.
func TestAPageOfLargeRecordsEndsEarly(t *testing.T) {
	w := start(t, nil)
	photo := strings.Repeat("x", 60_000)
	var want []string
	for range 40 {
		want = append(want, w.do(201, "POST", "/parcel", w.body(`"photo":"`+photo+`"`)).text("id"))
	}
	var got []string
	var watermark time.Time
	pages := 0
	for position := changes.Oldest; ; pages++ {
		page := w.recordsAfter(position, 200)
		size := 0
		for _, c := range page.Changes {
			if size += len(c.Record); c.Resource == "parcel" {
				got = append(got, c.ID.String())
			}
			if c.Logged.Before(watermark) {
				t.Errorf("version %d of %s was logged at %v, before the watermark %v of a page without it", c.Version,
					c.ID, c.Logged, watermark)
			}
		}
		if size > 1<<20+8*61_000 {
			t.Errorf("a page has records of %d bytes", size)
		}
		if watermark, position = page.Watermark, string(page.Next); len(page.Changes) == 0 {
			break
		}
		last := page.Changes[len(page.Changes)-1]
		if last.Logged.After(watermark) || string(last.Position) != position {
			t.Errorf("a page ends at %v and %q, after %v and %q", watermark, position, last.Logged, last.Position)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d records, want %d: %v", len(got), len(want), got)
	}
	if pages < 2 {
		t.Errorf("there are %d pages", pages)
	}
}
