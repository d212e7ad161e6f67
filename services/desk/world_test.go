package desk_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/desk"
)

// world stands for the services that the desk reads from. A test sets what they have.
type world struct {
	t     *testing.T
	clock *servicetest.Clock
	mu    sync.Mutex
	// receipts are in the order of their ids.
	receipts []*receipt
	policies map[string]policy
	// past are what policies were before they were changed.
	past   map[string][]pastPolicy
	claims []*claim
	made   int
	// stated are the netPremiums of rows of the premium bordereau, by period, policy and type, and apart the policies
	// whose receipts do not count in it.
	stated map[string]int64
	apart  map[string]bool
	// ends are the expiryDates of policies, where it is not that of most.
	ends map[string]string
	// coverEnds are what policies have as coverEnds, where they have it.
	coverEnds map[string]any
	// unlimited says that no policy says what it pays at most.
	unlimited bool
	// away are the services that do not respond, and older those of a release without the operations.
	away, older map[string]bool
	// gone are the services whose databases are not there, and lost the records that were not kept as they were.
	gone, lost map[string]bool
}

// receipt is a receipt of the world. Its amount is above 0, also where it reverses another one.
type receipt struct {
	ID          string `json:"id"`
	ReceiptType string `json:"receiptType,omitzero"`
	ReceiptDate string `json:"receiptDate"`
	Amount      int64  `json:"paymentAmount"`
	Policy      string `json:"policyNumber,omitzero"`
	Claim       string `json:"claimNumber,omitzero"`
	Period      string `json:"period,omitzero"`
	Reverses    string `json:"reverses,omitzero"`
	RecordedAt  string `json:"recordedAt"`
	// The number is 0 for a refund of a release that refunded whole receipts alone.
	RefundNumber   int   `json:"refundNumber,omitzero"`
	RefundedAmount int64 `json:"refundedAmount,omitzero"`

	awaited bool
	// ofClaim is the number of the policy of the claim that the receipt names alone.
	ofClaim string
	// effective is the effectiveDate that the receipt was sent with.
	effective string
}

// policy is a policy of the world.
type policy struct {
	line, inception, holder, status string
}

// pastPolicy is what a policy was until an instant.
type pastPolicy struct {
	policy
	until time.Time
}

// change changes a policy, now.
func (w *world) change(number string, to policy) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.past[number] = append(w.past[number], pastPolicy{w.policies[number], w.clock.Now()})
	w.policies[number] = to
}

// at returns a policy as it was at an instant, and its version then.
func (w *world) at(number string, at time.Time) (p policy, version int, known bool) {
	for i, was := range w.past[number] {
		if at.Before(was.until) {
			return was.policy, i + 1, true
		}
	}
	p, known = w.policies[number]
	return p, len(w.past[number]) + 1, known
}

const expiry = "2099-01-01T00:00:00Z"

func newWorld(t *testing.T, now string) *world {
	return &world{t: t, clock: servicetest.At(t, now), policies: map[string]policy{},
		past: map[string][]pastPolicy{}, away: map[string]bool{},
		older: map[string]bool{}, stated: map[string]int64{}, apart: map[string]bool{}, ends: map[string]string{}}
}

// start starts the desk in the world, with settings as on the command line.
func (w *world) start(flags ...string) *servicetest.Service { return w.startOn(nil, flags...) }

// startOn starts the desk on a store; on a new one without it.
func (w *world) startOn(store docstore.Store, flags ...string) *servicetest.Service {
	return servicetest.Start(w.t, desk.Service().Definition(),
		servicetest.Options{Clock: w.clock, Peers: w.peers(), Store: store, Flags: flags})
}

func (w *world) peers() map[string]http.Handler {
	peers := map[string]http.Handler{}
	for _, name := range []string{"premium", "coverage", "claims", "parties"} {
		peers[name] = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { w.serve(name, out, r) })
	}
	return peers
}

// record records a receipt for a policy, now, and returns it.
func (w *world) record(number, receiptType string, amount int64, reverses string) *receipt {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made++
	now := w.clock.Now().UTC()
	r := &receipt{ID: fmt.Sprintf("01930000-0000-7000-8000-%012d", w.made), ReceiptType: receiptType,
		ReceiptDate: now.Format("2006-01-02"), Amount: amount, Policy: number, Reverses: reverses,
		RecordedAt: now.Format("2006-01-02T15:04:05Z"), Period: now.Format("2006-01")}
	w.receipts = append(w.receipts, r)
	return r
}

// refund records a refund of a part of a receipt, now, and returns it. before are those of the receipt before it.
func (w *world) refund(of *receipt, amount int64, before ...*receipt) *receipt {
	r := w.record(of.Policy, "other", amount, of.ID)
	r.RefundNumber, r.RefundedAmount = len(before)+1, amount
	for _, b := range before {
		r.RefundedAmount += b.Amount
	}
	return r
}

