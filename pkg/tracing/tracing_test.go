package tracing_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/spf13/pflag"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"insurance.example/exchange/pkg/tracing"
	"insurance.example/exchange/pkg/tracing/tracetest"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	sampled = "00-" + traceID + "-00f067aa0ba902b7-01"
	ignored = "00-" + traceID + "-00f067aa0ba902b7-00"
)

// open begins to trace with arguments, until the test ends.
func open(t *testing.T, registry *prometheus.Registry, arguments ...string) *tracing.Tracing {
	t.Helper()
	var settings tracing.Settings
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	settings.Register(flags)
	if err := flags.Parse(arguments); err != nil {
		t.Fatal(err)
	}
	return tracing.Open(settings, "1.2.3", slog.New(slog.DiscardHandler), registry)
}

func outcomes(t *testing.T, registry *prometheus.Registry, sent, failed, dropped int) error {
	t.Helper()
	//nolint:lll // a help text is one line
	return testutil.GatherAndCompare(registry, strings.NewReader(fmt.Sprintf(`
# HELP trace_spans_total Spans by what became of them: sent, failed (the collector did not take them) or dropped (too many waited).
# TYPE trace_spans_total counter
trace_spans_total{outcome="dropped"} %d
trace_spans_total{outcome="failed"} %d
trace_spans_total{outcome="sent"} %d
`, dropped, failed, sent)), "trace_spans_total")
}

func TestSpansAreSentWithTheirFamily(t *testing.T) {
	collector, registry := tracetest.Start(t), prometheus.NewRegistry()
	traces := open(t, registry, "--trace-endpoint", collector.URL, "--trace-sample", "0")
	ctx, request := tracing.Request(t.Context(), traces.Tracer("claims"), sampled)
	_, step := tracing.Begin(ctx, "insert claim", trace.SpanKindClient, attribute.String("db.collection.name", "claim"))
	tracing.Fail(step, "unavailable")
	step.End()
	tracing.Fail(step, "too late")
	step.End()
	request.SetName("POST /claim")
	request.End()
	header := http.Header{}
	tracing.Inject(ctx, header)
	if got := header.Get("Traceparent"); got != tracing.Parent(request) || !strings.HasPrefix(got, "00-"+traceID) ||
		!strings.Contains(got, traceID) {
		t.Errorf("traceparent %q", got)
	}
	if err := traces.Close(); err != nil {
		t.Fatal(err)
	}
	spans := collector.Spans()
	if len(spans) != 2 {
		t.Fatalf("%d spans, want 2", len(spans))
	}
	below, above := spans[0], spans[1]
	if above.Name != "POST /claim" || above.Trace != traceID || above.Parent != "00f067aa0ba902b7" ||
		above.Kind != tracepb.Span_SPAN_KIND_SERVER || above.Service != "claims" ||
		above.EndTimeUnixNano < above.StartTimeUnixNano || above.StartTimeUnixNano == 0 {
		t.Errorf("span of the request: %+v", above)
	}
	if below.Parent != above.ID || below.Trace != traceID || below.Attribute("error.type") != "unavailable" ||
		below.Attribute("db.collection.name") != "claim" || below.Status == nil {
		t.Errorf("span of the step: %+v", below)
	}
	if err := outcomes(t, registry, 2, 0, 0); err != nil {
		t.Error(err)
	}
}

// TestWhoDecides tries each origin of a request with each fraction.
func TestWhoDecides(t *testing.T) {
	for name, c := range map[string]struct {
		arguments []string
		parent    string
		outside   bool
		want      bool
	}{
		"a caller cannot have everything traced": {[]string{"--trace-sample", "0"}, sampled, true, false},
		"nor keep it from being traced":          {[]string{"--trace-sample", "1"}, ignored, true, true},
		"a caller is followed by setting": {
			[]string{"--trace-sample", "0", "--trace-follow-callers"}, sampled, true, true,
		},
		"also one that is not traced": {
			[]string{"--trace-sample", "1", "--trace-follow-callers"}, ignored, true, false,
		},
		"a request without a trace, by the fraction": {[]string{"--trace-sample", "1"}, "", true, true},
		"the same with fraction 0":                   {[]string{"--trace-sample", "0"}, "", true, false},
		"within, the gateway has decided":            {[]string{"--trace-sample", "0"}, sampled, false, true},
		"within, the gateway has decided against it": {[]string{"--trace-sample", "1"}, ignored, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			collector := tracetest.Start(t)
			traces := open(t, prometheus.NewRegistry(), append(c.arguments, "--trace-endpoint", collector.URL)...)
			tracer := traces.Tracer("premium")
			if c.outside {
				tracer = traces.EntranceTracer("gateway")
			}
			ctx, span := tracing.Request(t.Context(), tracer, c.parent)
			_, step := tracing.Begin(ctx, "insert", trace.SpanKindClient)
			step.End()
			span.End()
			_ = traces.Close()
			if got := len(collector.Spans()) == 2; got != c.want || step.SpanContext().IsSampled() != c.want ||
				len(collector.Spans()) == 1 {
				t.Errorf("recorded: %v, want %v", got, c.want)
			}
			// Either way what follows learns of the decision, in the caller's trace.
			header := http.Header{}
			tracing.Inject(ctx, header)
			if span.SpanContext().IsSampled() != c.want ||
				c.parent != "" && !strings.Contains(header.Get("Traceparent"), traceID) {
				t.Errorf("traceparent %q", header.Get("Traceparent"))
			}
		})
	}
}

