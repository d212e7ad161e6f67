package premium

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/servicetest"
)

// background is the context in which the service aggregates.
var background = request.ForExchange(context.Background())

// coverageStub knows two policies, claimsStub a claim against the first.
var (
	coverageStub = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := strings.TrimPrefix(r.URL.Path, "/internal/policy/")
		if number != "P1" && number != "P2" {
			http.Error(w, "{}", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"policyNumber":"` + number +
			`","policyholderId":"h","inceptionDate":"2026-01-01T00:00:00Z","indemnityLimitPolicy":9}`))
	})
	claimsStub = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/internal/claim/C1" {
			http.Error(w, "{}", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"claimNumber":"C1","policyNumber":"P1"}`))
	})
)

// start starts the service with rules and without a broker. The environment has the functions that compute
// rows.
func start(t *testing.T, clock *servicetest.Clock, r rules) (*servicetest.Service, *environment) {
	t.Helper()
	return startWith(t, map[string]http.Handler{"coverage": coverageStub, "claims": claimsStub}, clock, r)
}

// startWith is start with stubs of the services that are called.
func startWith(
	t *testing.T, peers map[string]http.Handler, clock *servicetest.Clock, r rules,
) (*servicetest.Service, *environment) {
	t.Helper()
	return startOn(t, servicetest.Options{Clock: clock, Peers: peers}, r)
}

func startOn(t *testing.T, o servicetest.Options, r rules) (*servicetest.Service, *environment) {
	t.Helper()
	var e *environment
	declared := Service()
	declared.Flags, declared.Told = nil, nil
	declared.Declare = func(s *rest.Server, deps process.Deps) (parts rest.Parts, err error) {
		e, err = declare(s, deps, r)
		return rest.Parts{Internal: e.mountInternal}, err
	}
	return servicetest.Start(t, declared.Definition(), o), e
}

// deliver computes the rows of all receipts that have their mark. It does so a number of times, with the oldest or the
// newest first in turn.
func deliver(t *testing.T, e *environment, times int) {
	t.Helper()
	docs, err := e.receipts.Stored().Unsent(context.Background(), organisation.Sole(), uuid.Nil, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range times {
		if i%2 == 1 {
			slices.Reverse(docs)
		}
		for _, doc := range docs {
			key, _ := rowOf(doc)
			if _, err := e.aggregate(context.Background(), key); err != nil {
				t.Fatal(err)
			}
			of, err := parseRow(key)
			if err != nil {
				t.Fatal(err)
			}
			keyed(t, message(of, ""))
		}
	}
}

// keyed compares the key of a message with the member that the contract names.
func keyed(t *testing.T, m kafka.Message) {
	t.Helper()
	members := map[string]string{}
	if err := json.Unmarshal(m.Value, &members); err != nil {
		t.Fatal(err)
	}
	for _, channel := range events.Contracts()[0].Channels {
		if want := members[channel.Key]; want == "" || string(m.Key) != want {
			t.Errorf("the key is %q, and the member %s that the contract names has %q", m.Key, channel.Key, want)
		}
	}
}

// bordereauRows returns the bordereau as period/policy/type=sum.
func bordereauRows(t *testing.T, s *servicetest.Service) []string {
	t.Helper()
	var rows []struct {
		Period, PolicyNumber, TransactionType, Policyholder string
		GrossWrittenPremium                                 int64
	}
	if err := json.Unmarshal([]byte(s.Must(200, "GET", "/premiumBordereau", "").Text), &rows); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range rows {
		if r.Policyholder != "h" {
			t.Errorf("policyholder %q", r.Policyholder)
		}
		all = append(all, fmt.Sprintf("%s/%s/%s=%d", r.Period, r.PolicyNumber, r.TransactionType,
			r.GrossWrittenPremium))
	}
	slices.Sort(all)
	return all
}

const receiptP1 = `{"receiptType":"new policy","policyNumber":"P1","paymentAmount":100}`

func TestEachReceiptCountsOnce(t *testing.T) {
	s, e := start(t, servicetest.At(t, "2026-11-21T00:00:00Z"), rules{period: month})
	first := s.Create("receipt", receiptP1)
	ofClaim := s.Create("receipt", `{"receiptType":"new policy","claimNumber":"C1","paymentAmount":11}`)
	record := s.Must(200, "GET", "/receipt/"+ofClaim, "").Text
	if a := s.Must(200, "GET", "/internal/receipts/"+first, ""); a.Text !=
		`{"receipts":[{"record":`+record+`,"policyNumber":"P1","awaited":true}],"more":false}` {
		t.Error(a.Text)
	}
	s.Create("receipt",
		`{"receiptType":"claim payment","policyNumber":"P1","claimNumber":"C1","paymentAmount":5,`+
			`"receiptDate":"2020-01-01"}`)
	s.Create("receipt", strings.Replace(receiptP1, "P1", "P2", 1))
	deliver(t, e, 3)
	want := []string{"2026-11/P1/claim payment=5", "2026-11/P1/new policy=111", "2026-11/P2/new policy=100"}
	if got := bordereauRows(t, s); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// A refund with another type counts under the type of its original.
	s.Must(201, "POST", "/receipt/"+first+":refund", `{"receiptType":"other"}`)
	deliver(t, e, 2)
	want[1] = "2026-11/P1/new policy=11"
	if got := bordereauRows(t, s); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAnEmptyReferenceIsRefused sends one empty reference and one that is right. The empty one names nothing, and is
// not stored.
func TestAnEmptyReferenceIsRefused(t *testing.T) {
	s, _ := start(t, servicetest.At(t, "2026-11-21T00:00:00Z"), rules{period: month})
	for body, title := range map[string]string{
		`{"receiptType":"other","paymentAmount":1,"policyNumber":"","claimNumber":"C1"}`: "policy not found",
		`{"receiptType":"other","paymentAmount":1,"policyNumber":"P1","claimNumber":""}`: "claim not found",
	} {
		if refused := s.Must(404, "POST", "/receipt", body).Text; !strings.Contains(refused, `"title":"`+title+`"`) {
			t.Errorf("%s is refused with %s", body, refused)
		}
	}
	s.Must(400, "POST", "/receipt", `{"receiptType":"other","paymentAmount":1,"policyNumber":"","claimNumber":""}`)
	s.Must(201, "POST", "/receipt", `{"receiptType":"other","paymentAmount":1,"policyNumber":null,"claimNumber":"C1"}`)
}

func TestAReceiptCountsInThePeriodInWhichItIsRecorded(t *testing.T) {
	clock := servicetest.At(t, "2026-09-30T23:59:59Z")
	s, e := start(t, clock, rules{period: quarter})
	first := s.Create("receipt", receiptP1)
	clock.Pass(time.Second)
	s.Create("receipt", receiptP1)
	s.Must(201, "POST", "/receipt/"+first+":refund", `{"receiptType":"other"}`)
	deliver(t, e, 1)
	want := []string{"2026-Q3/P1/new policy=100", "2026-Q4/P1/new policy=0"}
	if got := bordereauRows(t, s); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAggregationLeavesWhatAnAdminSets(t *testing.T) {
	s, e := start(t, servicetest.At(t, "2026-11-21T00:00:00Z"), rules{period: month})
	s.Create("receipt", receiptP1)
	deliver(t, e, 1)
	row := s.Must(200, "GET", "/premiumBordereau", "").Text
	id := row[strings.Index(row, `"id":"`)+6:][:36]
	s.Must(200, "PUT", "/premiumBordereau/"+id, `{"netPremium":80,"treatyReference":"T1"}`)
	for _, body := range []string{`{"grossWrittenPremium":1}`, `{"period":"2020-01"}`, `{"policyNumber":"P2"}`,
		`{"transactionType":"other"}`} {
		if a := s.Must(409, "PUT", "/premiumBordereau/"+id, body); !strings.Contains(a.Text, `"pointer"`) {
			t.Error(a.Text)
		}
	}
	s.Create("receipt", receiptP1)
	deliver(t, e, 1)
	a := s.Must(200, "GET", "/premiumBordereau/"+id, "")
	for _, member := range []string{`"grossWrittenPremium":200`, `"netPremium":80`, `"treatyReference":"T1"`,
		`"indemnityLimitPolicy":9`} {
		if !strings.Contains(a.Text, member) {
			t.Errorf("%s lacks %s", a.Text, member)
		}
	}
}

