package premium

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/servicetest"
)

// refunding starts a service that aggregates, with a receipt of 100.
func refunding(t *testing.T) (s *servicetest.Service, e *environment, receipt string) {
	t.Helper()
	s, e = start(t, servicetest.At(t, "2026-11-21T00:00:00Z"), rules{period: month, refundReceiptType: "other"})
	return s, e, s.Create("receipt", receiptP1)
}

// leftOf returns what the view of the policy P1 says is left of its receipts, and null for each refund.
func leftOf(t *testing.T, s *servicetest.Service, query string) string {
	t.Helper()
	var of internalapi.PolicyPremium
	text := s.Must(200, "GET", internalapi.PolicyPremiumPath+"P1"+query, "").Text
	if err := json.Unmarshal([]byte(text), &of); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range of.Receipts.Records {
		if r.Left == nil {
			all = append(all, "-")
		} else {
			all = append(all, fmt.Sprint(*r.Left))
		}
	}
	return strings.Join(all, " ")
}

// TestPartsOfAReceiptAreRefunded gives back a receipt of 100 bit by bit, and asks for what cannot be given back.
func TestPartsOfAReceiptAreRefunded(t *testing.T) {
	s, e, id := refunding(t)
	was := s.Must(200, "GET", "/receipt/"+id, "").Text
	path := "/receipt/" + id + ":refund"
	refused := func(status int, body, member string) {
		t.Helper()
		if a := s.Must(status, "POST", path, body); !strings.Contains(a.Text, member) {
			t.Errorf("%s is refused with %s, without %s", body, a.Text, member)
		}
	}
	refused(400, `{"paymentAmount":0}`, `"pointer":"/paymentAmount"`)
	refused(400, `{"paymentAmount":-1}`, "invalid-payment-amount")
	refused(400, `{"paymentAmount":101}`, "invalid-payment-amount")
	part := s.Must(201, "POST", path, `{"paymentAmount":30}`, "Idempotency-Key", "k")
	for _, member := range []string{
		`"paymentAmount":30,`, `"reverses":"` + id + `"`, `"refundNumber":1,"refundedAmount":30,`,
	} {
		if !strings.Contains(part.Text, member) {
			t.Errorf("%s lacks %s", part.Text, member)
		}
	}
	again := s.Must(200, "POST", path, `{"paymentAmount":30}`, "Idempotency-Key", "k")
	if again.Member("id") != part.Member("id") {
		t.Error(again.Text)
	}
	s.Must(422, "POST", path, `{"paymentAmount":31}`, "Idempotency-Key", "k")
	s.Must(412, "POST", path, `{"paymentAmount":30}`, "If-Match", `"7"`)
	s.Must(409, "POST", "/receipt/"+part.Member("id")+":refund", `{"paymentAmount":1}`)
	refused(409, `{"paymentAmount":71}`, `"left":70`)
	if got := leftOf(t, s, ""); got != "70 -" {
		t.Errorf("of the receipt is left: %s", got)
	}
	if a := s.Must(201, "POST", path, `{"paymentAmount":30}`, "If-Match", `"1"`); !strings.Contains(a.Text,
		`"refundNumber":2,"refundedAmount":60`) {
		t.Error(a.Text)
	}
	deliver(t, e, 2)
	if got := bordereauRows(t, s); !slices.Equal(got, []string{"2026-11/P1/new policy=40"}) {
		t.Errorf("%q", got)
	}
	last := s.Must(201, "POST", path, "")
	if !strings.Contains(last.Text, `"paymentAmount":40,`) ||
		!strings.Contains(last.Text, `"refundNumber":3,"refundedAmount":100`) {
		t.Error(last.Text)
	}
	for _, body := range []string{"", `{"paymentAmount":1}`} {
		refused(409, body, `"existingId":"`+last.Member("id")+`"`)
	}
	refused(400, `{"paymentAmount":101}`, "invalid-payment-amount")
	deliver(t, e, 1)
	if got := bordereauRows(t, s); !slices.Equal(got, []string{"2026-11/P1/new policy=0"}) {
		t.Errorf("%q", got)
	}
	if is := s.Must(200, "GET", "/receipt/"+id, "").Text; is != was {
		t.Errorf("the original was %s and is %s", was, is)
	}
}

