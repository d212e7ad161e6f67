package bus

import (
	"context"

	"insurance.example/exchange/pkg/tracing"
)

// HeaderTrace is the header of a message that carries the trace that the message is a part of (traceparent, W3C trace context).
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

// trace returns the traceparent of a message; empty if it has none.
func (m Message) trace() string {
	for _, h := range m.Headers {
		if h.Key == HeaderTrace {
			return string(h.Value)
		}
	}
	return ""
}

// outgoing is a message that awaits publication, with the span of that.
type outgoing struct {
	Message
	span tracing.Span
}

// traced begins the span of the publication of a message. The message then carries that span.
func traced(tracer *tracing.Tracer, topic string, m Message) outgoing {
	_, span := tracer.Message(context.Background(), "send "+topic, tracing.Producer, m.trace(), nil, attributes(topic, "send")...)
	if !span.Recording() {
		return outgoing{Message: m}
	}
	headers := TraceHeaders(span.Parent())
	for _, h := range m.Headers {
		if h.Key != HeaderTrace {
			headers = append(headers, h)
		}
	}
	m.Headers = headers
	return outgoing{m, span}
}

func attributes(topic, operation string) []tracing.Attribute {
	return []tracing.Attribute{
		tracing.Text("messaging.system", "kafka"), tracing.Text("messaging.destination.name", topic), tracing.Text("messaging.operation.type", operation),
	}
}

// handling is the spans of the handling of equal messages: in each of their traces one.
type handling []tracing.Span

// beginHandling begins to record the handling of equal messages. The first trace gets what the handler does, and links to
// the others; each of the others gets a span that links to the first.
func beginHandling(ctx context.Context, tracer *tracing.Tracer, name, topic string, traces []string) (context.Context, handling) {
	if len(traces) == 0 {
		return ctx, nil
	}
	within, first := tracer.Message(ctx, name, tracing.Consumer, traces[0], traces[1:], attributes(topic, "process")...)
	spans := handling{first}
	for _, trace := range traces[1:] {
		_, other := tracer.Message(ctx, name, tracing.Consumer, trace, []string{first.Parent()}, attributes(topic, "process")...)
		spans = append(spans, other)
	}
	return within, spans
}

// end ends the spans with the outcome of the handler.
func (h handling) end(err error) {
	for _, span := range h {
		switch {
		case IsPoison(err):
			span.Fail("poison")
		case err != nil:
			span.Fail("tried again")
		}
		span.End()
	}
}