func TestConcurrentAggregationsEndInTheSum(t *testing.T) {
	s, e := start(t, servicetest.At(t, "2026-11-21T00:00:00Z"), rules{period: month})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 5 {
				if a := s.Do("POST", "/receipt", receiptP1); a.Status != 201 {
					t.Errorf("%d %s", a.Status, a.Text)
				}
				if _, err := e.compute(background,
					row{"2026-11", "P1", "new policy"}); err != nil && !errors.Is(err, errRowMade) {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	deliver(t, e, 1)
	if got := bordereauRows(t, s); len(got) != 1 || !strings.HasSuffix(got[0], "=4000") {
		t.Errorf("%q", got)
	}
}

// TestWhatNobodyHasSentMakesNoRow: what is no message is refused, and of a row without receipts nothing is made.
func TestWhatNobodyHasSentMakesNoRow(t *testing.T) {
	s, e := start(t, nil, rules{period: month})
	for _, text := range []string{`{`, `[]`, `{"period":"2026-11"}`, `{"period":"2026-11","policyNumber":"P1"}`} {
		if err := new(traffic).receive(kafka.Message{Value: []byte(text)}); err == nil {
			t.Errorf("%s is taken for a message", text)
		}
	}
	for _, of := range []row{
		{"2026-11", "NO-SUCH", "other"}, {"2026-11", "P1", "new policy"}, {"<script>", "P1", "new policy"},
	} {
		if marked, err := e.aggregate(context.Background(), of.index()); err != nil || len(marked) > 0 {
			t.Errorf("%v: %v, %v", of, marked, err)
		}
	}
	if _, err := e.aggregate(context.Background(), "no key"); err == nil {
		t.Error("what is no key of a row is computed")
	}
	if rows := bordereauRows(t, s); len(rows) > 0 {
		t.Errorf("there are rows: %v", rows)
	}
}

func TestRefundTypeAndPeriodAreConfiguration(t *testing.T) {
	s, e := start(t, nil, rules{})
	id := s.Create("receipt", receiptP1)
	s.Must(400, "POST", "/receipt/"+id+":refund", "")
	docs, err := e.receipts.Stored().Unsent(context.Background(), organisation.Sole(), uuid.Nil, 1)
	if err != nil || len(docs) != 0 {
		t.Errorf("without a period no receipt may have a mark: %d marks, %v", len(docs), err)
	}
	s, _ = start(t, nil, rules{refundReceiptType: "other"})
	id = s.Create("receipt", receiptP1)
	if a := s.Must(201, "POST", "/receipt/"+id+":refund", ""); a.Member("receiptType") != "other" {
		t.Error(a.Text)
	}
	if err := (&rules{refundReceiptType: "gift"}).check(valuesets.Published()); err == nil {
		t.Error("a receipt type that is none was accepted")
	}
}
