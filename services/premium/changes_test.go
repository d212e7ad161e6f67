package premium

import (
	"encoding/json"
	"slices"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/servicetest"
)

// TestChangesOfRowsAreLogged: the service itself makes and alters rows, and keeps nothing of what they were.
func TestChangesOfRowsAreLogged(t *testing.T) {
	s, e := start(t, servicetest.At(t, "2026-11-21T00:00:00Z"), rules{period: month})
	receipt := s.Create("receipt", receiptP1)
	deliver(t, e, 1)
	s.Create("receipt", receiptP1)
	deliver(t, e, 1)
	s.Must(201, "POST", "/receipt/"+receipt+":refund", `{"receiptType":"other"}`)
	var page internalapi.Changes
	text := s.Must(200, "GET", internalapi.ChangesPath+"oldest", "").Text
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, change := range page.Changes {
		types = append(types, change.Resource+" "+change.Type)
		if change.PolicyNumber != "P1" {
			t.Errorf("%+v", change)
		}
	}
	// A refund is another receipt; the first one stays as it is.
	want := []string{
		"receipt created", "premiumBordereau created", "receipt created", "premiumBordereau altered",
		"receipt refunded",
	}
	if types = slices.Compact(types); !slices.Equal(types, want) {
		t.Errorf("%q, want %q", types, want)
	}
}
