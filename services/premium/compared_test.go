package premium

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/servicetest"
)

// asked returns the text of the response to one of the operations by which the desk compares.
func asked(s *servicetest.Service, path string, at time.Time, names ...string) string {
	return s.Must(200, "GET", path+strings.Join(names, ",")+"?"+
		url.Values{"at": {at.UTC().Format(time.RFC3339Nano)}}.Encode(), "").Text
}

// TestPremiumToDate records receipts of two policies and types for months, some refunded, with a month or a quarter as
// the period of rows. At every instant the sums are those of the receipts until then.
func TestPremiumToDate(t *testing.T) {
	for _, length := range []period{month, quarter} {
		t.Run(string(length), func(t *testing.T) {
			clock := servicetest.At(t, "2026-01-21T00:00:00Z")
			s, e := start(t, clock, rules{period: length, refundReceiptType: "other"})
			// A row of a caller is the sum of no receipts.
			s.Create("premiumBordereau", `{"policyNumber":"P1","transactionType":"new policy","grossWrittenPremium":7}`)
			type moment struct {
				at   time.Time
				sums map[string]int64
			}
			var moments []moment
			sums := map[string]int64{}
			for i := range 40 {
				clock.Pass(time.Duration(40+i) * time.Hour)
				policy, of := "P"+fmt.Sprint(1+i%2), []string{"new policy", "mid term adjustment", "claim payment"}[i%3]
				id := s.Create("receipt", fmt.Sprintf(`{"receiptType":%q,"policyNumber":%q,"paymentAmount":%d}`, of,
					policy, i+1))
				sums[policy+of] += int64(i + 1)
				if i%5 == 4 {
					s.Must(201, "POST", "/receipt/"+id+":refund", "")
					sums[policy+of] -= int64(i + 1)
				}
				is := map[string]int64{}
				for key, sum := range sums {
					if sum != 0 {
						is[key] = sum
					}
				}
				moments = append(moments, moment{clock.Now(), is})
			}
			deliver(t, e, 1)
			for _, m := range append(moments, moment{clock.Now().AddDate(1, 0, 0), moments[39].sums}) {
				var found internalapi.PremiumToDate
				text := asked(s, internalapi.ToDatePath, m.at, "P1", "P3", "P2")
				if err := json.Unmarshal([]byte(text), &found); err != nil {
					t.Fatal(err)
				}
				got := map[string]int64{}
				for _, sum := range found.Sums {
					var of int64
					if _, err := fmt.Sscan(string(sum.Gross), &of); err != nil {
						t.Fatal(err)
					}
					if of != 0 {
						got[sum.PolicyNumber+sum.TransactionType] = of
					}
				}
				if fmt.Sprint(got) != fmt.Sprint(m.sums) {
					t.Errorf("at %s: %v, want %v", m.at, got, m.sums)
				}
			}
		})
	}
}

// TestClaimPayments: receipts of the type claim payment that name the claim count, and what reverses them, whatever its
// type is. Others do not, nor does what came later.
func TestClaimPayments(t *testing.T) {
	clock := servicetest.At(t, "2026-01-21T00:00:00Z")
	s, _ := start(t, clock, rules{refundReceiptType: "other"})
	pay := func(body string, amount int) string {
		clock.Pass(time.Hour)
		return s.Create("receipt", fmt.Sprintf(`{"paymentAmount":%d,"policyNumber":"P1",%s}`, amount, body))
	}
	refund := func(id string) {
		clock.Pass(time.Hour)
		s.Must(201, "POST", "/receipt/"+id+":refund", "")
	}
	is := func(want string) {
		t.Helper()
		if got := asked(s, internalapi.ClaimPaymentsPath, clock.Now(), "C1", "C2"); got != `{"claims":[`+want+`]}` {
			t.Error(got)
		}
	}
	before := clock.Now()
	is("")
	refund(pay(`"receiptType":"new policy","claimNumber":"C1"`, 1))
	pay(`"receiptType":"claim payment"`, 2)
	is("")
	first := pay(`"receiptType":"claim payment","claimNumber":"C1"`, 30)
	between := clock.Now()
	is(`{"claimNumber":"C1","paid":30}`)
	pay(`"receiptType":"claim payment","claimNumber":"C1"`, 400)
	is(`{"claimNumber":"C1","paid":430}`)
	refund(first)
	is(`{"claimNumber":"C1","paid":400}`)
	for range pageLength {
		pay(`"receiptType":"claim payment","claimNumber":"C1"`, 1)
	}
	is(fmt.Sprintf(`{"claimNumber":"C1","paid":%d}`, 400+pageLength))
	got := asked(s, internalapi.ClaimPaymentsPath, between, "C1") +
		asked(s, internalapi.ClaimPaymentsPath, before, "C1")
	if got != `{"claims":[{"claimNumber":"C1","paid":30}]}{"claims":[]}` {
		t.Error(got)
	}
}

