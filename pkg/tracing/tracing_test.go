package tracing_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/tracing"
	"insurance.example/exchange/pkg/tracing/tracetest"
)

const (
	trace   = "4bf92f3577b34da6a3ce929d0e0e4736"
	sampled = "00-" + trace + "-00f067aa0ba902b7-01"
	ignored = "00-" + trace + "-00f067aa0ba902b7-00"
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
	ctx, request := traces.Tracer("claims").Request(t.Context(), sampled, false)
	_, step := tracing.Begin(ctx, "insert claim", tracing.Client, tracing.Text("db.collection.name", "claim"))
	step.Fail("unavailable")
	step.End()
	step.Fail("too late")
	step.End()
	request.Name("POST /claim")
	request.End()
	header := http.Header{}
	tracing.Inject(ctx, header)
	if got := header.Get("Traceparent"); got != request.Parent() || got != tracing.Parent(ctx) || !strings.HasPrefix(got, "00-"+trace) || request.TraceID() != trace {
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
	if above.Name != "POST /claim" || above.Trace != trace || above.Parent != "00f067aa0ba902b7" || above.Kind != tracing.Server || above.Service != "claims" ||
		above.EndTimeUnixNano < above.StartTimeUnixNano || above.StartTimeUnixNano == 0 {
		t.Errorf("span of the request: %+v", above)
	}
	if below.Parent != above.ID || below.Trace != trace || below.Attribute("error.type") != "unavailable" || below.Attribute("db.collection.name") != "claim" || below.Status == nil {
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
		"a caller cannot have everything traced":     {[]string{"--trace-sample", "0"}, sampled, true, false},
		"nor keep it from being traced":              {[]string{"--trace-sample", "1"}, ignored, true, true},
		"a caller is followed by setting":            {[]string{"--trace-sample", "0", "--trace-follow-callers"}, sampled, true, true},
		"also one that is not traced":                {[]string{"--trace-sample", "1", "--trace-follow-callers"}, ignored, true, false},
		"a request without a trace, by the fraction": {[]string{"--trace-sample", "1"}, "", true, true},
		"the same with fraction 0":                   {[]string{"--trace-sample", "0"}, "", true, false},
		"within, the gateway has decided":            {[]string{"--trace-sample", "0"}, sampled, false, true},
		"within, the gateway has decided against it": {[]string{"--trace-sample", "1"}, ignored, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			collector := tracetest.Start(t)
			traces := open(t, prometheus.NewRegistry(), append(c.arguments, "--trace-endpoint", collector.URL)...)
			ctx, span := traces.Tracer("gateway").Request(t.Context(), c.parent, c.outside)
			span.End()
			_ = traces.Close()
			if got := len(collector.Spans()) == 1; got != c.want || span.Recording() != c.want {
				t.Errorf("recorded: %v, want %v", got, c.want)
			}
			// Either way what follows learns of the decision, in the caller's trace.
			if flag := span.Parent()[53:]; (flag == "01") != c.want || c.parent != "" && span.Parent()[3:35] != trace {
				t.Errorf("traceparent %q", span.Parent())
			}
			if (tracing.Parent(ctx) != "") != c.want {
				t.Errorf("context carries %q", tracing.Parent(ctx))
			}
		})
	}
}

// TestFractionIsKept has many callers claim that they are traced, with one trace id.
func TestFractionIsKept(t *testing.T) {
	traces := open(t, prometheus.NewRegistry(), "--trace-sample", "0.25", "--trace-endpoint", tracetest.Start(t).URL)
	defer traces.Close()
	tracer, recorded := traces.Tracer("gateway"), 0
	const requests = 4000
	for range requests {
		if _, span := tracer.Request(t.Context(), sampled, true); span.Recording() {
			recorded++
		}
	}
	// Five standard deviations are 137.
	if recorded < requests/4-200 || recorded > requests/4+200 {
		t.Errorf("%d of %d requests are traced, want a quarter", recorded, requests)
	}
}

func TestMessagesLinkTheirTraces(t *testing.T) {
	collector := tracetest.Start(t)
	traces := open(t, prometheus.NewRegistry(), "--trace-endpoint", collector.URL, "--trace-sample", "0")
	tracer := traces.Tracer("premium")
	const other = "0af7651916cd43dd8448eb211c80319c"
	_, span := tracer.Message(t.Context(), "process", tracing.Consumer, sampled, []string{"00-" + other + "-b7ad6b7169203331-01", "malformed"})
	span.End()
	for _, parent := range []string{"", ignored, "malformed"} {
		if ctx, span := tracer.Message(t.Context(), "process", tracing.Consumer, parent, nil); span.Recording() || tracing.Parent(ctx) != "" {
			t.Errorf("a message with the traceparent %q is recorded", parent)
		}
	}
	_ = traces.Close()
	spans := collector.Spans()
	if len(spans) != 1 || spans[0].Trace != trace || len(spans[0].Links) != 1 || fmt.Sprintf("%x", spans[0].Links[0].TraceId) != other {
		t.Errorf("spans %+v", spans)
	}
}

// TestCollectorThatIsAwayHoldsNothingUp ends more spans than are kept, while nobody takes them.
func TestCollectorThatIsAwayHoldsNothingUp(t *testing.T) {
	collector, registry := tracetest.Start(t), prometheus.NewRegistry()
	collector.Refuse(http.StatusServiceUnavailable)
	traces := open(t, registry, "--trace-endpoint", collector.URL)
	tracer := traces.Tracer("claims")
	const many = 6000
	for range many {
		_, span := tracer.Request(context.Background(), sampled, false)
		span.End() // never blocks
	}
	began := time.Now()
	_ = traces.Close()
	if took := time.Since(began); took > time.Minute {
		t.Errorf("closing took %v", took)
	}
	var counted float64
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range families[0].GetMetric() {
		counted += m.GetCounter().GetValue()
	}
	dropped := families[0].GetMetric()[0].GetCounter().GetValue()
	if counted != many || dropped < many-4096-512*3 || len(collector.Spans()) != 0 {
		t.Errorf("%v spans are counted of %d, %v as dropped", counted, many, dropped)
	}
}

func TestSpansAreSentAgainOnceTheCollectorIsBack(t *testing.T) {
	collector, registry := tracetest.Start(t), prometheus.NewRegistry()
	collector.Refuse(http.StatusServiceUnavailable)
	traces := open(t, registry, "--trace-endpoint", collector.URL)
	_, span := traces.Tracer("claims").Request(t.Context(), sampled, false)
	span.End()
	go collector.Refuse(0)
	collector.Await(t, trace, func(spans []tracetest.Span) bool { return len(spans) == 1 })
	_ = traces.Close()
}

func TestNothingIsTracedWithoutAnEndpoint(t *testing.T) {
	traces := open(t, prometheus.NewRegistry())
	ctx, span := traces.Tracer("gateway").Request(t.Context(), sampled, true)
	_, step := tracing.Begin(ctx, "insert", tracing.Client)
	step.Set(tracing.Number("n", 1))
	step.End()
	span.Name("GET /")
	span.End()
	if err := traces.Close(); err != nil || ctx != t.Context() || span.Parent() != "" || span.Recording() || span.TraceID() != "" {
		t.Errorf("error %v, span %+v", err, span)
	}
}

func TestOddSettingsAreRefused(t *testing.T) {
	for _, arguments := range [][]string{
		{"--trace-endpoint", "collector:4318"}, {"--trace-endpoint", "ftp://collector"}, {"--trace-sample", "1.1"}, {"--trace-sample", "-0.1"},
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
