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

func roundTrip(t *testing.T, h http.HandlerFunc, method string, body io.Reader) (*http.Response, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://coverage/vehicle/7?limit=2", body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := peer.Handler(h).RoundTrip(request)
	if err != nil {
		return nil, "", err
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text), nil
}

func TestMemoryReturnsTheResponseOfTheHandler(t *testing.T) {
	response, text, err := roundTrip(t, func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.RequestURI+" "+r.Host+" "+string(content))
		w.WriteHeader(http.StatusCreated)
		w.Header().Set("X-Late", "lost")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.Copy(w, strings.NewReader("abc"))
		_, _ = io.WriteString(w, "def")
	}, http.MethodPost, strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusCreated || response.Status != "201 Created" || text != "abcdef" || response.ContentLength != 6 {
		t.Errorf("status %q, length %d, body %q", response.Status, response.ContentLength, text)
	}
	if got := response.Header.Get("X-Seen"); got != "POST /vehicle/7?limit=2 coverage body" {
		t.Errorf("the handler saw %q", got)
	}
	if response.Header.Get("X-Late") != "" {
		t.Error("a header set after the status was sent")
	}
}

func TestMemoryWithoutBodyOrWrite(t *testing.T) {
	response, text, err := roundTrip(t, func(_ http.ResponseWriter, r *http.Request) {
		if content, err := io.ReadAll(r.Body); err != nil || len(content) > 0 {
			t.Errorf("body %q, error %v", content, err)
		}
	}, http.MethodGet, nil)
	if err != nil || response.StatusCode != http.StatusOK || text != "" {
		t.Fatalf("response %v, body %q, error %v", response, text, err)
	}
}

func TestMemoryHeadHasNoBody(t *testing.T) {
	response, text, err := roundTrip(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "3")
		_, _ = io.WriteString(w, "abc")
	}, http.MethodHead, nil)
	if err != nil || text != "" || response.ContentLength != 3 {
		t.Fatalf("body %q, response %v, error %v", text, response, err)
	}
}

func TestMemoryPanicIsAnError(t *testing.T) {
	_, _, err := roundTrip(t, func(http.ResponseWriter, *http.Request) { panic("broken") }, http.MethodGet, nil)
	if err == nil || !strings.Contains(err.Error(), "broken") || !strings.Contains(err.Error(), "memory_test.go") {
		t.Fatalf("error %v, want the panic and where it was", err)
	}
}

func TestMemoryHonoursCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://coverage/", nil)
	if err != nil {
		t.Fatal(err)
	}
	reached := false
	transport := peer.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached = true
		cancel()
		<-r.Context().Done()
	}))
	if _, err := transport.RoundTrip(request); err != nil || !reached {
		t.Fatalf("error %v, reached %v", err, reached)
	}
	reached = false
	if _, err := transport.RoundTrip(request); !errors.Is(err, context.Canceled) || reached {
		t.Fatalf("error %v, reached %v, want a call that is over before it begins", err, reached)
	}
}

func BenchmarkMemory(b *testing.B) {
	text := []byte(`{"number":"M1"}`)
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) })
	b.Run("transport", func(b *testing.B) {
		transport := peer.Handler(h)
		request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://coverage/", nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			response, err := transport.RoundTrip(request)
			if err != nil || response.StatusCode != http.StatusOK {
				b.Fatal(err)
			}
		}
	})
	b.Run("get", func(b *testing.B) {
		c := client(b, peer.Config{Address: "http://coverage", Transport: peer.Handler(h)})
		b.ReportAllocs()
		for b.Loop() {
			if _, found, err := peer.Get[policy](b.Context(), c, "/internal/policies/M1"); err != nil || !found {
				b.Fatal(err)
			}
		}
	})
}
