package load

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Register registers the metrics of a limiter, which deploy/README.md describes.
func (l *Limiter) Register(registerer prometheus.Registerer) {
	with := promauto.With(registerer)
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_limit", Help: "How many requests may be in work.",
	}, func() float64 { return float64(l.State().Limit) })
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_in_work", Help: "How many admitted requests are in work.",
	}, func() float64 { return float64(l.State().InWork) })
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_waiting", Help: "How many requests wait until they are worked on.",
	}, func() float64 { return float64(l.State().Waiting) })
	for _, class := range Classes() {
		with.NewCounterFunc(prometheus.CounterOpts{
			Name: "exchange_admission_admitted_total", Help: "Requests that were admitted.",
			ConstLabels: prometheus.Labels{"class": class.String()},
		}, func() float64 { return float64(l.State().Admitted[class]) })
		for _, reason := range Reasons() {
			with.NewCounterFunc(prometheus.CounterOpts{
				Name:        "exchange_admission_refused_total",
				Help:        "Requests that were refused because there were too many.",
				ConstLabels: prometheus.Labels{"class": class.String(), "reason": reason.String()},
			}, func() float64 { return float64(l.State().Refused[reason][class]) })
		}
	}
}

// Register registers the metrics of a gate, which deploy/README.md describes.
func (g *Gate) Register(registerer prometheus.Registerer) {
	promauto.With(registerer).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_requests_unread", Help: "Requests that have come and wait until they are read.",
	}, func() float64 { return float64(g.Waiting()) })
}

// Register registers the metrics of a holder, which deploy/README.md describes.
func (h *Holder) Register(registerer prometheus.Registerer) {
	with := promauto.With(registerer)
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_refusals_held", Help: "Refusals that are held back.",
	}, func() float64 { return float64(h.State().Held) })
	with.NewCounterFunc(prometheus.CounterOpts{
		Name: "exchange_refusals_held_total", Help: "Refusals that were held back because many were sent.",
	}, func() float64 { return float64(h.State().Total) })
	with.NewCounterFunc(prometheus.CounterOpts{
		Name: "exchange_refusals_beyond_total",
		Help: "Refusals that were sent at once and closed their connections because too many were held back.",
	}, func() float64 { return float64(h.State().Beyond) })
}

// Register registers the metric of a budget, which deploy/README.md describes.
func (b *Budget) Register(registerer prometheus.Registerer) {
	promauto.With(registerer).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_work_bytes",
		Help: "Memory that requests have taken from the budget of the process (work-memory).",
	}, func() float64 { return float64(b.Used()) })
}
