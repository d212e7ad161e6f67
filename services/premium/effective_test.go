package premium

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// TestWhatAReceiptIsFor records receipts with an effectiveDate: it is returned, and told to who makes bordereaux.
func TestWhatAReceiptIsFor(t *testing.T) {
	s, _ := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"), rules{period: "month"})
	body := func(effective string) string {
		return `{"receiptType":"new policy","policyNumber":"P1","paymentAmount":10,"effectiveDate":` + effective + `}`
	}
	a := s.Must(201, "POST", "/receipt", body(`"2026-04-01"`))
	if a.Member("effectiveDate") != "2026-04-01" || a.Member("receiptDate") != "2026-06-01" {
		t.Error(a.Text)
	}
	s.Must(200, "PUT", "/receipt/"+a.Member("id"), body(`"2026-04-01"`))
	s.Must(409, "PUT", "/receipt/"+a.Member("id"), body(`"2026-04-02"`))
	s.Create("receipt", body("null"))
	page := s.Must(200, "GET", "/internal/receipts/oldest", "")
	if strings.Count(page.Text, `"policyNumber":"P1","effectiveDate":"2026-04-01"`) != 1 ||
		strings.Count(page.Text, "effectiveDate") != 2 {
		t.Error(page.Text)
	}
	for _, wrong := range []string{`"2026-02-30"`, `"2026-04-01T00:00:00Z"`, "7", `["2026-04-01"]`, `""`} {
		a := s.Must(400, "POST", "/receipt", body(wrong))
		if a.Member("type") != "/problems/invalid-field" || !strings.Contains(a.Text, `"pointer":"/effectiveDate"`) {
			t.Errorf("%s is %s", wrong, a.Text)
		}
	}
	if all := s.Must(200, "GET", "/receipt", ""); strings.Count(all.Text, "receiptType") != 2 {
		t.Errorf("something was written: %s", all.Text)
	}
}