// TestARefundOfAWholeReceiptIsAsBefore compares a refund that names no amount with what a release before wrote.
func TestARefundOfAWholeReceiptIsAsBefore(t *testing.T) {
	s, _, id := refunding(t)
	refund := s.Must(201, "POST", "/receipt/"+id+":refund", "")
	for _, member := range []string{"refundNumber", "refundedAmount"} {
		if strings.Contains(refund.Text, member) {
			t.Errorf("%s has %s", refund.Text, member)
		}
	}
	for _, body := range []string{"", `{"paymentAmount":1}`, `{"paymentAmount":100}`} {
		if a := s.Must(409, "POST", "/receipt/"+id+":refund", body); !strings.Contains(a.Text, refund.Member("id")) {
			t.Error(a.Text)
		}
	}
	if got := leftOf(t, s, ""); got != "0 -" {
		t.Errorf("of the receipt is left: %s", got)
	}
}

// TestRefundsAtOnceNeverExceedTheReceipt has eight callers refund parts of one receipt until nothing is left.
func TestRefundsAtOnceNeverExceedTheReceipt(t *testing.T) {
	s, _, id := refunding(t)
	var group sync.WaitGroup
	for caller := range 8 {
		group.Go(func() {
			for {
				a := s.Do("POST", "/receipt/"+id+":refund", fmt.Sprintf(`{"paymentAmount":%d}`, 1+caller%3))
				if a.Status == 409 {
					return // a smaller part may be left for another caller
				}
				if a.Status != 201 {
					t.Errorf("%d %s", a.Status, a.Text)
					return
				}
			}
		})
	}
	group.Wait()
	var all []struct {
		Reverses                                    string
		PaymentAmount, RefundNumber, RefundedAmount int
	}
	text := s.Must(200, "GET", "/receipt?limit=200", "").Text
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	sums, total := map[int]int{}, 0
	for _, r := range all {
		if r.Reverses == id {
			sums[r.RefundNumber], total = r.RefundedAmount, total+r.PaymentAmount
		}
	}
	if total != 100 || len(sums) != len(all)-1 || sums[len(sums)] != 100 {
		t.Errorf("%d refunds come to %d: %v", len(all)-1, total, sums)
	}
}

// TestOneKeyRefundsOnce has several callers refund all of a receipt at once with one Idempotency-Key: one refund is
// made, and all of them get it.
func TestOneKeyRefundsOnce(t *testing.T) {
	for range 20 {
		s, _, id := refunding(t)
		var group sync.WaitGroup
		var made sync.Map
		for range 8 {
			group.Go(func() {
				a := s.Do("POST", "/receipt/"+id+":refund", "", "Idempotency-Key", "k")
				if a.Status != 201 && a.Status != 200 {
					t.Errorf("%d %s", a.Status, a.Text)
				}
				made.Store(a.Member("id"), true)
			})
		}
		group.Wait()
		ids := 0
		made.Range(func(any, any) bool { ids++; return true })
		if ids != 1 {
			t.Fatalf("the callers got %d refunds", ids)
		}
	}
}

// TestAReceiptHasAThousandRefundsAtMost refunds 1 of a receipt until no more may follow, so that each number is looked
// for once.
func TestAReceiptHasAThousandRefundsAtMost(t *testing.T) {
	s, e, _ := refunding(t)
	id := s.Create("receipt", strings.Replace(receiptP1, "100", "2000", 1))
	for i := range mostRefunds {
		a := s.Must(201, "POST", "/receipt/"+id+":refund", `{"paymentAmount":1}`)
		if want := fmt.Sprintf(`"refundNumber":%d,"refundedAmount":%[1]d`, i+1); !strings.Contains(a.Text, want) {
			t.Fatalf("%s is not %s", a.Text, want)
		}
	}
	if a := s.Must(409, "POST", "/receipt/"+id+":refund", ""); !strings.Contains(a.Text, "1000 refunds at most") {
		t.Error(a.Text)
	}
	// The refunds are not on the page of their receipt.
	if got := leftOf(t, s, ""); !strings.HasPrefix(got, "100 1000 - ") {
		t.Errorf("of the receipts is left: %s", got)
	}
	if got := leftOf(t, s, "?part=receipts&skip=1"); !strings.HasPrefix(got, "1000 - ") {
		t.Errorf("of the receipts is left: %s", got)
	}
	deliver(t, e, 1)
	if got := bordereauRows(t, s); !slices.Equal(got, []string{"2026-11/P1/new policy=1100"}) {
		t.Errorf("%q", got)
	}
}

