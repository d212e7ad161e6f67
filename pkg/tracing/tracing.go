// Package tracing records what is done for a request as spans of OpenTelemetry, and sends them to a collector (OTLP over HTTP).
//
// One trace goes from the gateway through the services, their stores and the messages between them. The gateway decides whether
// a request is traced; the header traceparent (W3C trace context) carries the decision. A collector that is away neither blocks
// nor fails a request: the spans that wait for it are bounded, and those beyond are dropped and counted.
//
// A span holds no personal data: no path, no query, no body, no value of a record, and no text of an error.
//
// The package takes the messages of OTLP from OpenTelemetry, and records by itself: the SDK makes each command 1 MB larger, and
// its exporter, which contains gRPC, 11 MB.
package tracing

import (
	"context"
	"log/slog"
	"math/rand/v2"

	"github.com/prometheus/client_golang/prometheus"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
)

// scope names what records the spans.
const scope = "insurance.example/exchange"

// mostLinks bounds the links of a span.
const mostLinks = 64

// Tracing sends the spans of the services of a process. A nil Tracing traces nothing.
type Tracing struct {
	settings Settings
	version  string
	sender   *sender
}

// Open begins to send spans, if the settings name an endpoint; else it returns nil. version is that of the process. It does not
// fail: what keeps spans from being sent is logged, once until it is over.
func Open(settings Settings, version string, log *slog.Logger, metrics prometheus.Registerer) *Tracing {
	if settings.Endpoint == nil {
		return nil
	}
	return &Tracing{settings: settings, version: version, sender: newSender(settings.Endpoint, log, metrics)}
}

// Close sends the spans that wait, for at most 3 s. It always returns nil: a collector that is away is no fault of the process.
func (t *Tracing) Close() error {
	if t != nil {
		t.sender.close()
	}
	return nil
}

// Tracer returns the tracer of a service of the process; nil if nothing is traced.
func (t *Tracing) Tracer(service string) *Tracer {
	if t == nil {
		return nil
	}
	return &Tracer{tracing: t, resource: &resourcepb.Resource{Attributes: []Attribute{
		Text("service.namespace", "insurance-exchange"), Text("service.name", service), Text("service.version", t.version),
	}}}
}

// Tracer begins the spans of one service that have no parent in the process. A nil Tracer begins none.
type Tracer struct {
	tracing  *Tracing
	resource *resourcepb.Resource
}

// Request begins the span of a request that came with a traceparent, which may be empty. outside says that it comes from a
// caller outside of the exchange: the trace of the caller is continued, but whether it is recorded is decided here, because a
// caller could have everything recorded otherwise.
func (t *Tracer) Request(ctx context.Context, parent string, outside bool) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	settings, from := &t.tracing.settings, parse(parent)
	if !from.valid() || outside && !settings.FollowCallers {
		from.sampled = rand.Float64() < settings.Sample
	}
	return t.begin(ctx, "request", Server, from, nil)
}

// Message begins a span of kind Producer or Consumer for a message, whose parent is a traceparent. It records nothing if that is
// not recorded. links holds the traceparents of further messages that the span is about.
func (t *Tracer) Message(ctx context.Context, name string, kind Kind, parent string, links []string, attributes ...Attribute) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	from := parse(parent)
	if !from.valid() || !from.sampled {
		return ctx, Span{}
	}
	ctx, span := t.begin(ctx, name, kind, from, attributes)
	for _, link := range links[:min(len(links), mostLinks)] {
		span.record.link(parse(link))
	}
	return ctx, span
}
