package premium

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/pkg/bus/cluster"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/servicetest"
)

// patience only ends a test that would otherwise hang.
const patience = 5 * time.Minute

// eventually waits until holds returns true, and returns how long that took.
func eventually(t *testing.T, what string, holds func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > patience {
			t.Fatalf("not so after %v: %s", patience, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(began)
}

// kafka is a Kafka broker that can lose what it holds.
type kafka struct {
	t            *testing.T
	folder, addr string
	*kfake.Cluster
	// coverage is what the replicas ask for policies.
	coverage policies
}

func startKafka(t *testing.T) *kafka {
	k := &kafka{t: t, folder: t.TempDir(), addr: "127.0.0.1:0"}
	k.start()
	t.Cleanup(func() { k.Close() })
	return k
}

func (k *kafka) start(options ...kfake.Opt) {
	k.t.Helper()
	listen := func(network, _ string) (listener net.Listener, err error) {
		eventually(k.t, "the address of the broker is free", func() bool {
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
func (k *kafka) stored() (n int64) {
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
	_, _ = w.Write([]byte(`{"policyNumber":"` + number + `","policyholderId":"h","inceptionDate":"2026-01-01T00:00:00Z"}`))
}

// replica starts one of several processes of the service on a store.
func (k *kafka) replica(store docstore.Store) *servicetest.Service {
	return servicetest.Start(k.t, Service().Definition(), servicetest.Options{
		Store: store, Peers: map[string]http.Handler{"coverage": &k.coverage}, Kafka: cluster.Settings{Brokers: []string{k.addr}},
		Flags: []string{"--bordereau-period", "month"},
	})
}

// ledger remembers the sums of the receipts that were acknowledged, by policy.
type ledger struct {
	t    *testing.T
	mu   sync.Mutex
	sums map[string]int64
}

func newLedger(t *testing.T) *ledger { return &ledger{t: t, sums: make(map[string]int64)} }

// books is the number of policies that a ledger has receipts for.
const books = 20

// record records n receipts of random amounts, for each policy in turn.
func (l *ledger) record(s *servicetest.Service, n int) {
	l.t.Helper()
	for i := range n {
		policy, amount := fmt.Sprintf("P%d", i%books), rand.Int64N(1000)+1
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
	if err := json.Unmarshal([]byte(s.Must(http.StatusOK, "GET", "/premiumBordereau?limit=200", "").Text), &rows); err != nil {
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
	took := eventually(l.t, "each row is the sum of its receipts", func() bool { return len(l.wrong(s)) == 0 })
	l.t.Logf("all rows were right %v later", took.Round(time.Millisecond))
}

// metric returns the value of a gauge of a service.
func metric(t *testing.T, s *servicetest.Service, name string) float64 {
	t.Helper()
	families, err := s.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}

// TestRowsAreRightWhateverTheBrokerLoses: no receipt follows that would have its row computed again.
func TestRowsAreRightWhateverTheBrokerLoses(t *testing.T) {
	lose := map[string]func(k *kafka){
		"its folder": func(k *kafka) {
			if err := os.RemoveAll(k.folder); err != nil {
				k.t.Fatal(err)
			}
		},
		"the ends of its logs": func(k *kafka) {
			logs, err := filepath.Glob(filepath.Join(k.folder, "partitions", "*", "*.dat"))
			if err != nil || len(logs) == 0 {
				k.t.Fatalf("there are %d logs (%v)", len(logs), err)
			}
			for _, path := range logs {
				if err := os.Truncate(path, 0); err != nil {
					k.t.Fatal(err)
				}
			}
		},
	}
	for what, loss := range lose {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			k, store, l := startKafka(t), servicetest.OpenStore(t), newLedger(t)
			first := k.replica(store)
			l.record(first, 2*books)
			l.awaitRows(first)
			// No row can be computed from now on, so the news of these receipts is nowhere but in the broker.
			k.coverage.down.Store(true)
			l.record(first, 3*books)
			eventually(t, "the messages are acknowledged", func() bool { return k.stored() >= 5*books })
			eventually(t, "each row was tried", func() bool { return metric(t, first, "bus_consumer_retrying") == books })
			first.Stop()
			k.Close()
			loss(k)
			k.start()
			second := k.replica(store)
			if got := len(l.wrong(second)); got != books {
				t.Errorf("%d rows are wrong before the policies can be read again, want %d", got, books)
			}
			k.coverage.down.Store(false)
			l.awaitRows(second)
		})
	}
	t.Run("what it has acknowledged", func(t *testing.T) {
		t.Parallel()
		k, store, l := startKafka(t), servicetest.OpenStore(t), newLedger(t)
		k.Close()
		k.start(kfake.BlackholeProduce())
		s := k.replica(store)
		l.record(s, 3*books)
		l.awaitRows(s)
	})
	t.Run("its life", func(t *testing.T) {
		t.Parallel()
		k, store, l := startKafka(t), servicetest.OpenStore(t), newLedger(t)
		s := k.replica(store)
		l.record(s, books)
		l.awaitRows(s)
		k.Close()
		l.record(s, 3*books)
		l.awaitRows(s)
		if err := s.Ready["kafka"](context.Background()); err == nil || !strings.Contains(err.Error(), "messages are not being") {
			t.Errorf("the readiness check says %v", err)
		}
		k.start()
	})
}

// TestReceiptsAreTakenWhileKafkaRefusesThePassword: the readiness check says what is wrong without making the service unready,
// and the messages are published once the password is right.
func TestReceiptsAreTakenWhileKafkaRefusesThePassword(t *testing.T) {
	t.Parallel()
	k, l := startKafka(t), newLedger(t)
	k.Close()
	k.folder = t.TempDir() // A broker takes its users from its data, if it has any.
	k.start(kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "premium", "right"))
	password := filepath.Join(t.TempDir(), "password")
	write := func(text string) {
		if err := os.WriteFile(password, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("wrong")
	s := servicetest.Start(t, Service().Definition(), servicetest.Options{
		Peers: map[string]http.Handler{"coverage": &k.coverage}, Flags: []string{"--bordereau-period", "month"},
		Kafka: cluster.Settings{Brokers: []string{k.addr}, SASL: cluster.ScramSHA512, User: "premium", PasswordFile: password},
	})
	l.record(s, 3*books)
	eventually(t, "the readiness check says what is wrong", func() bool {
		err := s.Ready["kafka"](context.Background())
		return err != nil && strings.Contains(err.Error(), cluster.PasswordFileSetting)
	})
	l.record(s, books)
	if got := metric(t, s, "bus_relay_backlog"); got != 4*books {
		t.Errorf("%v messages wait, want %d", got, 4*books)
	}
	l.awaitRows(s)

	write("right")
	eventually(t, "all messages are published", func() bool { return k.stored() >= 4*books })
	eventually(t, "nothing is wrong", func() bool { return s.Ready["kafka"](context.Background()) == nil })
}

// TestReceiptsOfACrashedProcessReachTheirRows: a process that ends before it has published, and a store that comes from a
// backup, hold receipts with marks about which there is no message.
func TestReceiptsOfACrashedProcessReachTheirRows(t *testing.T) {
	t.Parallel()
	k, store, l := startKafka(t), servicetest.OpenStore(t), newLedger(t)
	crashed := k.replica(store)
	crashed.Stop()
	l.record(crashed, 3*books)
	l.awaitRows(k.replica(store))
}

// TestThreeReplicasJoinAndLeaveUnderLoad: three processes of the service share a store, and in turn one of them ends and
// another one begins. Each row is the sum of its receipts.
func TestThreeReplicasJoinAndLeaveUnderLoad(t *testing.T) {
	t.Parallel()
	k, store, l := startKafka(t), servicetest.OpenStore(t), newLedger(t)
	var replicas [3]atomic.Pointer[servicetest.Service]
	for i := range replicas {
		replicas[i].Store(k.replica(store))
	}
	var callers sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	for i := range replicas {
		callers.Go(func() {
			for ctx.Err() == nil {
				l.record(replicas[i].Load(), books)
				time.Sleep(time.Millisecond)
			}
		})
	}
	for change := range 6 {
		i := change % len(replicas)
		last := replicas[i].Swap(k.replica(store))
		last.Stop()
		eventually(t, "three share the work", func() bool {
			info := k.GroupInfo(aggregation)
			return info != nil && len(info.Members) == 3 && info.NumAssigned() == 8
		})
	}
	cancel()
	callers.Wait()
	l.awaitRows(replicas[0].Load())
	for i := range replicas {
		eventually(t, "no receipt has a mark", func() bool { return metric(t, replicas[i].Load(), "bus_outbox_age_seconds") == 0 })
	}
}
