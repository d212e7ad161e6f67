package premium

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// TestSumsAreExactBeyond64Bits adds the greatest amounts that a receipt may have.
func TestSumsAreExactBeyond64Bits(t *testing.T) {
	s, e := start(t, servicetest.At(t, "2026-11-21T00:00:00Z"), rules{period: month})
	const greatest = `{"receiptType":"new policy","policyNumber":"P1","paymentAmount":9223372036854775807}`
	first := s.Create("receipt", greatest)
	s.Create("receipt", greatest)
	s.Create("receipt", greatest)
	s.Create("receipt", receiptP1)
	s.Must(400, "POST", "/receipt", strings.Replace(greatest, "807}", "808}", 1))
	deliver(t, e, 1)
	row := s.Must(200, "GET", "/premiumBordereau", "").Text
	if !strings.Contains(row, `"grossWrittenPremium":27670116110564327521,`) {
		t.Fatalf("three times the greatest amount and 100: %s", row)
	}
	// The row can be sent back as it was read, with the members that an admin sets, but not with another sum.
	id := row[strings.Index(row, `"id":"`)+6:][:36]
	sent := strings.Trim(row, "[]")
	a := s.Must(200, "PUT", "/premiumBordereau/"+id, strings.Replace(sent, `{`, `{"netPremium":80,`, 1))
	if !strings.Contains(a.Text, `"grossWrittenPremium":27670116110564327521,`) ||
		!strings.Contains(a.Text, `"netPremium":80`) {
		t.Error(a.Text)
	}
	s.Must(200, "PUT", "/premiumBordereau/"+id, `{"netPremium":80,"grossWrittenPremium":2.7670116110564327521e19}`)
	s.Must(409, "PUT", "/premiumBordereau/"+id,
		strings.Replace(sent, "27670116110564327521", "27670116110564327522", 1))
	// After a refund of the last receipt the sum is exactly what it was before.
	s.Must(201, "POST", "/receipt/"+first+":refund", `{"receiptType":"other"}`)
	deliver(t, e, 1)
	if a := s.Must(200, "GET", "/premiumBordereau/"+id, ""); !strings.Contains(a.Text,
		`"grossWrittenPremium":18446744073709551714,`) {
		t.Error(a.Text)
	}
}

func TestARowOfACallersOwnHoldsASumBeyond64Bits(t *testing.T) {
	s, _ := start(t, nil, rules{})
	for _, sum := range []string{"18446744073709551616", "-18446744073709551616", "1" + strings.Repeat("0", 63)} {
		id := s.Create("premiumBordereau", `{"grossWrittenPremium":`+sum+`}`)
		if a := s.Must(200, "GET", "/premiumBordereau/"+id, ""); !strings.Contains(a.Text,
			`"grossWrittenPremium":`+sum+`}`) {
			t.Errorf("%s came back as %s", sum, a.Text)
		}
	}
	for _, wrong := range []string{"1.5", `"1"`, "1e64"} {
		a := s.Must(400, "POST", "/premiumBordereau", `{"grossWrittenPremium":`+wrong+`}`)
		if !strings.Contains(a.Text, `"pointer":"/grossWrittenPremium"`) {
			t.Error(a.Text)
		}
	}
}
