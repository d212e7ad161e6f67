package process

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/peer"
)

// Undialled returns dependencies for a service that is only asked for its declarations: without a store, peers and
// brokers.
func Undialled() Deps {
	return Deps{
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(), Now: time.Now,
		Unset: func(string, string) {},
		Peer:  func(string) *peer.Client { return nil },
	}
}
