// Package tracing has what is done for a request recorded as spans by the SDK of OpenTelemetry, and sent to a
// collector (OTLP over HTTP).
//
// One trace goes from the gateway through the services, their stores and the messages between them. The gateway
// decides whether a request is traced; the header traceparent (W3C trace context) carries the decision. A collector
// that is away neither blocks nor fails a request: the spans that wait for it are bounded, and those beyond are
// dropped and counted.
//
// A span holds no personal data: no path, no query, no body, no value of a record, and no text of an error. This is why
// otelgin and otelhttp do not make the spans: they write the path of a request into them, as their conventions say.
package tracing

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// scope names what records the spans.
const scope = "insurance.example/exchange"

// closePatience bounds the sending of the last spans.
const closePatience = 3 * time.Second

// Tracing sends the spans of the services of a process. A nil Tracing traces nothing.
type Tracing struct {
	settings Settings
	version  string
	queue    sdktrace.SpanProcessor
	// giveUp ends what is being sent.
	giveUp context.CancelFunc
}

// Open begins to send spans, if the settings name an endpoint; else it returns nil. version is the version of the
// process. It does not fail: if spans cannot be sent, it logs that once.
func Open(settings Settings, version string, log *slog.Logger, metrics prometheus.Registerer) *Tracing {
	if settings.Endpoint == nil {
		return nil
	}
	lasting, giveUp := context.WithCancel(context.Background())
	return &Tracing{settings, version, newQueue(newCollector(lasting, settings.Endpoint), log, metrics), giveUp}
}

// Close sends the spans that wait, and gives up after 3 s. It always returns nil: a collector that is away is no
// fault of the process.
func (t *Tracing) Close() error {
	if t != nil {
		late := time.AfterFunc(closePatience, t.giveUp)
		defer late.Stop()
		_ = t.queue.Shutdown(context.Background())
	}
	return nil
}

// Tracer returns the tracer of a service of the process that only other processes of the exchange call: it adheres to
// the decision of the gateway. It records nothing if nothing is traced.
func (t *Tracing) Tracer(service string) trace.Tracer {
	return t.tracer(service, func(fraction float64) sdktrace.Sampler {
		return sdktrace.ParentBased(sdktrace.TraceIDRatioBased(fraction))
	})
}

// EntranceTracer returns the tracer of a service that callers outside of the exchange call, the gateway. It continues
// the trace of a caller, but decides by itself whether that is recorded, unless Settings.FollowCallers says
// otherwise. It records nothing if nothing is traced.
func (t *Tracing) EntranceTracer(service string) trace.Tracer {
	if t == nil || t.settings.FollowCallers {
		return t.Tracer(service)
	}
	return t.tracer(service, func(fraction float64) sdktrace.Sampler {
		own := chance(fraction)
		return sdktrace.ParentBased(own, sdktrace.WithRemoteParentSampled(own),
			sdktrace.WithRemoteParentNotSampled(own))
	})
}

func (t *Tracing) tracer(service string, sampler func(fraction float64) sdktrace.Sampler) trace.Tracer {
	if t == nil {
		return noop.NewTracerProvider().Tracer(scope)
	}
	// Each service has a provider of its own, because the name of the service is what the provider says about all of
	// its spans.
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sampler(t.settings.Sample)),
		sdktrace.WithSpanProcessor(t.queue),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.namespace", "insurance-exchange"),
			attribute.String("service.name", service),
			attribute.String("service.version", t.version),
		)),
	)
	return provider.Tracer(scope, trace.WithInstrumentationVersion(t.version))
}
