package feed_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestAReceiverThatIsSlowForAnHour has the first attempt hang until it is given up, and those of an hour take long and
// fail. Meanwhile another webhook gets the same events at once, and then the slow one gets all of them in order.
func TestAReceiverThatIsSlowForAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hooked(t)
		r, quick := w.receive(), w.receive()
		w.put("slow", r.URL, "")
		w.put("quick", quick.URL, "")
		hung := make(chan struct{})
		var first sync.Once
		r.set(func() {
			r.attempts = 0
			r.answer = func(_ string, w http.ResponseWriter, request *http.Request) bool {
				first.Do(func() {
					close(hung)
					<-request.Context().Done()
				})
				w.WriteHeader(http.StatusServiceUnavailable)
				return false
			}
		})
		w.claim(1)
		w.claim(2)
		<-hung
		w.claim(3) // while the attempt is under way
		eventually(t, "all events at the quick one", func() bool { return quick.got() == "c1-1 c1-2 c1-3" })
		attempts := func(n int) func() bool {
			return func() bool { return w.shown("slow").Body["attempts"] == float64(n) }
		}
		eventually(t, "the end of the attempt that hangs", attempts(1))
		last := w.Must(200, "GET", "/x/webhook/slow/deliveries", "").Body["deliveries"].([]any)[0].(map[string]any)
		if last["id"] != "c1-1" || last["fault"] != "no response within 10s" || last["status"] != 0.0 {
			t.Errorf("the attempt that hung is %v", last)
		}
		began := w.clock.Now()
		for n := 2; w.clock.Now().Sub(began) < time.Hour; n++ {
			next, err := time.Parse(time.RFC3339, w.shown("slow").Member("nextAttempt"))
			if err != nil {
				t.Fatal(err)
			}
			w.clock.Pass(next.Sub(w.clock.Now()))
			eventually(t, fmt.Sprintf("attempt %d", n), attempts(n))
		}
		if got := r.got(); got != "" || r.tried() != 6 {
			t.Errorf("after an hour %d attempts were made, and %q arrived", r.tried(), got)
		}
		r.set(func() { r.answer = nil })
		w.clock.Pass(time.Hour)
		eventually(t, "all events", func() bool { return r.got() == "c1-1 c1-2 c1-3" })
		if shown := w.shown("slow"); shown.Member("state") != "active" {
			t.Errorf("after all: %s", shown.Text)
		}
	})
}
