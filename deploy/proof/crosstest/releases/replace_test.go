package releases_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// unchangeable are the resources whose records never change: a replacement by anything but the same is refused, or
// there is no replacement.
var unchangeable = []string{"receipt", "claimsBordereau"}

// change reads every record, which must be as it was written, and adds a member to each. The history of a changed
// record must tell of both releases' writes.
func (x *exchange) change(t *testing.T, records kept) {
	t.Helper()
	changed := 0
	for path, was := range records {
		resource, _, _ := strings.Cut(path[1:], "/")
		is := x.Read(t, path)
		for _, later := range []string{"recordedAt", "period"} {
			if was[later] == nil {
				is = is.Without(later) // the last release does not return it
			}
		}
		if settled(is) != settled(was) {
			t.Errorf("%s was\n%s\nand is read as\n%s", path, settled(was), settled(is))
			continue
		}
		if slices.Contains(unchangeable, resource) {
			continue
		}
		x.mark(t, path)
		changed++
	}
	t.Logf("%d records read, %d changed", len(records), changed)
}

// settled returns a record as text, without what the aggregation of receipts may change meanwhile.
func settled(r trial.Record) string {
	return fmt.Sprint(map[string]any(r.Without("grossWrittenPremium")))
}

// marked is a member that no resource has, so that a record keeps it as it is sent.
const marked = "rolledBy"

// mark replaces a record by itself with a member more, and reads it again. It repeats what the aggregation of receipts
// interfered with.
func (x *exchange) mark(t *testing.T, path string) {
	t.Helper()
	by := fmt.Sprint("roll ", x.books)
	wait.Until(t, func() error {
		now := x.Get(t, path).Want(t, http.StatusOK)
		a := x.Put(t, path, now.Record(t).With(marked, by), "If-Match", now.Header.Get("ETag"))
		switch {
		case a.Status == http.StatusPreconditionFailed, a.Status == http.StatusConflict &&
			strings.HasPrefix(path, "/premiumBordereau/"):
			return fmt.Errorf("%s has changed meanwhile: %s", path, a.Body)
		case a.Status != http.StatusOK:
			t.Fatalf("%s cannot be changed: %d %s", path, a.Status, a.Body)
		}
		return nil
	})
	if is := x.Read(t, path).Text(marked); is != by {
		t.Errorf("%s was changed to %q and has %q", path, by, is)
	}
	if err := x.wantHistory(t, path); err != nil {
		t.Error(err)
	}
}

// wantHistory returns an error unless the history of a record has its creation and its last change, and the record can
// be read as it was at first.
func (x *exchange) wantHistory(t *testing.T, path string) error {
	t.Helper()
	events, _ := x.Read(t, "/x/history"+path)["history"].([]any)
	if len(events) < 2 {
		return fmt.Errorf("the history of %s has %d events", path, len(events))
	}
	if strings.HasPrefix(path, "/premiumBordereau/") {
		return nil // what a row was before its sum changed is not kept
	}
	first, _ := events[0].(map[string]any)
	at := trial.Record(first).Text("at")
	if at == "" {
		return errors.New("the first event of " + path + " has no instant")
	}
	if before := x.Read(t, "/x/asof"+path+"?at="+at); before.Text(marked) != "" {
		return fmt.Errorf("%s had %q when it was made", path, before.Text(marked))
	}
	return nil
}
