package rest_test

import (
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
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
	for _, request := range [][3]string{
		{"GET", of, ""}, {"GET", "/parcel", ""}, {"GET", "/x/history" + of, ""}, {"PUT", of, `{"kind":"box"}`},
		{"POST", of + "/scan", ""}, {"GET", "/internal/changes/oldest", ""}, {"GET", "/internal/changes/now", ""},
		{"GET", "/x/asof" + of + "?at=2026-03-01T12:00:00Z", ""}, {"POST", "/depot", `{"town":"Bruges"}`},
	} {
		if a := w.do(500, request[0], request[1], request[2]); a.text("type") != "/problems/internal" {
			t.Errorf("%v: %s", request, a.Body)
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
