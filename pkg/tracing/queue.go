package tracing

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

const (
	// mostWaiting bounds the spans that wait to be sent, and so their memory.
	mostWaiting = 4096
	// batch is the most spans that are sent at once, and linger how long they are gathered.
	batch  = 512
	linger = time.Second
	// sendingTimeout bounds all attempts to send a batch.
	sendingTimeout = 20 * time.Second
)

// queue has ended spans wait until the processor of the SDK sends them, in batches and in the background. It counts
// what became of them, which the processor does not tell.
type queue struct {
	sdktrace.SpanProcessor
	outlet *outlet
}

func newQueue(collector *collector, log *slog.Logger, metrics prometheus.Registerer) *queue {
	spans := promauto.With(metrics).NewCounterVec(prometheus.CounterOpts{
		Name: "trace_spans_total", Help: "Spans by what became of them: sent, failed (the collector did not take " +
			"them) or dropped (too many waited).",
	}, []string{"outcome"})
	exporter, _ := otlptrace.New(collector.lasting, collector) // fails only if the collector does, when it is started
	o := &outlet{
		SpanExporter: exporter, host: collector.host, log: log,
		sent: spans.WithLabelValues("sent"), failed: spans.WithLabelValues("failed"),
		dropped: spans.WithLabelValues("dropped"),
	}
	return &queue{sdktrace.NewBatchSpanProcessor(o, sdktrace.WithMaxQueueSize(mostWaiting),
		sdktrace.WithMaxExportBatchSize(batch),
		sdktrace.WithBatchTimeout(linger), sdktrace.WithExportTimeout(sendingTimeout)), o}
}

// OnEnd has an ended span sent, or drops it if too many wait. It never blocks.
func (q *queue) OnEnd(span sdktrace.ReadOnlySpan) {
	if q.outlet.waiting.Add(1) > mostWaiting {
		q.outlet.waiting.Add(-1)
		q.outlet.dropped.Inc()
		return
	}
	q.SpanProcessor.OnEnd(span)
}

// outlet sends batches of spans, counts them, and logs when that begins to fail and when it works again.
type outlet struct {
	sdktrace.SpanExporter
	host string
	log  *slog.Logger
	// waiting is the number of spans that ended and are not being sent yet.
	waiting               atomic.Int64
	sent, failed, dropped prometheus.Counter
	failing               bool
}

// ExportSpans sends spans. It always returns nil, because the SDK would log the error each time.
func (o *outlet) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	o.waiting.Add(-int64(len(spans)))
	err := o.SpanExporter.ExportSpans(ctx, spans)
	outcome := o.sent
	if err != nil {
		outcome = o.failed
	}
	outcome.Add(float64(len(spans)))
	switch {
	case err != nil && !o.failing:
		o.log.Warn("traces are not being sent", "collector", o.host, "cause", err)
	case err == nil && o.failing:
		o.log.Info("traces are being sent again", "collector", o.host)
	}
	o.failing = err != nil
	return nil
}
