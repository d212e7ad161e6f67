package rest_test

import (
	"path"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// alter has the service itself change a parcel.
func (w *world) alter(of string, change func(*parcel)) {
	w.t.Helper()
	record, found, err := w.parcels.Get(request.ForExchange(w.t.Context()), path.Base(of))
	if err == nil && found {
		err = w.parcels.Alter(request.ForExchange(w.t.Context()), record, func(r *rest.Record[*parcel]) (bool, error) {
			change(r.Value)
			return true, nil
		})
	}
	if err != nil || !found {
		w.t.Fatalf("alter %s: found %v, %v", of, found, err)
	}
}

// TestAlterRunsAgainOnAChangedRecord: a caller changes the parcel while the service does. Neither change is lost.
func TestAlterRunsAgainOnAChangedRecord(t *testing.T) {
	w := start(t, nil)
	of, runs := w.parcel(""), 0
	w.alter(of, func(p *parcel) {
		if runs++; runs == 1 {
			w.do(200, "POST", of+"/scan", "")
		}
		p.Scans = append(p.Scans, "altered")
	})
	if r := w.do(200, "GET", of, ""); runs != 2 || !strings.Contains(r.Body.String(), `["seen","altered"]`) {
		t.Errorf("after %d runs: %s", runs, r.Body)
	}
}
