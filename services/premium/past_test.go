package premium

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/servicetest"
)

// bordereauRow is what the tests read of a row.
type bordereauRow struct {
	ID, Period, PolicyNumber, TreatyReference string
	GrossWrittenPremium, NetPremium           int64
}

// rowsOf returns the rows that a list has.
func rowsOf(t *testing.T, s *servicetest.Service, query string) (rows []bordereauRow) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.Must(200, "GET", "/premiumBordereau"+query, "").Text), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestARowIsReadAsItWas records receipts for hours, some of them refunded, and an admin's values in between. At every
// instant the row is the sum of the receipts until then, with the values of the admin that it had.
func TestARowIsReadAsItWas(t *testing.T) {
	clock := servicetest.At(t, "2026-11-21T00:00:00Z")
	began := clock.Now()
	s, e := start(t, clock, rules{period: month, refundReceiptType: "other"})
	type moment struct {
		at       time.Time
		sum, net int64
	}
	var moments []moment
	var sum, net int64
	var row string
	for i := range 60 {
		clock.Pass(time.Duration(1+i%13) * time.Minute)
		id := s.Create("receipt",
			fmt.Sprintf(`{"receiptType":"new policy","policyNumber":"P1","paymentAmount":%d}`, i+1))
		if i%5 == 4 {
			s.Must(201, "POST", "/receipt/"+id+":refund", "")
		} else {
			sum += int64(i + 1)
		}
		deliver(t, e, 1)
		row = rowsOf(t, s, "")[0].ID
		if i%20 == 10 {
			clock.Pass(time.Second)
			net = int64(i)
			s.Must(200, "PUT", "/premiumBordereau/"+row, fmt.Sprintf(`{"netPremium":%d}`, net))
		}
		moments = append(moments, moment{clock.Now(), sum, net})
	}
	asOf := func(status int, at time.Time) (r bordereauRow) {
		t.Helper()
		a := s.Must(status, "GET",
			"/x/asof/premiumBordereau/"+row+"?at="+url.QueryEscape(at.Format(time.RFC3339Nano)), "")
		if err := json.Unmarshal([]byte(a.Text), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, m := range moments {
		for _, later := range []time.Duration{0, 30 * time.Second} {
			at := m.at.Add(later)
			if at.After(clock.Now()) {
				continue // it is to come
			}
			if got := asOf(200, at); got.GrossWrittenPremium != m.sum || got.NetPremium != m.net ||
				got.Period != "2026-11" {
				t.Errorf("at %v: %+v, want %+v", at, got, m)
			}
		}
	}
	asOf(404, began)
	// A row of a caller's own is no sum.
	row = s.Create("premiumBordereau", `{"policyNumber":"P1","grossWrittenPremium":5}`)
	if got := asOf(200, clock.Now()); got.GrossWrittenPremium != 5 {
		t.Errorf("a caller's row: %+v", got)
	}
}

// TestRowsAreFoundByPolicyAndPeriod lists the rows of one policy, and of one period.
func TestRowsAreFoundByPolicyAndPeriod(t *testing.T) {
	clock := servicetest.At(t, "2026-09-30T23:59:59Z")
	s, e := start(t, clock, rules{period: quarter})
	for _, receipt := range []string{receiptP1, strings.Replace(receiptP1, "P1", "P2", 1)} {
		s.Create("receipt", receipt)
	}
	clock.Pass(time.Second)
	s.Create("receipt", receiptP1)
	deliver(t, e, 1)
	s.Create("premiumBordereau", `{"policyNumber":"P1"}`)
	for query, want := range map[string]int{
		"": 4, "?policyNumber=P1": 3, "?policyNumber=P2": 1, "?period=2026-Q3": 2, "?period=2026-Q4": 1,
		"?period=2026-Q3&policyNumber=P1": 1, "?period=2026-10": 0, "?policyNumber=P3": 0,
	} {
		if rows := rowsOf(t, s, query); len(rows) != want {
			t.Errorf("%s: %d rows, want %d", query, len(rows), want)
		}
	}
}

// issuedMembers are the members that the exchange issues with a receipt.
var issuedMembers = regexp.MustCompile(`,"(recordedAt|period)":"[^"]*"`)

// TestAReceiptSaysWhenItWasRecorded reads a receipt of this release and one of a release that stored neither the
// instant nor the period.
func TestAReceiptSaysWhenItWasRecorded(t *testing.T) {
	clock := servicetest.At(t, "2026-11-21T10:00:00.5Z")
	s, e := start(t, clock, rules{period: month})
	made := s.Must(201, "POST", "/receipt", strings.Replace(receiptP1, "{", `{"period":"2020-01","recordedAt":`+
		`"2020-01-01T00:00:00Z",`, 1))
	id := made.Member("id")
	stored, err := e.receipts.Stored().Get(t.Context(), organisation.Sole(), uuid.MustParse(id))
	if err != nil {
		t.Fatal(err)
	}
	early := uuid.Must(uuid.NewV7())
	origin, err := rest.OriginOf(stored)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.receipts.Stored().Insert(t.Context(), organisation.Sole(), docstore.Document{
		ID:    early,
		Body:  issuedMembers.ReplaceAll(bytes.ReplaceAll(stored.Body, []byte(id), []byte(early.String())), nil),
		State: stored.State, Keys: docstore.Keys{rowIndex: origin.Pinned[rowIndex]},
	}); err != nil {
		t.Fatal(err)
	}
	clock.Pass(time.Hour)
	for _, id := range []string{id, early.String()} {
		for _, text := range []string{
			s.Must(200, "GET", "/receipt/"+id, "").Text, s.Must(200, "GET", "/receipt", "").Text,
			s.Must(200, "PUT", "/receipt/"+id, s.Must(200, "GET", "/receipt/"+id, "").Text).Text,
			s.Must(200, "PUT", "/receipt/"+id, strings.Replace(receiptP1, "{", `{"receiptDate":"2026-11-21",`, 1)).Text,
		} {
			if n := strings.Count(text, `"recordedAt":"2026-11-21T10:00:00.5Z","period":"2026-11"`); n != strings.Count(
				text, `"id"`) || n == 0 {
				t.Errorf("it says %s", text)
			}
		}
		s.Must(409, "PUT", "/receipt/"+id, strings.Replace(receiptP1, "{", `{"period":"2026-12",`, 1))
	}
}
