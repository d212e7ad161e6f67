package premium

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/wait"
)

// broker is a Kafka broker that can lose what it holds.
type broker struct {
	*kafkatest.Broker
	// coverage is what the replicas ask for policies.
	coverage policies
}

// withKafka runs a test with a broker in a bubble of testing/synctest. No other test may run at the same time: the ids
// of all records of a process hold later and later times, and the sweep compares them with the clock of the bubble.
func withKafka(t *testing.T, test func(t *testing.T, k *broker), options ...kfake.Opt) {
	synctest.Test(t, func(t *testing.T) {
		seconds, nanoseconds := uuid.Must(uuid.NewV7()).Time().UnixTime()
		time.Sleep(time.Until(time.Unix(seconds, nanoseconds)) + time.Second)
		test(t, &broker{Broker: kafkatest.OpenInMemory(t, options...)})
	})
}

// policies knows every policy, while it is not down.
type policies struct{ down atomic.Bool }

func (p *policies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.down.Load() {
		http.Error(w, "{}", http.StatusServiceUnavailable)
		return
	}
	number := strings.TrimPrefix(r.URL.Path, "/internal/policy/")
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"policyNumber":"` + number +
		`","policyholderId":"h","inceptionDate":"2026-01-01T00:00:00Z"}`))
}

// replica starts one of several processes of the service on a store.
func (k *broker) replica(store docstore.Store) *servicetest.Service {
	return servicetest.Start(k.T, Service().Definition(), servicetest.Options{
		Store: store, Peers: map[string]http.Handler{"coverage": &k.coverage},
		Kafka: k.Settings(), Flags: []string{"--bordereau-period", "month"},
	})
}

// ledger remembers the sums of the receipts that were acknowledged, by policy.
type ledger struct {
	t    *testing.T
	mu   sync.Mutex
	sums map[string]int64
	// chance decides about the amounts of the receipts, and the pauses between them.
	chance *rand.Rand
}

func newLedger(t *testing.T) *ledger {
	seed := rand.Uint64()
	t.Logf("the amounts and the pauses have the seed %d", seed)
	return &ledger{t: t, sums: make(map[string]int64), chance: rand.New(rand.NewPCG(seed, 0))}
}

// amount returns a random amount.
func (l *ledger) amount() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.chance.Int64N(1000) + 1
}

// pause returns a random pause. While it lasts, the clock of a bubble goes on.
func (l *ledger) pause() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(1 + l.chance.Int64N(int64(200*time.Millisecond)))
}

// books is the number of policies that a ledger has receipts for.
const books = 20

// record records n receipts of random amounts, for each policy in turn.
func (l *ledger) record(s *servicetest.Service, n int) {
	l.t.Helper()
	for i := range n {
		policy, amount := fmt.Sprintf("P%d", i%books), l.amount()
		body := fmt.Sprintf(`{"receiptType":"new policy","policyNumber":%q,"paymentAmount":%d}`, policy, amount)
		if a := s.Do("POST", "/receipt", body); a.Status != http.StatusCreated {
			l.t.Errorf("POST /receipt: %d %s", a.Status, a.Text)
			continue
		}
		l.mu.Lock()
		l.sums[policy] += amount
		l.mu.Unlock()
	}
}

// wrong returns the policies whose rows are not the sums of their receipts.
func (l *ledger) wrong(s *servicetest.Service) []string {
	var rows []struct {
		PolicyNumber        string
		GrossWrittenPremium int64
	}
	if err := json.Unmarshal([]byte(s.Must(http.StatusOK, "GET", "/premiumBordereau?limit=200", "").Text),
		&rows); err != nil {
		l.t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	found := make(map[string]int64)
	for _, r := range rows {
		found[r.PolicyNumber] += r.GrossWrittenPremium
	}
	var wrong []string
	for policy, sum := range l.sums {
		if found[policy] != sum {
			wrong = append(wrong, fmt.Sprintf("%s is %d, want %d", policy, found[policy], sum))
		}
	}
	return wrong
}

// await waits until holds returns true. It looks only ten times in a second of the bubble, because a test that fails
// looks for ten minutes of it.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	wait.For(t, what, func() bool {
		time.Sleep(100 * time.Millisecond)
		return holds()
	})
}

// awaitRows waits until all rows are right.
func (l *ledger) awaitRows(s *servicetest.Service) {
	l.t.Helper()
	await(l.t, "each row is the sum of its receipts", func() bool { return len(l.wrong(s)) == 0 })
}
