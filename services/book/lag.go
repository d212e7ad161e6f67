package book

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// lag says how far the book follows what happens.
type lag struct{ watermark, failing prometheus.Gauge }

func newLag(registerer prometheus.Registerer) *lag {
	l := &lag{
		watermark: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "exchange_book_watermark_seconds",
			Help: "The instant up to which the book has read what happened, as a Unix time by the clocks of the " +
				"stores.",
		}),
		failing: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "exchange_book_behind", Help: "Whether the book does not follow, because a service does not respond.",
		}),
	}
	registerer.MustRegister(l.watermark, l.failing)
	return l
}

// reaches notes up to which instant everything was read.
func (l *lag) reaches(at time.Time) { l.watermark.Set(float64(at.UnixMilli()) / 1000) }

// behind notes whether the book does not follow.
func (l *lag) behind(is bool) {
	l.failing.Set(0)
	if is {
		l.failing.Set(1)
	}
}
