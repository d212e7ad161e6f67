package tracing

import (
	"context"
	"log/slog"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
)

const (
	// mostWaiting bounds the spans that wait to be sent, and so their memory.
	mostWaiting = 4096
	// batch is the most spans that are sent at once, and linger how long they are gathered.
	batch  = 512
	linger = time.Second
	// closePatience bounds the sending of the last spans.
	closePatience = 3 * time.Second
)

// sender sends spans in the background.
type sender struct {
	collector *collector
	queue     chan *record
	// closing is closed when no more spans are to be waited for, and ended when the last ones are sent. cancel ends the sending.
	closing, ended chan struct{}
	cancel         context.CancelFunc
	log            *slog.Logger

	sent, failed, dropped prometheus.Counter
	failing               bool
}

func newSender(endpoint *url.URL, log *slog.Logger, metrics prometheus.Registerer) *sender {
	spans := promauto.With(metrics).NewCounterVec(prometheus.CounterOpts{
		Name: "trace_spans_total", Help: "Spans by what became of them: sent, failed (the collector did not take them) or dropped (too many waited).",
	}, []string{"outcome"})
	ctx, cancel := context.WithCancel(context.Background())
	s := &sender{
		collector: newCollector(endpoint), queue: make(chan *record, mostWaiting),
		closing: make(chan struct{}), ended: make(chan struct{}), cancel: cancel, log: log,
		sent: spans.WithLabelValues("sent"), failed: spans.WithLabelValues("failed"), dropped: spans.WithLabelValues("dropped"),
	}
	go s.run(ctx)
	return s
}

// add has an ended span sent. It never blocks.
func (s *sender) add(r *record) {
	select {
	case s.queue <- r:
	default:
		s.dropped.Inc()
	}
}

func (s *sender) run(ctx context.Context) {
	defer close(s.ended)
	ticker := time.NewTicker(linger)
	defer ticker.Stop()
	var gathered []*record
	for {
		select {
		case r := <-s.queue:
			if gathered = append(gathered, r); len(gathered) < batch {
				continue
			}
		case <-ticker.C:
		case <-s.closing:
			s.finish(ctx, gathered)
			return
		}
		s.send(ctx, gathered)
		gathered = nil
	}
}

// finish sends the spans that are left.
func (s *sender) finish(ctx context.Context, gathered []*record) {
	for {
		select {
		case r := <-s.queue:
			if gathered = append(gathered, r); len(gathered) == batch {
				s.send(ctx, gathered)
				gathered = nil
			}
		default:
			s.send(ctx, gathered)
			return
		}
	}
}

// send sends spans, and logs when that begins to fail and when it works again.
func (s *sender) send(ctx context.Context, records []*record) {
	if len(records) == 0 {
		return
	}
	err := s.collector.send(ctx, grouped(records))
	outcome := s.sent
	if err != nil {
		outcome = s.failed
	}
	outcome.Add(float64(len(records)))
	switch {
	case err != nil && !s.failing:
		s.log.Warn("traces are not being sent", "collector", s.collector.host, "cause", err)
	case err == nil && s.failing:
		s.log.Info("traces are being sent again", "collector", s.collector.host)
	}
	s.failing = err != nil
}

// grouped puts spans below the services that recorded them.
func grouped(records []*record) *tracepb.TracesData {
	data := &tracepb.TracesData{}
	of := map[*Tracer]*tracepb.ScopeSpans{}
	for _, r := range records {
		spans := of[r.tracer]
		if spans == nil {
			spans = &tracepb.ScopeSpans{Scope: &commonpb.InstrumentationScope{Name: scope, Version: r.tracer.tracing.version}}
			of[r.tracer] = spans
			data.ResourceSpans = append(data.ResourceSpans, &tracepb.ResourceSpans{Resource: r.tracer.resource, ScopeSpans: []*tracepb.ScopeSpans{spans}})
		}
		spans.Spans = append(spans.Spans, r.span)
	}
	return data
}

// close sends the spans that wait, and gives up after some seconds.
func (s *sender) close() {
	close(s.closing)
	select {
	case <-s.ended:
	case <-time.After(closePatience):
		s.cancel()
		<-s.ended
	}
}
