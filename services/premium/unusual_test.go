package premium

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/servicetest"
)

// TestWhatIsUnusualAboutAReceipt records receipts that are unusual. Each is made, and says why. No refund repeats what
// it gives back or another refund, and no receipt repeats a refund.
func TestWhatIsUnusualAboutAReceipt(t *testing.T) {
	clock := servicetest.At(t, "2026-06-01T00:00:00Z")
	s, _ := start(t, clock, rules{period: "month"})
	kindsOf := func(a servicetest.Response) (kinds string) {
		warnings, _ := a.Body["warnings"].([]any)
		for _, w := range warnings {
			kinds = strings.TrimSpace(kinds + " " + w.(map[string]any)["type"].(string))
		}
		return kinds
	}
	record := func(date, more string) string {
		return kindsOf(s.Must(201, "POST", "/receipt", `{"policyNumber":"P1","receiptDate":"`+date+`"`+more+`}`))
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
	received := func(amount int, date string) string {
		return fmt.Sprintf(`{"policyNumber":"P1","receiptType":"new policy","paymentAmount":%d,"receiptDate":%q}`,
			amount, date)
	}
	const today = "2026-06-01"
	for _, parts := range [][]string{{""}, {`,"paymentAmount":250`, `,"paymentAmount":250`}} {
		amount++
		original := s.Must(201, "POST", "/receipt", received(500+amount, today)).Member("id")
		for _, part := range parts {
			refund := s.Must(201, "POST", "/receipt/"+original+":refund", `{"receiptType":"new policy"`+part+`}`)
			if got := kindsOf(refund); got != "" || refund.Body["receiptDate"] != today {
				t.Errorf("the refund %s warns of %q", refund.Text, got)
			}
		}
	}
	if got := kindsOf(s.Must(201, "POST", "/receipt", received(250, today))); got != "" {
		t.Errorf("a receipt warns of a refund: %q", got)
	}
}