func (w *world) serve(service string, out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.away[service] {
		problem.Write(out, problem.New(problem.Unavailable, ""))
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/internal/"), "/")
	if w.older[service] {
		problem.Write(out, problem.New(problem.NotFound, ""))
		return
	}
	response := w.response(service, parts[0], parts[1], r.URL.Query())
	if response == nil {
		problem.Write(out, problem.New(problem.NotFound, ""))
		return
	}
	text, err := json.Marshal(response, json.Deterministic(true))
	if err != nil {
		w.t.Error(err)
	}
	out.Header().Set("Content-Type", "application/json")
	_, _ = out.Write(text)
}

func (w *world) response(service, operation, name string, query url.Values) any {
	switch service + " " + operation {
	case "premium receipts":
		return w.page(name, query.Get("limit"))
	case "premium stated-premium", "premium premium-to-date", "premium claim-payments":
		return w.compared(operation, strings.Split(name, ","), query)
	case "claims claims":
		return w.claimsAt(name, query)
	case "claims policy-claims":
		return map[string]any{"claims": map[string]any{"records": w.claimsOf(name), "more": false}}
	case "premium policy-premium":
		of := []map[string]string{}
		for _, r := range w.receipts {
			if r.Policy == name {
				of = append(of, map[string]string{"id": r.ID})
			}
		}
		return map[string]any{"receipts": map[string]any{"records": of, "more": false}}
	case "coverage attachments":
		of := []map[string]string{}
		for number := range strings.SplitSeq(name, ",") {
			if p, known := w.policies[number]; known {
				of = append(of, map[string]string{"policyNumber": number, "line": p.line, "inceptionDate": p.inception})
			}
		}
		return map[string]any{"policies": of}
	}
	at := w.clock.Now()
	switch operation {
	case "records-at":
		var err error
		if at, err = time.Parse(time.RFC3339Nano, query.Get("at")); err != nil {
			w.t.Error(err)
		}
	case "records":
	default:
		return nil
	}
	records, names := []map[string]any{}, strings.Split(name, ",")
	for _, name := range names {
		record, resource, version := w.named(service, name, at)
		if record != nil && (operation == "records" || !w.lost[name]) {
			of := map[string]any{"name": name, "record": record}
			if operation == "records-at" {
				of["resource"], of["id"], of["version"] = resource, idOf(name), version
			}
			records = append(records, of)
		}
	}
	return map[string]any{"records": records, "looked": len(names)}
}

// idOf returns the id of what has a name: itself where it is one.
func idOf(name string) string {
	if id, err := uuid.Parse(name); err == nil {
		return id.String()
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String()
}

// named returns a record of a service as it was at an instant, its resource and its version then.
func (w *world) named(service, name string, at time.Time) (record any, resource string, version int) {
	switch service {
	case "premium":
		if at := slices.IndexFunc(w.receipts, func(r *receipt) bool { return r.ID == name }); at >= 0 {
			return w.receipts[at], "receipt", 1
		}
	case "claims":
		of := slices.IndexFunc(w.claims, func(c *claim) bool { return c.id == name || c.number() == name })
		if of < 0 {
			return nil, "", 0
		}
		if record, was := w.claims[of].record(at); was {
			return record, "claim", 1
		}
	case "coverage":
		if p, version, known := w.at(name, at); known {
			record := map[string]any{"id": idOf(name), "inceptionDate": p.inception,
				"expiryDate": cmp.Or(w.ends[name], expiry), "status": p.status, "policyholderId": p.holder,
				"grossWrittenPremium": 1200}
			if !w.unlimited {
				record["indemnityLimitPolicy"] = 5000
			}
			if ends, is := w.coverEnds[name]; is {
				record["coverEnds"] = ends
			}
			return record, p.line, version
		}
	case "parties":
		if name != "" {
			return map[string]any{"name": name}, "commercial", 1
		}
	}
	return nil, "", 0
}

func (w *world) page(after, limit string) any {
	most, err := strconv.Atoi(limit)
	if err != nil {
		w.t.Error(err)
	}
	found := []map[string]any{}
	for _, r := range w.receipts {
		if after != "oldest" && r.ID <= after {
			continue
		}
		if len(found) == most {
			return map[string]any{"receipts": found, "more": true}
		}
		of := map[string]any{"record": r, "awaited": r.awaited}
		if number := cmp.Or(r.Policy, r.ofClaim); number != "" {
			of["policyNumber"] = number
		}
		if r.effective != "" {
			of["effectiveDate"] = r.effective
		}
		found = append(found, of)
	}
	return map[string]any{"receipts": found, "more": false}
}
