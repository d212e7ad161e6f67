package premium

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/outbox"
	"insurance.example/exchange/pkg/servicetest"
)

// TestWithoutBrokersTheProcessComputesItsRows: each row is right within a second of its last receipt, and is computed
// once in that time however many come.
func TestWithoutBrokersTheProcessComputesItsRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seconds, nanoseconds := uuid.Must(uuid.NewV7()).Time().UnixTime()
		time.Sleep(time.Until(time.Unix(seconds, nanoseconds)) + time.Second)
		l, coverage := newLedger(t), new(policies)
		s := servicetest.Start(t, Service().Definition(), servicetest.Options{
			Store: servicetest.OpenStore(t), Peers: map[string]http.Handler{"coverage": coverage},
			Flags: []string{"--bordereau-period", "month"},
		})
		right := func(after time.Duration) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if wrong := l.wrong(s); len(wrong) > 0 {
				t.Errorf("after %s: %v", after, wrong)
			}
		}
		l.record(s, books)
		right(100 * time.Millisecond)
		l.record(s, 10*books)
		right(outbox.Apart + 100*time.Millisecond)
		// While rows cannot be computed receipts are taken, and the rows are right once they can.
		coverage.down.Store(true)
		l.record(s, 3*books)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got, _ := s.Metric("bus_outbox_failing"); got != books {
			t.Errorf("%v rows fail, want %d", got, books)
		}
		if wrong := l.wrong(s); len(wrong) != books {
			t.Errorf("%d rows are wrong, want %d", len(wrong), books)
		}
		if err := s.Ready["rows"](t.Context()); err == nil {
			t.Error("the readiness check says nothing of rows that cannot be computed")
		}
		coverage.down.Store(false)
		right(15 * time.Second)
		for _, check := range []string{"kafka", "rows"} {
			if err := s.Ready[check](t.Context()); err != nil {
				t.Errorf("the readiness check %s says %v", check, err)
			}
		}
		s.Stop()
	})
}
