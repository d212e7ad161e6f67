package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/problem"
)

// list returns a JSON list of a number of strings of a KiB each.
func list(length int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("z", 1<<10)+`",`, length), ",") + "]"
}

func TestARecordHasAGreatestSize(t *testing.T) {
	w := start(t, nil)
	w.do(201, "POST", "/parcel", w.body(`"more":[`+strings.Repeat(list(500)+",", 3)+`[]]`))
	r := w.do(413, "POST", "/parcel", w.body(`"more":[`+strings.Repeat(list(500)+",", 4)+list(100)+`]`))
	if w.wants(r, problem.RecordTooLarge); !strings.Contains(r.Body.String(), "larger than 2097152 bytes") {
		t.Errorf("the response does not name the bound: %s", r.Body)
	}

	path := w.parcel("")
	w.server.LargestRecord = 16 << 10
	w.wants(w.do(413, "PUT", path, w.body(`"more":`+list(20))), problem.RecordTooLarge)
	w.do(200, "PUT", path, w.body(`"more":`+list(10)))
	w.wants(w.do(413, "POST", path+":amend", `{"others":`+list(10)+`}`), problem.RecordTooLarge)
	if r = w.do(200, "GET", path, ""); r.Header().Get("ETag") != `"2"` {
		t.Errorf("the record was written: %v", r.Header())
	}
	w.numbered(w.pages("/x/history"+path), "created", "replaced")
	w.do(200, "PUT", path, w.body(""))
}

// TestALargeRecordIsReplacedAgainAndAgain stays far below the size at which a record is refused, and far above it in
// sum.
func TestALargeRecordIsReplacedAgainAndAgain(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	w.server.LargestRecord = 100 << 10
	for i := range 46 {
		w.do(200, "PUT", path, w.body(fmt.Sprintf(`"turn":%d,"more":%s`, i, list(30))))
	}
	if events := w.pages("/x/history" + path); len(events) != 47 {
		t.Errorf("%d events", len(events))
	}
}
