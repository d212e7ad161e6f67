package rest_test

import (
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// TestARequestOfNobodyReachesNoRecord: a router whose guard forgets the caller shows no record, and writes none.
func TestARequestOfNobodyReachesNoRecord(t *testing.T) {
	w := start(t, nil)
	of := w.parcel("")
	before := w.do(200, "GET", of, "").Body.String()
	guarded, forgetful := w.handler, gin.New()
	if err := w.server.Mount(forgetful, func(*gin.Context) {}); err != nil {
		t.Fatal(err)
	}
	w.handler = forgetful
	for _, asked := range [][3]string{
		{"GET", of, ""}, {"GET", "/parcel", ""}, {"GET", "/x/history" + of, ""}, {"PUT", of, `{"kind":"box"}`},
		{"POST", of + "/scan", ""}, {"GET", "/internal/changes/oldest", ""}, {"GET", "/internal/changes/now", ""},
		{"GET", "/x/asof" + of + "?at=2026-03-01T12:00:00Z", ""}, {"POST", "/depot", `{"town":"Bruges"}`},
	} {
		if a := w.do(500, asked[0], asked[1], asked[2]); a.text("type") != "/problems/internal" {
			t.Errorf("%v: %s", asked, a.Body)
		}
	}
	w.handler = guarded
	if after := w.do(200, "GET", of, "").Body.String(); after != before {
		t.Errorf("the record is %s, and was %s", after, before)
	}
	if all := w.do(200, "GET", "/depot", "").Body.String(); strings.Contains(all, "Bruges") {
		t.Errorf("nobody has made a depot: %s", all)
	}
}

// TestOrganisationsShareNothing: one subject of two organisations has two sets of records, keys and unique values.
func TestOrganisationsShareNothing(t *testing.T) {
	w := start(t, nil)
	as := func(name string) {
		who, err := organisation.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		w.caller = request.Caller{Subject: "ada", Issuer: "https://id.example", Organisation: who}
	}
	as("acme")
	body := w.body("")
	path := "/parcel/" + w.do(201, "POST", "/parcel", body, "Idempotency-Key", "one").text("id")
	as("zenith")
	for _, c := range []struct{ method, path, body string }{
		{"GET", path, ""}, {"PUT", path, body}, {"POST", path + ":deliver", signed}, {"GET", "/x/history" + path, ""},
	} {
		w.wants(w.do(404, c.method, c.path, c.body), problem.NotFound)
	}
	if all := w.do(200, "GET", "/parcel", "").Body.String(); all != "[]" {
		t.Errorf("another organisation lists %s", all)
	}
	// A reference to what another organisation has names nothing.
	w.do(404, "POST", "/parcel", body, "Idempotency-Key", "one")
	other := w.do(201, "POST", "/parcel", w.body(""), "Idempotency-Key", "one").text("id")
	if "/parcel/"+other == path {
		t.Errorf("the key of another organisation returns %s", other)
	}
	as("acme")
	if again := w.do(200, "POST", "/parcel", body, "Idempotency-Key", "one").text("id"); "/parcel/"+again != path {
		t.Errorf("the owner's key returns %s, want %s", again, path)
	}
}
