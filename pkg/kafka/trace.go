package kafka

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/tracing"
)

// HeaderTrace is the header of a message that carries the trace that the message is a part of (traceparent, W3C trace
// context).
const HeaderTrace = "traceparent"

// mostTraces bounds the traces that the handling of equal messages is recorded in.
const mostTraces = 64

// TraceHeaders returns the headers of a message that is a part of a trace; none if parent, a traceparent, is empty.
func TraceHeaders(parent string) []Header {
	if parent == "" {
		return nil
	}
	return []Header{{Key: HeaderTrace, Value: []byte(parent)}}
}

// Traces returns the traceparent of a message, or nothing if it has none.
func (m Message) Traces() []string {
	if parent := m.trace(); parent != "" {
		return []string{parent}
	}
	return nil
}

func (m Message) trace() string {
	for _, h := range m.Headers {
		if h.Key == HeaderTrace {
			return string(h.Value)
		}
	}
	return ""
}

// TraceName returns what the log says of the trace of a message; nothing if it has none.
func TraceName(m Message) []any {
	id := tracing.TraceID(m.trace())
	if id == "" {
		return nil
	}
	return []any{"trace", id}
}

// StartSending begins the span of the publication of a message. The message that it returns carries that span.
func StartSending(tracer trace.Tracer, topic string, m Message) (Message, trace.Span) {
	_, span := tracing.Message(context.Background(), tracer, "send "+topic, trace.SpanKindProducer, m.trace(), nil,
		attributes(topic, "send")...)
	if !span.IsRecording() {
		return m, span
	}
	headers := TraceHeaders(tracing.Parent(span))
	for _, h := range m.Headers {
		if h.Key != HeaderTrace {
			headers = append(headers, h)
		}
	}
	m.Headers = headers
	return m, span
}

func attributes(topic, operation string) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("messaging.system", "kafka"), attribute.String("messaging.destination.name", topic),
		attribute.String("messaging.operation.type", operation),
	}
}

// Handling is the spans of the handling of equal messages: one in the trace of each.
type Handling []trace.Span

// StartHandling begins to record the handling of equal messages, which are part of the given traces (traceparents).
// The first trace gets what the handler does, and links to the others; each of the others gets a span that links to
// the first.
func StartHandling(
	ctx context.Context, tracer trace.Tracer, name, topic string, traces []string,
) (context.Context, Handling) {
	if len(traces) == 0 {
		return ctx, nil
	}
	within, first := tracing.Message(ctx, tracer, name, trace.SpanKindConsumer, traces[0], traces[1:],
		attributes(topic, "process")...)
	spans := Handling{first}
	for _, parent := range traces[1:] {
		_, other := tracing.Message(ctx, tracer, name, trace.SpanKindConsumer, parent, []string{tracing.Parent(first)},
			attributes(topic, "process")...)
		spans = append(spans, other)
	}
	return within, spans
}

// End ends the spans with the outcome of the handler.
func (h Handling) End(err error) {
	for _, span := range h {
		switch {
		case IsPoison(err):
			tracing.Fail(span, "poison")
		case err != nil:
			tracing.Fail(span, "tried again")
		}
		span.End()
	}
}