// TestFractionIsKept has many callers claim that they are traced, with one trace id.
func TestFractionIsKept(t *testing.T) {
	traces := open(t, prometheus.NewRegistry(), "--trace-sample", "0.25", "--trace-endpoint", tracetest.Start(t).URL)
	defer traces.Close()
	tracer, recorded := traces.EntranceTracer("gateway"), 0
	const requests = 4000
	for range requests {
		if _, span := tracing.Request(t.Context(), tracer, sampled); span.IsRecording() {
			recorded++
		}
	}
	// Five standard deviations are 137.
	if recorded < requests/4-200 || recorded > requests/4+200 {
		t.Errorf("%d of %d requests are traced, want a quarter", recorded, requests)
	}
}

// TestWhatIsDoneForSeveralIsInTheTraceOfEach: a span in each trace, which link to one another; none for what is not
// recorded.
func TestWhatIsDoneForSeveralIsInTheTraceOfEach(t *testing.T) {
	collector := tracetest.Start(t)
	traces := open(t, prometheus.NewRegistry(), "--trace-endpoint", collector.URL, "--trace-sample", "0")
	tracer := traces.Tracer("premium")
	const other = "0af7651916cd43dd8448eb211c80319c"
	ctx, begun := tracing.Together(t.Context(), tracer, "process",
		[]string{ignored, sampled, "malformed", "00-" + other + "-b7ad6b7169203331-01", ""})
	if got := trace.SpanContextFromContext(ctx).TraceID().String(); got != traceID {
		t.Errorf("what is done is in the trace %s, not in the first one", got)
	}
	for _, span := range begun {
		span.End()
	}
	if ctx, begun := tracing.Together(t.Context(), tracer, "process", []string{"", ignored}); len(begun) > 0 ||
		ctx != t.Context() {
		t.Error("what nobody traces is recorded")
	}
	_ = traces.Close()
	linked := map[string]string{}
	for _, span := range collector.Spans() {
		for _, link := range span.Links {
			linked[span.Trace] += fmt.Sprintf("%x", link.TraceId)
		}
	}
	if len(linked) != 2 || linked[traceID] != other || linked[other] != traceID {
		t.Errorf("the links are %v", linked)
	}
}

func TestSpansAreSentAgainOnceTheCollectorIsBack(t *testing.T) {
	collector, registry := tracetest.Start(t), prometheus.NewRegistry()
	collector.RespondWith(http.StatusServiceUnavailable)
	traces := open(t, registry, "--trace-endpoint", collector.URL)
	_, span := tracing.Request(t.Context(), traces.Tracer("claims"), sampled)
	span.End()
	go collector.RespondWith(0)
	collector.Await(t, traceID, func(spans []tracetest.Span) bool { return len(spans) == 1 })
	_ = traces.Close()
}

// TestNothingIsTracedWithoutAnEndpoint also checks that this costs nothing.
func TestNothingIsTracedWithoutAnEndpoint(t *testing.T) {
	traces := open(t, prometheus.NewRegistry())
	tracer, background := traces.EntranceTracer("gateway"), t.Context()
	work := func() (context.Context, trace.Span) {
		ctx, span := tracing.Request(background, tracer, sampled)
		ctx, step := tracing.Begin(ctx, "insert", trace.SpanKindClient)
		ctx, _ = tracing.Together(ctx, tracer, "process", nil)
		step.End()
		span.SetName("GET /")
		span.End()
		return ctx, span
	}
	if ctx, span := work(); ctx != background || tracing.Parent(span) != "" || span.IsRecording() {
		t.Errorf("span %+v", span)
	}
	if allocations := testing.AllocsPerRun(100, func() { work() }); allocations != 0 {
		t.Errorf("%v allocations for a request that is not traced", allocations)
	}
	if err := traces.Close(); err != nil {
		t.Error(err)
	}
}

func TestOddSettingsAreRefused(t *testing.T) {
	for _, arguments := range [][]string{
		{"--trace-endpoint", "collector:4318"}, {"--trace-endpoint", "ftp://collector"}, {"--trace-sample", "1.1"},
		{"--trace-sample", "-0.1"},
		{"--trace-sample", "NaN"}, {"--trace-sample", "half"},
	} {
		var settings tracing.Settings
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		settings.Register(flags)
		if err := flags.Parse(arguments); err == nil {
			t.Errorf("%q is accepted", arguments)
		}
	}
}
