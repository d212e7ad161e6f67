package tracing

import (
	"context"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// parentHeader is the header of the W3C trace context that says which span a request follows from, and whether that
// is recorded.
const parentHeader = "traceparent"

// nothing is a span that records nothing.
var nothing trace.Span = noop.Span{}

// Request begins the span of a request that came with a traceparent, or, if that is empty, of one that follows from
// the span that ctx carries, if any. The span has to be ended. It does not cost anything if nothing is traced.
func Request(ctx context.Context, tracer trace.Tracer, parent string) (context.Context, trace.Span) {
	if off(tracer) {
		return ctx, nothing
	}
	return tracer.Start(following(ctx, parent), "request", trace.WithSpanKind(trace.SpanKindServer))
}

// Begin begins a span below the one that ctx carries, of the same service. If that is not recorded, it returns ctx as
// it is and a span that records nothing.
func Begin(
	ctx context.Context, name string, kind trace.SpanKind, attributes ...attribute.KeyValue,
) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, nothing
	}
	return parent.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithSpanKind(kind),
		trace.WithAttributes(attributes...))
}

// Together begins a span in each of some traces (traceparents), about what is done for all of them at once. The context
// is that of the first, whose span links to the traces of the others; theirs link to it. Of traces that are not
// recorded there is no span.
func Together(
	ctx context.Context, tracer trace.Tracer, name string, parents []string,
) (within context.Context, spans []trace.Span) {
	if off(tracer) {
		return ctx, nil
	}
	var recorded []trace.SpanContext
	for _, parent := range parents {
		from := trace.SpanContextFromContext(following(context.Background(), parent))
		if from.IsSampled() {
			recorded = append(recorded, from)
		}
	}
	within = ctx
	for i, from := range recorded {
		linked := recorded[1:]
		if i > 0 {
			linked = []trace.SpanContext{spans[0].SpanContext()}
		}
		var links []trace.Link
		for _, to := range linked {
			links = append(links, trace.Link{SpanContext: to})
		}
		begun, span := tracer.Start(trace.ContextWithRemoteSpanContext(ctx, from), name,
			trace.WithSpanKind(trace.SpanKindConsumer), trace.WithLinks(links...))
		if spans = append(spans, span); i == 0 {
			within = begun
		}
	}
	return within, spans
}

// off reports whether a tracer records nothing, so that nothing need be prepared for it.
func off(tracer trace.Tracer) bool {
	_, none := tracer.(noop.Tracer)
	return none || tracer == nil
}

// following returns ctx with the span of a traceparent, or ctx as it is if that is empty or malformed.
func following(ctx context.Context, parent string) context.Context {
	if parent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{parentHeader: parent})
}

// Fail says that what the span is about failed. kind is one of few words; the text of an error could hold personal
// data.
func Fail(span trace.Span, kind string) {
	span.SetAttributes(attribute.String("error.type", kind))
	span.SetStatus(codes.Error, "")
}

// Parent returns the traceparent of what follows from the span; it is empty if nothing is traced.
func Parent(span trace.Span) string {
	if !span.SpanContext().IsValid() {
		return ""
	}
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpan(context.Background(), span), header)
	return header[parentHeader]
}

// Inject sets the header traceparent of a request that is made with ctx, if something is traced.
func Inject(ctx context.Context, header http.Header) {
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(header))
}

// Observe adds a value to a histogram. If the span is recorded, its trace is kept as an example of such a value.
func Observe(span trace.Span, to prometheus.Observer, value float64) {
	if with, ok := to.(prometheus.ExemplarObserver); ok && span.IsRecording() {
		with.ObserveWithExemplar(value, prometheus.Labels{"trace_id": span.SpanContext().TraceID().String()})
		return
	}
	to.Observe(value)
}
