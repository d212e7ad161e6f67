package sight

import (
	"fmt"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/tracing/tracetest"
)

const topic = "exchange.bordereau.dirty"

// way lists the spans from the receipt to its row, by service and name, each with its parent. There are more: reads of
// the store, and calls that a cache may save.
var way = map[string]string{
	"gateway POST /receipt":           "",
	"gateway forward premium":         "gateway POST /receipt",
	"premium POST /receipt":           "gateway forward premium",
	"premium GET coverage":            "premium POST /receipt",
	"coverage find policy":            "coverage GET /internal/policy/{policyNumber}",
	"premium insert receipt":          "premium POST /receipt",
	"premium process " + topic:        "premium POST /receipt",
	"premium find receipt":            "premium process " + topic,
	"premium insert premiumBordereau": "premium process " + topic,
}

// TestOneTraceFromTheGatewayToTheRow runs separate processes. The second time the broker is stopped: the message is
// lost, and the sweep computes the row from what is stored with the receipt.
func TestOneTraceFromTheGatewayToTheRow(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	e, c := compose(t, "EXCHANGE_TRACE_ENDPOINT="+collector.URL, "EXCHANGE_TRACE_SAMPLE=1")
	number := book(t, c, newMarks()).Text("policyNumber")
	record(t, c, number, parent)
	found := collector.Await(t, trace, func(spans []tracetest.Span) bool { return lacking(spans, way) == "" })
	for _, s := range found {
		if s.Service == "gateway" && s.Kind == 2 && s.Parent != "00f067aa0ba902b7" {
			t.Errorf("the span of the gateway is below %q, not below that of the caller", s.Parent)
		}
		if s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("%s ends before it begins", s.Name)
		}
	}
	t.Run("through the sweep alone", func(t *testing.T) {
		if err := e.Kill("broker"); err != nil {
			t.Fatal(err)
		}
		const other = "0af7651916cd43dd8448eb211c80319c"
		record(t, c, number, "00-"+other+"-00f067aa0ba902b7-01")
		collector.Await(t, other, func(spans []tracetest.Span) bool { return lacking(spans, sweptWay) == "" })
	})
}

// sweptWay lists the spans from a receipt to its row without a message.
var sweptWay = map[string]string{
	"gateway POST /receipt":            "",
	"premium POST /receipt":            "gateway forward premium",
	"premium insert receipt":           "premium POST /receipt",
	"premium process " + topic:         "premium POST /receipt",
	"premium replace premiumBordereau": "premium process " + topic,
}

// lacking returns the spans of a way that are missing; empty if there are all.
func lacking(spans []tracetest.Span, way map[string]string) string {
	byID := map[string]string{}
	for _, s := range spans {
		byID[s.ID] = s.Service + " " + s.Name
	}
	for name, above := range way {
		there := false
		for _, s := range spans {
			there = there || byID[s.ID] == name && (above == "" || byID[s.Parent] == above)
		}
		if !there {
			return name
		}
	}
	return ""
}

// TestReceiptsOfOneRowShareItsSpan records receipts of one policy at once, so that one computation of the row includes
// several.
func TestReceiptsOfOneRowShareItsSpan(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	e, c := compose(t, "EXCHANGE_TRACE_ENDPOINT="+collector.URL, "EXCHANGE_TRACE_SAMPLE=1")
	number := book(t, c, newMarks()).Text("policyNumber")
	const receipts = 20
	of := func(i int) string { return fmt.Sprintf("%032x", i+1) }
	trial.AtOnce(t, receipts, func(i int) (trial.Response, error) {
		return c.Send(t.Context(), "POST", "/receipt", receipt(number), "Traceparent",
			"00-"+of(i)+"-00f067aa0ba902b7-01")
	})
	linked := 0
	for i := range receipts {
		spans := collector.Await(t, of(i), func(spans []tracetest.Span) bool { return handled(spans) != nil })
		if links := handled(spans).Links; len(links) > 0 {
			linked++
		}
	}
	if linked == 0 {
		t.Error("no span of a row links to the traces of other receipts")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// handled returns the span in which the row of a receipt was computed; nil if there is none.
func handled(spans []tracetest.Span) *tracetest.Span {
	for i, s := range spans {
		if s.Name == "process "+topic {
			return &spans[i]
		}
	}
	return nil
}

// TestNobodyForcesATrace sends a traceparent that is sampled to a gateway that traces nothing.
func TestNobodyForcesATrace(t *testing.T) {
	t.Parallel()
	collector := tracetest.Start(t)
	e, c := compose(t, "EXCHANGE_TRACE_ENDPOINT="+collector.URL, "EXCHANGE_TRACE_SAMPLE=0")
	number := book(t, c, newMarks()).Text("policyNumber")
	for range 5 {
		record(t, c, number, parent)
	}
	if err := e.Close(); err != nil { // which sends the spans that wait
		t.Error(err)
	}
	if spans := collector.Spans(); len(spans) != 0 {
		t.Errorf("%d spans, the first one %s", len(spans), spans[0].Name)
	}
}

// TestExchangeWithoutItsCollector checks that an exchange without its collector works, logs once that it cannot send
// traces, and stops.
func TestExchangeWithoutItsCollector(t *testing.T) {
	t.Parallel()
	e, c := compose(t, "EXCHANGE_TRACE_ENDPOINT=http://127.0.0.1:1", "EXCHANGE_TRACE_SAMPLE=1")
	record(t, c, book(t, c, newMarks()).Text("policyNumber"), parent)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if n := e.Logged("premium", "traces are not being sent"); n != 1 {
		t.Errorf("premium says %d times that traces are not sent", n)
	}
}