// TestWhatIsNotAggregated reads receipts that are in no row: they are reported, and there is nothing to compare with.
func TestWhatIsNotAggregated(t *testing.T) {
	clock := servicetest.At(t, "2026-01-21T00:00:00Z")
	s, _ := start(t, clock, rules{})
	id := s.Create("receipt", receiptP1)
	if a := s.Must(200, "GET", internalapi.ReceiptsPath+internalapi.Oldest, ""); !strings.Contains(a.Text, id) {
		t.Error(a.Text)
	}
	if got := asked(s, internalapi.ToDatePath, clock.Now(), "P1"); got != `{"sums":[]}` {
		t.Error(got)
	}
	if a := s.Must(200, "GET", internalapi.StatedPath+id, ""); a.Text != `{"rows":[]}` {
		t.Error(a.Text)
	}
}

// TestStatedPremium: of the rows in which receipts count, those are returned of which an admin has set the netPremium.
func TestStatedPremium(t *testing.T) {
	s, e := start(t, servicetest.At(t, "2026-01-21T00:00:00Z"), rules{period: month, refundReceiptType: "other"})
	one, two := s.Create("receipt", receiptP1), s.Create("receipt", strings.Replace(receiptP1, "P1", "P2", 1))
	refund := s.Must(201, "POST", "/receipt/"+one+":refund", "").Member("id")
	is := func(want string) {
		t.Helper()
		names := strings.Join([]string{one, refund, two, "x", "01930000-0000-7000-8000-000000000001"}, ",")
		if got := s.Must(200, "GET", internalapi.StatedPath+names, "").Text; got != `{"rows":[`+want+`]}` {
			t.Error(got)
		}
	}
	is("")
	deliver(t, e, 1)
	is("")
	s.Must(200, "PUT", "/premiumBordereau/"+rowsOf(t, s, "?policyNumber=P1")[0].ID, `{"netPremium":-3}`)
	is(`{"period":"2026-01","policyNumber":"P1","transactionType":"new policy","grossWrittenPremium":0,` +
		`"netPremium":-3}`)
}

// TestComparedRefuses asks for more names than one request may have, and at no instant or one that cannot be read.
func TestComparedRefuses(t *testing.T) {
	s, _ := start(t, servicetest.At(t, "2026-01-21T00:00:00Z"), rules{})
	const at = "?at=2026-01-01T00:00:00Z"
	tooMany := strings.Repeat("a,", 200) + "a"
	for _, path := range []string{
		internalapi.StatedPath + tooMany, internalapi.ToDatePath + tooMany + at,
		internalapi.ClaimPaymentsPath + tooMany + at,
		internalapi.ToDatePath + "P1", internalapi.ClaimPaymentsPath + "C1?at=now",
		internalapi.ToDatePath + "P1" + at + "&x=1",
	} {
		if a := s.Must(400, "GET", path, ""); !strings.Contains(a.Text, "bad-parameter") {
			t.Error(a.Text)
		}
	}
	s.Must(200, "GET", internalapi.ToDatePath+strings.Repeat("a,", 199)+"a"+at, "")
}
