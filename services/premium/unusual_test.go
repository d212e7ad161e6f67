package premium

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/servicetest"
)

// kinds returns the types of the warnings of a response.
func kinds(a servicetest.Response) (kinds string) {
	warnings, _ := a.Body["warnings"].([]any)
	for _, w := range warnings {
		kinds = strings.TrimSpace(kinds + " " + w.(map[string]any)["type"].(string))
	}
	return kinds
}

// TestAnUnusualDateOfAReceipt records receipts whose date is to come, or lies more than a year outside the term of
// their policy, by the days of the exchange. A term that was corrected counts within a minute.
func TestAnUnusualDateOfAReceipt(t *testing.T) {
	terms := map[string]string{
		"P1": `"inceptionDate":"2026-01-01T00:00:00Z"`, "P2": `"expiryDate":"2025-06-01T00:00:00Z"`,
		"P3": `"inceptionDate":"2020-01-01T00:00:00Z","expiryDate":"2025-05-31T00:00:00Z"`,
	}
	coverage := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := strings.TrimPrefix(r.URL.Path, "/internal/policy/")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"policyNumber":"` + number + `",` + terms[number] + `}`))
	})
	clock, amount := servicetest.At(t, "2026-06-01T00:00:00Z"), 0
	in := func(zone string) *servicetest.Service {
		s, _ := startOn(t, servicetest.Options{Clock: clock, Flags: []string{"--time-zone", zone},
			Peers: map[string]http.Handler{"coverage": coverage}}, rules{})
		return s
	}
	record := func(s *servicetest.Service, policy, date, want string) {
		t.Helper()
		amount++ // none is a duplicate
		a := s.Must(201, "POST", "/receipt", fmt.Sprintf(`{"policyNumber":%q,"receiptDate":%q,"paymentAmount":%d,
			"receiptType":"new policy"}`, policy, date, amount))
		if got := kinds(a); got != want {
			t.Errorf("a receipt of %s for %s warns of %q, not %q", date, policy, got, want)
		}
	}
	s, york := in("UTC"), in("America/New_York")
	const unusual = "receipt-date"
	for _, c := range []struct{ policy, date, want, inYork string }{
		{"P1", "2026-05-31", "", ""}, {"P1", "2026-06-01", "", unusual}, {"P1", "2026-06-02", unusual, unusual},
		{"P1", "2025-01-01", "", ""}, {"P1", "2024-12-31", unusual, ""}, {"P1", "2024-12-30", unusual, unusual},
		{"P2", "2026-05-31", "", ""}, {"P2", "1999-01-01", "", ""},
		{"P3", "2026-05-30", "", ""}, {"P3", "2026-05-31", "", unusual},
		{"P3", "2026-06-01", unusual, unusual + " " + unusual},
	} {
		record(s, c.policy, c.date, c.want)
		record(york, c.policy, c.date, c.inYork)
	}
	terms["P1"] = `"inceptionDate":"2025-12-31T00:00:00Z"`
	clock.Pass(fresh - 1)
	record(s, "P1", "2024-12-31", unusual)
	clock.Pass(1)
	record(s, "P1", "2024-12-31", "")
}

// TestWhatIsUnusualAboutAReceipt records receipts again. Each is made, and names the one that it is like. No refund
// repeats what it gives back or another refund, and no receipt repeats a refund.
func TestWhatIsUnusualAboutAReceipt(t *testing.T) {
	s, _ := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"), rules{period: "month"})
	const same = `"receiptType":"new policy","paymentAmount":7`
	last := ""
	for i, c := range []struct{ date, more, want string }{
		{"2026-05-01", same, ""}, {"2026-05-01", same, "possible-duplicate"},
		{"2026-05-01", same, "possible-duplicate"}, {"2026-05-02", same, ""},
		{"2026-05-01", strings.Replace(same, "7", "8", 1), ""},
		{"2026-05-01", strings.Replace(same, "new policy", "policy renewal", 1), ""},
	} {
		a := s.Must(201, "POST", "/receipt", `{"policyNumber":"P1","receiptDate":"`+c.date+`",`+c.more+`}`)
		if got := kinds(a); got != c.want || got != "" && !strings.Contains(a.Text, "Receipt "+last+" of the policy") {
			t.Errorf("receipt %d warns of %q, not %q of %s: %s", i, got, c.want, last, a.Text)
		}
		last = a.Member("id")
	}
	received := func(amount int, date string) string {
		return fmt.Sprintf(`{"policyNumber":"P1","receiptType":"new policy","paymentAmount":%d,"receiptDate":%q}`,
			amount, date)
	}
	const today = "2026-06-01"
	for _, parts := range [][]string{{""}, {`,"paymentAmount":250`, `,"paymentAmount":250`}} {
		original := s.Must(201, "POST", "/receipt", received(500+len(parts), today)).Member("id")
		for _, part := range parts {
			refund := s.Must(201, "POST", "/receipt/"+original+":refund", `{"receiptType":"new policy"`+part+`}`)
			if got := kinds(refund); got != "" || refund.Body["receiptDate"] != today {
				t.Errorf("the refund %s warns of %q", refund.Text, got)
			}
		}
	}
	if got := kinds(s.Must(201, "POST", "/receipt", received(250, today))); got != "" {
		t.Errorf("a receipt warns of a refund: %q", got)
	}
}

// blindStore is a store that finds nothing while it is blind.
type blindStore struct {
	docstore.Store
	blind atomic.Bool
}

func (b *blindStore) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := b.Store.Collection(ctx, spec)
	if err != nil {
		return nil, err
	}
	return docstore.Decorate(c, func(ctx context.Context, call docstore.Call, do func(context.Context) error) error {
		if call.Operation == "find" && b.blind.Load() {
			return docstore.ErrUnavailable
		}
		return do(ctx)
	}), nil
}

// TestWhatCannotBeLookedAt records a receipt again where those before it cannot be found, and where one of them cannot
// be read: it is made, and warns of those that can.
func TestWhatCannotBeLookedAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.db")
	opened, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	store := &blindStore{Store: opened}
	s, _ := startOn(t, servicetest.Options{Clock: servicetest.At(t, "2026-06-01T00:00:00Z"), Store: store,
		Peers: map[string]http.Handler{"coverage": coverageStub}}, rules{})
	s.Create("receipt", receiptP1)
	store.blind.Store(true)
	if a := s.Must(201, "POST", "/receipt", receiptP1); strings.Contains(a.Text, "warnings") {
		t.Error(a.Text)
	}
	store.blind.Store(false)
	for _, c := range []struct {
		where string
		warns bool
	}{{"WHERE id = (SELECT max(id) FROM receipt)", true}, {"", false}} {
		if _, err := sqlitetest.Exec(path, "UPDATE receipt SET body = '[' "+c.where); err != nil {
			t.Fatal(err)
		}
		a := s.Must(201, "POST", "/receipt", receiptP1)
		if strings.Contains(a.Text, "possible-duplicate") != c.warns {
			t.Errorf("with unreadable receipts %q: %s", c.where, a.Text)
		}
	}
	s.Stop()
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCoverageIsAskedInVain records receipts for a policy that is known, once its term is to be read again and coverage
// no longer responds: what is only warned of keeps no receipt from being made in its time.
func TestCoverageIsAskedInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var silent atomic.Bool
		s := servicetest.Start(t, Service().Definition(), servicetest.Options{
			Store: servicetest.OpenStore(t), Flags: []string{"--request-timeout", "4s"},
			Peers: map[string]http.Handler{"coverage": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var of policies
				if silent.Load() {
					<-r.Context().Done()
					of.down.Store(true)
				}
				of.ServeHTTP(w, r)
			})},
		})
		s.Create("receipt", receiptP1)
		silent.Store(true)
		time.Sleep(2 * fresh)
		for i := range 8 {
			if a := s.Do("POST", "/receipt", receiptP1); a.Status != 201 {
				t.Errorf("receipt %d: %d %s", i, a.Status, a.Text)
			}
		}
		s.Stop()
	})
}
