package premium

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka/cluster"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/wait"
)

// broker is a Kafka broker that can lose what it holds.
type broker struct {
	t            testing.TB
	folder, addr string
	*kfake.Cluster
	// coverage is what the replicas ask for policies.
	coverage policies
}

func startKafka(t testing.TB, options ...kfake.Opt) *broker {
	k := &broker{t: t, folder: t.TempDir(), addr: "127.0.0.1:0"}
	k.start(options...)
	t.Cleanup(func() { k.Close() })
	return k
}

func (k *broker) start(options ...kfake.Opt) {
	k.t.Helper()
	listen := func(network, _ string) (listener net.Listener, err error) {
		wait.For(k.t, "the address of the broker is free", func() bool {
			listener, err = net.Listen(network, k.addr)
			return err == nil
		})
		return listener, err
	}
	started, err := kfake.NewCluster(append(options, kfake.NumBrokers(1), kfake.DataDir(k.folder), kfake.SyncWrites(),
		kfake.GroupMinSessionTimeout(time.Second), kfake.ListenFn(listen))...)
	if err != nil {
		k.t.Fatal(err)
	}
	k.Cluster, k.addr = started, started.ListenAddrs()[0]
}

// stored returns the number of messages about receipts that the broker holds or has held.
func (k *broker) stored() (n int64) {
	for _, p := range k.PartitionInfos(events.BordereauTopic) {
		n += p.HighWatermark
	}
	return n
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
	return servicetest.Start(k.t, Service().Definition(), servicetest.Options{
		Store: store, Peers: map[string]http.Handler{"coverage": &k.coverage},
		Kafka: cluster.Settings{Brokers: []string{k.addr}},
		Flags: []string{"--bordereau-period", "month"},
	})
}

// ledger remembers the sums of the receipts that were acknowledged, by policy.
type ledger struct {
	t    *testing.T
	mu   sync.Mutex
	sums map[string]int64
	// amounts are those of the receipts.
	amounts *rand.Rand
}

func newLedger(t *testing.T) *ledger {
	seed := rand.Uint64()
	t.Logf("the amounts have the seed %d", seed)
	return &ledger{t: t, sums: make(map[string]int64), amounts: rand.New(rand.NewPCG(seed, 0))}
}

// amount returns a random amount.
func (l *ledger) amount() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.amounts.Int64N(1000) + 1
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

// awaitRows waits until all rows are right.
func (l *ledger) awaitRows(s *servicetest.Service) {
	l.t.Helper()
	wait.For(l.t, "each row is the sum of its receipts", func() bool { return len(l.wrong(s)) == 0 })
}
