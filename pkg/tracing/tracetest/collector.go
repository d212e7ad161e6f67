// Package tracetest has a collector of traces for tests.
package tracetest

import (
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// patience is how long spans are waited for.
const patience = 2 * time.Minute

// Span is a span that was received.
type Span struct {
	*tracepb.Span
	// Trace, ID and Parent are hexadecimal; Parent is empty if there is none.
	Trace, ID, Parent string
	// Service is the service that recorded it.
	Service string
}

// Attribute returns the text of an attribute; empty if there is none.
func (s Span) Attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

// Collector takes spans by OTLP over HTTP, as a collector of OpenTelemetry does.
type Collector struct {
	// URL is the setting trace-endpoint.
	URL string

	mu     sync.Mutex
	status int
	spans  []Span
	bodies []byte
}

// Start starts a collector, which ends with the test.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return // the sender has given up
		}
		var data tracepb.TracesData
		if err == nil {
			err = proto.Unmarshal(body, &data)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("request %s %s %v: %v", r.Method, r.URL, r.Header, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.status != 0 {
			w.WriteHeader(c.status)
			return
		}
		c.bodies = append(c.bodies, body...)
		c.take(&data)
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

func (c *Collector) take(data *tracepb.TracesData) {
	for _, of := range data.ResourceSpans {
		service := ""
		for _, a := range of.Resource.Attributes {
			if a.Key == "service.name" {
				service = a.Value.GetStringValue()
			}
		}
		for _, scope := range of.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, Span{s, hex.EncodeToString(s.TraceId), hex.EncodeToString(s.SpanId),
					hex.EncodeToString(s.ParentSpanId), service})
			}
		}
	}
}

// RespondWith has the collector respond with a status and take nothing; 0 has it take spans again.
func (c *Collector) RespondWith(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
}

// Spans returns the spans that were received so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Received returns all that was received, as it came.
func (c *Collector) Received() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]byte(nil), c.bodies...)
}

// Await waits until enough reports that the spans of a trace are all there, and returns them. It fails the test if
// they do not come.
func (c *Collector) Await(t testing.TB, trace string, enough func([]Span) bool) []Span {
	t.Helper()
	var spans []Span
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		spans = nil
		for _, s := range c.Spans() {
			if s.Trace == trace {
				spans = append(spans, s)
			}
		}
		if enough(spans) {
			return spans
		}
	}
	for _, s := range spans {
		t.Logf("%s below %q: %s: %s", s.ID, s.Parent, s.Service, s.Name)
	}
	t.Fatalf("trace %s lacks spans; these are there: %d", trace, len(spans))
	return nil
}
