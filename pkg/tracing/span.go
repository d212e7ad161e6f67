package tracing

import (
	"context"
	"encoding/hex"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
)

// Kind is the place of a span among others.
type Kind = tracepb.Span_SpanKind

// The kinds of spans: Server handles a request, and Client makes one; Producer sends a message, and Consumer handles it.
const (
	Server   = tracepb.Span_SPAN_KIND_SERVER
	Client   = tracepb.Span_SPAN_KIND_CLIENT
	Producer = tracepb.Span_SPAN_KIND_PRODUCER
	Consumer = tracepb.Span_SPAN_KIND_CONSUMER
)

// Attribute says one thing about a span.
type Attribute = *commonpb.KeyValue

// Text returns an attribute whose value is text. Only text that has few values, or names a request, is fit for it.
func Text(key, value string) Attribute {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}

// Number returns an attribute whose value is a number.
func Number(key string, value int) Attribute {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(value)}}}
}

// Span is one step of the work for a request. The zero value records nothing.
type Span struct {
	identity identity
	record   *record
}

// record is a span that is recorded.
type record struct {
	tracer   *Tracer
	identity identity

	mu    sync.Mutex
	span  *tracepb.Span
	ended bool
}

type recordKey struct{}

// begin begins a span below another one, which may be in another process.
func (t *Tracer) begin(ctx context.Context, name string, kind Kind, from identity, attributes []Attribute) (context.Context, Span) {
	own := from.child()
	if !own.sampled {
		return ctx, Span{identity: own}
	}
	r := &record{tracer: t, identity: own, span: &tracepb.Span{
		TraceId: own.trace[:], SpanId: own.span[:], Name: name, Kind: kind, StartTimeUnixNano: uint64(time.Now().UnixNano()),
		Flags: 1, Attributes: slices.Clip(attributes),
	}}
	if from.span != [8]byte{} {
		r.span.ParentSpanId = from.span[:]
	}
	return context.WithValue(ctx, recordKey{}, r), Span{own, r}
}

// Begin begins a span below the one that ctx carries, of the same service. Without one it records nothing, and returns ctx as it
// is.
func Begin(ctx context.Context, name string, kind Kind, attributes ...Attribute) (context.Context, Span) {
	parent, _ := ctx.Value(recordKey{}).(*record)
	if parent == nil {
		return ctx, Span{}
	}
	return parent.tracer.begin(ctx, name, kind, parent.identity, attributes)
}

// Recording reports whether the span is recorded.
func (s Span) Recording() bool { return s.record != nil }

// Name gives the span a name, which has few values: a route, not a path.
func (s Span) Name(name string) { s.change(func(span *tracepb.Span) { span.Name = name }) }

// Set adds attributes.
func (s Span) Set(attributes ...Attribute) {
	s.change(func(span *tracepb.Span) { span.Attributes = append(span.Attributes, attributes...) })
}

// Fail says that what the span is about failed. kind is one of few words; the text of an error could hold personal data.
func (s Span) Fail(kind string) {
	s.change(func(span *tracepb.Span) {
		span.Attributes = append(span.Attributes, Text("error.type", kind))
		span.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR}
	})
}

// change changes the span, unless it has ended.
func (s Span) change(how func(*tracepb.Span)) {
	if s.record == nil {
		return
	}
	s.record.mu.Lock()
	defer s.record.mu.Unlock()
	if !s.record.ended {
		how(s.record.span)
	}
}

func (r *record) link(to identity) {
	if to.valid() {
		Span{record: r}.change(func(span *tracepb.Span) {
			span.Links = append(span.Links, &tracepb.Span_Link{TraceId: to.trace[:], SpanId: to.span[:], Flags: 1})
		})
	}
}

// End ends the span, and has it sent. Only the first call counts.
func (s Span) End() {
	if s.record == nil {
		return
	}
	s.record.mu.Lock()
	ended := s.record.ended
	s.record.ended = true
	s.record.span.EndTimeUnixNano = uint64(time.Now().UnixNano())
	s.record.mu.Unlock()
	if !ended {
		s.record.tracer.tracing.sender.add(s.record)
	}
}

// Parent returns the traceparent of what follows from the span; it is empty if nothing is traced.
func (s Span) Parent() string {
	if !s.identity.valid() {
		return ""
	}
	return s.identity.String()
}

// Parent returns the traceparent of what follows from the span that is recorded for ctx; empty if there is none.
func Parent(ctx context.Context) string {
	if r, _ := ctx.Value(recordKey{}).(*record); r != nil {
		return r.identity.String()
	}
	return ""
}

// Inject sets the header traceparent of a request that is made with ctx, if that is recorded.
func Inject(ctx context.Context, header http.Header) {
	if parent := Parent(ctx); parent != "" {
		header["Traceparent"] = []string{parent}
	}
}

// TraceID returns the id of the trace that the span is recorded in; empty if it is not recorded.
func (s Span) TraceID() string {
	if s.record == nil {
		return ""
	}
	return hex.EncodeToString(s.identity.trace[:])
}

// Observe adds a value to a histogram. If the span is recorded, its trace is kept as an example of such a value.
func (s Span) Observe(to prometheus.Observer, value float64) {
	if with, ok := to.(prometheus.ExemplarObserver); ok && s.record != nil {
		with.ObserveWithExemplar(value, prometheus.Labels{"trace_id": s.TraceID()})
		return
	}
	to.Observe(value)
}