// TestAReleaseBeforeRefusesToRefundTheRest writes the refund of a receipt that has one already as the release before
// does: by the value that the first has.
func TestAReleaseBeforeRefusesToRefundTheRest(t *testing.T) {
	s, e, id := refunding(t)
	s.Must(201, "POST", "/receipt/"+id+":refund", `{"paymentAmount":1}`)
	newID, err := docstore.NewID(uuid.UUID{})
	if err != nil {
		t.Fatal(err)
	}
	err = e.receipts.Stored().Insert(t.Context(), organisation.Sole(), docstore.Document{
		ID: newID, Version: 1, Body: []byte(`{}`), State: []byte(`{}`), Keys: docstore.Keys{"reverses": id},
	})
	if index, is := docstore.Duplicate(err); !is || index != "reverses" {
		t.Errorf("the refund of a release before is refused with %v", err)
	}
}

// TestWhatCallersCalledARefundNumberStays reads and refunds receipts that a release before stored with members of
// callers under the names that refunds have now.
func TestWhatCallersCalledARefundNumberStays(t *testing.T) {
	s, e, _ := refunding(t)
	for _, value := range []string{`"seven"`, `7`, `{"a":[1]}`, `1.5`} {
		id := s.Create("receipt", receiptP1)
		parsed := uuid.MustParse(id)
		stored, err := e.receipts.Stored().Get(t.Context(), organisation.Sole(), parsed)
		if err != nil {
			t.Fatal(err)
		}
		stored.Body = []byte(strings.TrimSuffix(string(stored.Body), "}") + `,"refundNumber":` + value +
			`,"refundedAmount":` + value + `}`)
		stored.Digest, stored.Keys = nil, docstore.Keys{"policyNumber": "P1"}
		if err := e.receipts.Stored().Replace(t.Context(), organisation.Sole(), stored, nil); err != nil {
			t.Fatal(err)
		}
		if a := s.Must(200, "GET", "/receipt/"+id, ""); a.Text != string(stored.Body) {
			t.Errorf("%s is shown as %s", stored.Body, a.Text)
		}
		s.Must(200, "PUT", "/receipt/"+id, string(stored.Body))
		if a := s.Must(201, "POST", "/receipt/"+id+":refund", `{"paymentAmount":40}`); !strings.Contains(a.Text,
			`"refundNumber":1,"refundedAmount":40`) {
			t.Error(a.Text)
		}
		s.Must(409, "POST", "/receipt/"+id+":refund", `{"paymentAmount":61}`)
	}
}

// TestPartsOfAClaimPaymentCount: what the receipts of a claim come to is less by the parts that were given back.
func TestPartsOfAClaimPaymentCount(t *testing.T) {
	clock := servicetest.At(t, "2026-01-21T00:00:00Z")
	s, _ := start(t, clock, rules{refundReceiptType: "other"})
	id := s.Create("receipt", `{"receiptType":"claim payment","claimNumber":"C1","paymentAmount":30}`)
	for left := scalar.Int(23); left > 0; left -= 7 {
		clock.Pass(time.Hour)
		s.Must(201, "POST", "/receipt/"+id+":refund", `{"paymentAmount":7}`)
		want := fmt.Sprintf(`{"claims":[{"claimNumber":"C1","paid":%d}]}`, left)
		if got := asked(s, internalapi.ClaimPaymentsPath, clock.Now(), "C1"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
