package feed_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const lagMetric = "exchange_webhook_lag_seconds"

// TestTheLagOfAWebhookIsTrueInEachReplica: the replica that delivers shows how late the event is, or all do while it
// waits; none goes on showing what it knew earlier.
func TestTheLagOfAWebhookIsTrueInEachReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := hooked(t)
		replicas := []*world{first, first.beside()}
		r := first.receive()
		replicas[0].put("one", r.URL, "")
		claim := func(version int64) {
			for _, w := range replicas {
				w.claim(version)
			}
		}
		pass := func(d time.Duration) {
			for _, w := range replicas {
				w.clock.Pass(d)
			}
		}
		// lags returns how many replicas show this lag, and how many show another.
		lags := func(want time.Duration) (same, others int) {
			for _, w := range replicas {
				switch lag, shown := w.Metric(lagMetric); {
				case shown && lag == want.Seconds():
					same++
				case shown:
					others++
				}
			}
			return same, others
		}
		for round := range int64(2) {
			pass(time.Hour)
			r.set(func() {
				r.answer = func(_ string, w http.ResponseWriter, _ *http.Request) bool {
					w.WriteHeader(http.StatusInternalServerError)
					return false
				}
			})
			claim(2*round + 1)
			// The events of these logs happened when the clocks began.
			late := func() time.Duration { return replicas[0].clock.Now().Sub(base.Add(time.Hour)) }
			eventually(t, "each shows how late the event is that waits", func() bool {
				same, others := lags(late())
				return same == len(replicas) && others == 0
			})
			reached, goOn := make(chan struct{}), make(chan struct{})
			release := sync.OnceFunc(func() { close(goOn) })
			t.Cleanup(release)
			r.set(func() {
				accepted := 0
				r.answer = func(string, http.ResponseWriter, *http.Request) bool {
					if accepted++; accepted == 2 {
						close(reached)
						<-goOn
					}
					return true
				}
			})
			claim(2*round + 2)
			pass(5 * time.Second)
			<-reached
			eventually(t, "the one that delivers shows how late its event is, and the other nothing", func() bool {
				same, others := lags(late())
				return same == 1 && others == 0
			})
			release()
			eventually(t, "each shows that there is none to deliver", func() bool {
				same, others := lags(0)
				return same == len(replicas) && others == 0
			})
		}
		replicas[1].Must(http.StatusOK, http.MethodPost, "/x/webhook/one:pause", "")
		eventually(t, "none shows a lag of what nobody delivers", func() bool {
			same, others := lags(0)
			return same+others == 0
		})
	})
}
