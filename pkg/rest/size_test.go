package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
)

// list returns a JSON list of a number of strings of a KiB each.
func list(length int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("z", 1<<10)+`",`, length), ",") + "]"
}

// limit makes the store refuse documents of more than a number of bytes, so that a test need not fill docstore.MaxSize.
func (w *world) limit(bytes int) {
	refuse := func(doc docstore.Document) (error, bool) {
		if len(doc.Body)+len(doc.State) > bytes {
			return docstore.ErrTooLarge, false
		}
		return nil, false
	}
	w.store.insert, w.store.replace = refuse, refuse
}

func TestARecordHasAGreatestSize(t *testing.T) {
	w := start(t, nil)
	tooLarge := w.body(`"more":[` + strings.TrimSuffix(strings.Repeat(list(900)+",", 10), ",") + `]`)
	w.wants(w.do(413, "POST", "/parcel", tooLarge), problem.RecordTooLarge)

	path := w.parcel("")
	w.limit(16 << 10)
	w.wants(w.do(413, "PUT", path, w.body(`"more":`+list(20))), problem.RecordTooLarge)
	// The body of an action is kept with the record that it leads to.
	w.wants(w.do(413, "POST", path+":amend", `{"more":`+list(10)+`}`), problem.RecordTooLarge)
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
	w.limit(100 << 10)
	for i := range 46 {
		w.do(200, "PUT", path, w.body(fmt.Sprintf(`"turn":%d,"more":%s`, i, list(30))))
	}
	if events := w.pages("/x/history" + path); len(events) != 47 {
		t.Errorf("%d events", len(events))
	}
}
