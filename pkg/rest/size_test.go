package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/problem"
)

// list returns a JSON list of about a number of bytes.
func list(size int) string {
	const one = 50 << 10
	return "[" + strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("z", one)+`",`, size/one), ",") + "]"
}

func TestARecordHasAGreatestSize(t *testing.T) {
	w := start(t, nil)
	large := func(size int) string {
		return w.body(`"more":[` + strings.TrimSuffix(strings.Repeat(list(900<<10)+",", size), ",") + `]`)
	}
	w.wants(w.do(413, "POST", "/parcel", large(10)), problem.RecordTooLarge)
	path := w.parcel("")
	w.wants(w.do(413, "PUT", path, large(10)), problem.RecordTooLarge)
	// The body of an action is kept with the record that it leads to.
	w.wants(w.do(413, "POST", path+":amend", `{"more":`+list(5<<20)+`}`), problem.RecordTooLarge)
	if r := w.do(200, "GET", path, ""); r.Header().Get("ETag") != `"1"` {
		t.Errorf("the record was written: %v", r.Header())
	}
	w.numbered(w.pages("/x/history"+path), "created")
	w.do(200, "PUT", path, w.body(""))
}

// TestALargeRecordIsReplacedAgainAndAgain stays far below the size at which a record is refused, and far above it in sum.
func TestALargeRecordIsReplacedAgainAndAgain(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	for i := range 46 {
		w.do(200, "PUT", path, w.body(fmt.Sprintf(`"turn":%d,"more":%s`, i, list(360<<10))))
	}
	if events := w.pages("/x/history" + path); len(events) != 47 {
		t.Errorf("%d events", len(events))
	}
}
