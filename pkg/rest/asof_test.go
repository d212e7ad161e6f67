package rest_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/problem"
)

// asOf returns the path of a record at an instant.
func asOf(path string, at time.Time) string {
	return "/x/asof" + path + "?at=" + url.QueryEscape(at.Format(time.RFC3339Nano))
}

func TestARecordIsReadAsItWas(t *testing.T) {
	w := start(t, nil)
	began := w.now
	w.pass(time.Hour)
	body := w.body("")
	made := w.do(201, "POST", "/parcel", body)
	path := "/parcel/" + made.text("id")
	// Each change comes a minute after the one before, but the second and third, which share their instant.
	versions := map[time.Time]string{}
	note := func() { versions[w.now] = w.do(200, "GET", path, "").Body.String() }
	note()
	for i := range 20 {
		if i != 2 {
			w.pass(time.Minute)
		}
		if i%3 == 0 {
			w.do(200, "PUT", path, body[:len(body)-1]+fmt.Sprintf(`,"note":%d}`, i))
		} else {
			w.do(200, "POST", path+"/scan", "")
		}
		note()
	}
	w.pass(time.Minute)
	for at, want := range versions {
		for _, later := range []time.Duration{0, time.Nanosecond, time.Minute - time.Nanosecond} {
			if got := w.do(200, "GET", asOf(path, at.Add(later)), "").Body.String(); got != want {
				t.Errorf("at %v\n got %s\nwant %s", at.Add(later), got, want)
			}
		}
	}
	// Other services read several at once, with the number of the version.
	id, first := made.text("id"), versions[began.Add(time.Hour)]
	lookUp := func(at time.Time) string {
		instant := url.QueryEscape(at.Format(time.RFC3339Nano))
		return w.do(200, "GET", "/internal/records-at/"+id+","+anID(1)+"?at="+instant, "").Body.String()
	}
	want := `{"records":[{"name":"` + id + `","resource":"parcel","id":"` + id + `","version":1,"record":` + first +
		`}],"looked":2}`
	if got := lookUp(began.Add(time.Hour)); got != want {
		t.Errorf("the look-up at the creation\n got %s\nwant %s", got, want)
	}
	for at, version := range map[time.Time]string{
		w.now: `"version":21,`, w.now.Add(time.Hour): `"version":21,`, began: `{"records":[],"looked":2}`,
		began.Add(time.Hour + time.Minute): `"version":2,`,
	} {
		if got := lookUp(at); !strings.Contains(got, version) {
			t.Errorf("the look-up at %v returns %s, without %s", at, got, version)
		}
	}
	for _, wrong := range []string{"", "?at=", "?at=yesterday", "?at=2026-03-01T13:00:00Z&limit=1"} {
		w.do(400, "GET", "/internal/records-at/"+id+wrong, "")
	}
	zone := time.FixedZone("", 3600)
	if got := w.do(200, "GET", asOf(path, began.Add(time.Hour).In(zone)), "").
		Body.String(); got != versions[began.Add(time.Hour)] {
		t.Errorf("at an instant with an offset: %s", got)
	}
	for _, before := range []time.Time{began, began.Add(time.Hour - time.Nanosecond), {}} {
		w.wants(w.do(404, "GET", asOf(path, before), ""), problem.NotFound)
	}
	w.do(400, "GET", asOf(path, w.now.Add(time.Second)), "")
	for _, wrong := range []string{"", "?at=", "?at=yesterday", "?at=2026-03-01",
		"?at=2026-03-01T13:00:00Z&at=2026-03-01T13:00:00Z", "?at=2026-03-01T13:00:00Z&limit=1"} {
		w.do(400, "GET", "/x/asof"+path+wrong, "")
	}
	w.do(404, "GET", asOf("/parcel/no-id", began), "")
	w.do(404, "GET", asOf("/depot/"+made.text("id"), w.now), "") // a record of another resource
	w.do(405, "POST", asOf(path, w.now), "")
}

func TestATimedStateIsReadAsItWas(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	made := w.now
	w.do(200, "POST", path+":hold", "")
	w.pass(10 * time.Minute)
	w.do(200, "POST", path+"/scan", "") // it leaves the state as it is
	w.pass(2 * time.Hour)
	w.do(200, "POST", path+":deliver", signed)
	w.pass(time.Hour)
	for after, want := range map[time.Duration]string{
		0: "held", 10 * time.Minute: "held", time.Hour - 1: "held", time.Hour: "stored",
		2*time.Hour + 10*time.Minute - 1: "stored",
		2*time.Hour + 10*time.Minute:     "delivered",
	} {
		if r := w.do(200, "GET", asOf(path, made.Add(after)), ""); r.text("state") != want {
			t.Errorf("after %v: %s, want %s", after, r.text("state"), want)
		}
	}
}

func TestEventsAreInOrderWhateverTheClockSays(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	made := w.now
	w.pass(-time.Hour)
	w.do(200, "POST", path+"/scan", "")
	w.pass(2 * time.Hour)
	if events := w.pages("/x/history" + path); len(events) != 2 || events[1].At.Before(made) {
		t.Errorf("events %+v", events)
	}
	if r := w.do(200, "GET", asOf(path, made), ""); !strings.Contains(r.Body.String(), `"scans":["seen"]`) {
		t.Errorf("as it was when it was scanned: %s", r.Body)
	}
}
