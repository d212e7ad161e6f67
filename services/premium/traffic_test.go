package premium

import (
	"context"
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
	"insurance.example/exchange/pkg/kafka/cluster"
	"insurance.example/exchange/pkg/servicetest"
)

// TestRowsAreRightWhateverTheBrokerLoses: no receipt follows that would have its row computed again.
func TestRowsAreRightWhateverTheBrokerLoses(t *testing.T) {
	for what, loss := range map[string]func(k *broker){
		"its folder": func(k *broker) {
			if err := os.RemoveAll(k.Folder); err != nil {
				k.T.Fatal(err)
			}
		},
		"the ends of its logs": func(k *broker) {
			logs, err := filepath.Glob(filepath.Join(k.Folder, "partitions", "*", "*.dat"))
			if err != nil || len(logs) == 0 {
				k.T.Fatalf("there are %d logs (%v)", len(logs), err)
			}
			for _, path := range logs {
				if err := os.Truncate(path, 0); err != nil {
					k.T.Fatal(err)
				}
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			withKafka(t, func(t *testing.T, k *broker) {
				store, l := servicetest.OpenStore(t), newLedger(t)
				first := k.replica(store)
				l.record(first, 2*books)
				l.awaitRows(first)
				// No row can be computed from now on, so the news of these receipts is nowhere but in the broker.
				k.coverage.down.Store(true)
				l.record(first, 3*books)
				await(t, "the messages are acknowledged", func() bool {
					return k.Stored(events.BordereauTopic) >= 5*books
				})
				await(t, "each row was tried", func() bool {
					failing, _ := first.Metric("bus_outbox_failing")
					return failing >= books
				})
				first.Stop()
				k.Close()
				loss(k)
				k.Start()
				second := k.replica(store)
				if got := len(l.wrong(second)); got != books {
					t.Errorf("%d rows are wrong before the policies can be read again, want %d", got, books)
				}
				k.coverage.down.Store(false)
				l.awaitRows(second)
			})
		})
	}
	t.Run("what it has acknowledged", func(t *testing.T) {
		withKafka(t, func(t *testing.T, k *broker) {
			l, s := newLedger(t), k.replica(servicetest.OpenStore(t))
			l.record(s, 3*books)
			l.awaitRows(s)
		}, kfake.BlackholeProduce())
	})
	t.Run("its life", func(t *testing.T) {
		withKafka(t, func(t *testing.T, k *broker) {
			l, s := newLedger(t), k.replica(servicetest.OpenStore(t))
			l.record(s, books)
			l.awaitRows(s)
			k.Close()
			l.record(s, 3*books)
			l.awaitRows(s)
			if err := s.Ready["kafka"](context.Background()); err == nil ||
				!strings.Contains(err.Error(), "messages are not being") {
				t.Errorf("the readiness check says %v", err)
			}
			k.Start()
		})
	})
}

// TestReceiptsAreTakenWhileKafkaRefusesThePassword: the readiness check says what is wrong without making the service
// unready, and the messages are published once the password is right.
func TestReceiptsAreTakenWhileKafkaRefusesThePassword(t *testing.T) {
	withKafka(t, func(t *testing.T, k *broker) {
		l, password := newLedger(t), filepath.Join(t.TempDir(), "password")
		write := func(text string) {
			if err := os.WriteFile(password, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("wrong")
		settings := k.Settings()
		settings.SASL, settings.User, settings.PasswordFile = cluster.ScramSHA512, "premium", password
		s := servicetest.Start(t, Service().Definition(), servicetest.Options{
			Peers: map[string]http.Handler{"coverage": &k.coverage}, Flags: []string{"--bordereau-period", "month"},
			Kafka: settings,
		})
		l.record(s, 3*books)
		await(t, "the readiness check says what is wrong", func() bool {
			err := s.Ready["kafka"](context.Background())
			return err != nil && strings.Contains(err.Error(), cluster.PasswordFileSetting)
		})
		l.record(s, books)
		if got, _ := s.Metric("bus_relay_backlog"); got != 4*books {
			t.Errorf("%v messages wait, want %d", got, 4*books)
		}
		l.awaitRows(s)

		write("right")
		await(t, "all messages are published", func() bool { return k.Stored(events.BordereauTopic) >= 4*books })
		await(t, "nothing is wrong", func() bool { return s.Ready["kafka"](context.Background()) == nil })
	}, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "premium", "right"))
}

// TestReceiptsOfACrashedProcessReachTheirRows: a process that ends before it has published, and a store that comes
// from a backup, hold receipts with marks about which there is no message.
func TestReceiptsOfACrashedProcessReachTheirRows(t *testing.T) {
	withKafka(t, func(t *testing.T, k *broker) {
		store, l := servicetest.OpenStore(t), newLedger(t)
		crashed := k.replica(store)
		crashed.Stop()
		l.record(crashed, 3*books)
		l.awaitRows(k.replica(store))
	})
}

// TestThreeReplicasJoinAndLeaveUnderLoad: three processes of the service share a store, and in turn one of them ends
// and another one begins. Each row is the sum of its receipts.
func TestThreeReplicasJoinAndLeaveUnderLoad(t *testing.T) {
	withKafka(t, func(t *testing.T, k *broker) {
		store, l := servicetest.OpenStore(t), newLedger(t)
		var replicas [3]atomic.Pointer[servicetest.Service]
		for i := range replicas {
			replicas[i].Store(k.replica(store))
		}
		var callers sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for i := range replicas {
			callers.Go(func() {
				for ctx.Err() == nil {
					l.record(replicas[i].Load(), books)
					time.Sleep(l.pause())
				}
			})
		}
		for change := range 6 {
			i := change % len(replicas)
			last := replicas[i].Swap(k.replica(store))
			last.Stop()
			await(t, "three share the work", func() bool {
				info := k.GroupInfo(aggregation)
				return info != nil && len(info.Members) == 3 && info.NumAssigned() == 8
			})
		}
		cancel()
		callers.Wait()
		l.awaitRows(replicas[0].Load())
		for i := range replicas {
			await(t, "no receipt has a mark", func() bool {
				age, known := replicas[i].Load().Metric("bus_outbox_age_seconds")
				return known && age == 0
			})
		}
	})
}
