package tracing

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// silent is a collector that never responds.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestCollectorThatIsAwayHoldsNothingUp ends more spans than are kept, while nobody takes them: the collector never
// responds. All attempts to send all batches would take more than two minutes.
func TestCollectorThatIsAwayHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry := prometheus.NewRegistry()
		lasting, giveUp := context.WithCancel(context.Background())
		away := newCollector(lasting, &url.URL{Scheme: "http", Host: "collector:4318"})
		away.client.Transport = silent{}
		traces := &Tracing{
			Settings{Sample: 1}, "1.2.3", newQueue(away, slog.New(slog.DiscardHandler), registry), giveUp,
		}
		tracer, began := traces.Tracer("claims"), time.Now()
		const many = 6000
		for range many {
			_, span := Request(context.Background(), tracer,
				"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
			span.End()
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the spans were held up for %v", took)
		}
		_ = traces.Close()
		if took := time.Since(began); took != closePatience {
			t.Errorf("closing took %v, want %v", took, closePatience)
		}
		var counted float64
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range families[0].GetMetric() {
			counted += m.GetCounter().GetValue()
		}
		dropped := families[0].GetMetric()[0].GetCounter().GetValue()
		if counted != many || dropped < many-mostWaiting-3*batch {
			t.Errorf("%v spans are counted of %d, %v as dropped", counted, many, dropped)
		}
	})
}
