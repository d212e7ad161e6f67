package process

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"insurance.example/exchange/pkg/load"
)

// registerWork registers the metrics of what requests have in work, which deploy/README.md describes.
func registerWork(registerer prometheus.Registerer, work *load.Budget, turns *load.Turns) {
	with := promauto.With(registerer)
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_work_bytes", Help: "Memory that requests have taken from the budget of the process (work-memory).",
	}, func() float64 { return float64(work.Used()) })
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_large_requests", Help: "Large requests that are worked on, at most large-requests.",
	}, func() float64 { return float64(turns.Taken()) })
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_large_requests_waiting", Help: "Large requests that wait until they are worked on.",
	}, func() float64 { return float64(turns.Waiting()) })
	with.NewCounterFunc(prometheus.CounterOpts{
		Name: "exchange_large_requests_refused_total", Help: "Large requests that were refused because too many waited, or waited for too long.",
	}, func() float64 { return float64(turns.Refused()) })
}
