package webhook

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/docstore"
)

// TestWebhooksOfOneNameHideNothing shows webhooks of two organisations that have one name, one of which is paused, or
// late.
func TestWebhooksOfOneNameHideNothing(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := newMetrics(registry)
	now := time.Now()
	value := func(name string) (values []float64) {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			for _, series := range f.Metric {
				if f.GetName() == name {
					if len(series.Label) != 1 {
						t.Errorf("%s has the labels %v", name, series.Label)
					}
					values = append(values, series.GetGauge().GetValue())
				}
			}
		}
		return values
	}
	one := func(name string, want ...float64) {
		t.Helper()
		if got := value(name); len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	const paused, lag = "exchange_webhook_paused", "exchange_webhook_lag_seconds"
	a, b := &endpoint{Name: "rv", at: docstore.At{Owner: "a"}}, &endpoint{Name: "rv", at: docstore.At{Owner: "b"}}
	for range 2 { // whichever is shown last
		b.Why, b.Waiting = "A caller has paused it.", now.Add(-time.Minute)
		m.shows(b, "self", now)
		m.shows(a, "self", now)
		one(paused, 1)
		one(lag, 60)
		m.delays(a.key(), time.Second)
		one(lag, 60)
		m.forget(a.key())
		one(paused, 1)
		one(lag, 60)
		m.shows(a, "self", now)
		m.forget(b.key())
		one(paused, 0)
		one(lag, 0)
		a.Holder = "another"
		m.shows(a, "self", now)
		one(lag)
		m.forget(a.key())
		one(paused)
		a, b = b, a
		*a, *b = endpoint{Name: "rv", at: docstore.At{Owner: "b"}}, endpoint{Name: "rv", at: docstore.At{Owner: "a"}}
	}
	if families, _ := registry.Gather(); len(families) > 0 {
		t.Errorf("there is still %s", strings.Join(strings.Fields(families[0].String()), " "))
	}
}
