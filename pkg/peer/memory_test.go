package peer_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/peer"
)

// within returns a client of a handler in this process.
func within(t testing.TB, h http.HandlerFunc) *peer.Client {
	return client(t, peer.Config{Address: "http://coverage", Handler: h})
}

func TestMemoryReturnsTheResponseOfTheHandler(t *testing.T) {
	var seen string
	c := within(t, func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		seen = r.Method + " " + r.RequestURI + " " + r.Host + " " + r.Header.Get("Content-Type") + " " + string(content)
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusConflict)
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.Copy(w, strings.NewReader(`{"number":`))
		_, _ = io.WriteString(w, `"M1"}`)
	})
	_, err := peer.Post[policy](t.Context(), c, "/lapse/M%201?limit=2", policy{"M1"})
	var refusal *peer.Refusal
	if !errors.As(err, &refusal) || refusal.Status != http.StatusConflict ||
		string(refusal.Document) != `{"number":"M1"}` {
		t.Errorf("error %v, want the first final status with the whole body", err)
	}
	if seen != `POST /lapse/M%201?limit=2 coverage application/json {"number":"M1"}` {
		t.Errorf("the handler saw %q", seen)
	}
}

func TestMemoryWithoutBodyOrWrite(t *testing.T) {
	c := within(t, func(_ http.ResponseWriter, r *http.Request) {
		if content, err := io.ReadAll(r.Body); err != nil || len(content) > 0 {
			t.Errorf("body %q, error %v", content, err)
		}
	})
	if value, found, err := peer.Get[policy](t.Context(), c, "/"); err != nil || !found || value != (policy{}) {
		t.Fatalf("value %v, found %v, error %v, want an empty 200", value, found, err)
	}
}

func TestMemoryPanicIsAnError(t *testing.T) {
	c := within(t, func(http.ResponseWriter, *http.Request) { panic("broken") })
	_, err := peer.Post[policy](t.Context(), c, "/", policy{})
	outage(t, err)
	if !strings.Contains(err.Error(), "broken") || !strings.Contains(err.Error(), "memory_test.go") {
		t.Fatalf("error %v, want the panic and where it was", err)
	}
}

func TestMemoryHonoursCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reached := 0
	c := within(t, func(_ http.ResponseWriter, r *http.Request) {
		reached++
		cancel()
		<-r.Context().Done()
	})
	if _, err := peer.Post[policy](ctx, c, "/", policy{}); err != nil || reached != 1 {
		t.Fatalf("error %v, reached %d times", err, reached)
	}
	if _, err := peer.Post[policy](ctx, c, "/", policy{}); !errors.Is(err, context.Canceled) || reached != 1 {
		t.Fatalf("error %v, reached %d times, want a call that is over before it begins", err, reached)
	}
}

func BenchmarkMemory(b *testing.B) {
	text := []byte(`{"number":"M1"}`)
	c := within(b, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) })
	b.ReportAllocs()
	for b.Loop() {
		if _, found, err := peer.Get[policy](b.Context(), c, "/internal/policies/M1"); err != nil || !found {
			b.Fatal(err)
		}
	}
}
