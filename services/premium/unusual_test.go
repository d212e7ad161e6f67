package premium

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/servicetest"
)

// TestWhatIsUnusualAboutAReceipt records receipts that are unusual. Each is made, and says why.
func TestWhatIsUnusualAboutAReceipt(t *testing.T) {
	clock := servicetest.At(t, "2026-06-01T00:00:00Z")
	s, _ := start(t, clock, rules{period: "month"})
	record := func(date, more string) (kinds string) {
		a := s.Must(201, "POST", "/receipt", `{"policyNumber":"P1","receiptDate":"`+date+`"`+more+`}`)
		warnings, _ := a.Body["warnings"].([]any)
		for _, w := range warnings {
			kinds = strings.TrimSpace(kinds + " " + w.(map[string]any)["type"].(string))
		}
		return kinds
	}
	amount := 0
	once := func() string {
		amount++
		return fmt.Sprintf(`,"receiptType":"new policy","paymentAmount":%d`, amount)
	}
	for date, want := range map[string]string{
		"2026-06-01": "", "2026-06-02": "receipt-date", "2025-01-01": "", "2024-12-31": "receipt-date",
	} {
		if got := record(date, once()); got != want {
			t.Errorf("a receipt of %s warns of %q, not %q", date, got, want)
		}
	}
	clock.Pass(2 * time.Minute) // the term is read again
	same := once()
	for i, c := range []struct{ date, more, want string }{
		{"2026-05-01", same, ""}, {"2026-05-01", same, "possible-duplicate"}, {"2026-05-02", same, ""},
		{"2026-05-01", once(), ""}, {"2026-05-01", strings.Replace(same, "new policy", "policy renewal", 1), ""},
	} {
		if got := record(c.date, c.more); got != c.want {
			t.Errorf("receipt %d warns of %q, not %q", i, got, c.want)
		}
	}
}
