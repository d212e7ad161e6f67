package premium

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/wait"
)

// BenchmarkTraffic has 16 callers record receipts of so many policies for some seconds, while Kafka carries the news
// of them and while it loses all. It says how many were taken in a second, and how long after the last of them every
// one was in its row.
func BenchmarkTraffic(b *testing.B) {
	for _, policies := range []int{1, 100, 100_000} {
		b.Run(fmt.Sprint(policies), func(b *testing.B) { measureTraffic(b, policies) })
		b.Run(fmt.Sprint(policies, "-lost"), func(b *testing.B) {
			measureTraffic(b, policies, kfake.BlackholeProduce())
		})
	}
}

// measureTraffic measures with a broker that has options.
func measureTraffic(b *testing.B, policies int, options ...kfake.Opt) {
	for b.Loop() {
		store := &countingStore{Store: servicetest.OpenStore(b)}
		s := (&broker{Broker: kafkatest.Open(b, options...)}).replica(store)
		var count, last atomic.Int64
		var callers sync.WaitGroup
		began := time.Now()
		for range 16 {
			callers.Go(func() {
				for time.Since(began) < 5*time.Second {
					n := count.Add(1)
					body := fmt.Sprintf(`{"receiptType":"new policy","policyNumber":"P%d","paymentAmount":1}`,
						n%int64(policies))
					if a := s.Do("POST", "/receipt", body); a.Status != http.StatusCreated {
						b.Errorf("%d %s", a.Status, a.Text)
					}
					last.Store(time.Now().UnixNano())
				}
			})
		}
		callers.Wait()
		b.ReportMetric(float64(count.Load())/5, "receipts/s")
		wait.For(b, "no receipt has a mark", func() bool {
			marked, err := store.receipts.Unsent(b.Context(), organisation.Sole(), uuid.Nil, 1)
			return err == nil && len(marked) == 0
		})
		b.ReportMetric(time.Since(time.Unix(0, last.Load())).Seconds(), "s-until-right")
		s.Stop()
	}
}
