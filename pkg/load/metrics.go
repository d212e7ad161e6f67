package load

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"insurance.example/exchange/pkg/problem"
)

// Register registers the metrics of a limiter, which deploy/README.md describes.
func (l *Limiter) Register(registerer prometheus.Registerer) {
	with := promauto.With(registerer)
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_limit", Help: "How many requests may be in work.",
	}, func() float64 { return float64(l.config.Most) })
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_in_work", Help: "How many admitted requests are in work.",
	}, func() float64 { return float64(l.State().InWork) })
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_waiting", Help: "How many requests wait until they are worked on.",
	}, func() float64 { return float64(l.State().Waiting) })
	with.NewCounterFunc(prometheus.CounterOpts{
		Name: "exchange_admission_admitted_total", Help: "Requests that were admitted.",
	}, func() float64 { return float64(l.State().Admitted) })
	for problem, count := range map[string]func() int64{
		problem.Overloaded.Slug():  func() int64 { return l.State().Overloaded },
		problem.ShareUsedUp.Slug(): func() int64 { return l.State().ShareUsedUp },
	} {
		with.NewCounterFunc(prometheus.CounterOpts{
			Name:        "exchange_admission_refused_total",
			Help:        "Requests that were refused because there were too many.",
			ConstLabels: prometheus.Labels{"problem": problem},
		}, func() float64 { return float64(count()) })
	}
}

// Register registers the metric of a budget, which deploy/README.md describes.
func (b *Budget) Register(registerer prometheus.Registerer) {
	promauto.With(registerer).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_work_bytes",
		Help: "Memory that requests have taken from the budget of the process (work-memory).",
	}, func() float64 { return float64(b.Used()) })
}
