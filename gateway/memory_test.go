package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/wait"
)

// TestForwardedRequestsTakeFromTheBudget has callers leave responses of 16 MiB unread. As many are forwarded as the
// budget has room for, each with the same part whatever its size, and half of them for one caller.
func TestForwardedRequestsTakeFromTheBudget(t *testing.T) {
	const fits, each = 8, 64 << 10
	body := make([]byte, 16<<20)
	var reached atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // to a caller who may have left
	}))
	defer server.Close()
	work := load.NewBudget(fits * each)
	d := openWithin(t, process.EngineConfig{
		Timeout: time.Minute, Budget: work, Forwards: true,
	}, over(t, server.URL), nil)
	var unread []*http.Response
	leave := func() {
		for _, response := range unread {
			response.Body.Close()
		}
		unread = nil
	}
	defer leave()
	ask := func(caller string) *http.Response {
		t.Helper()
		response, err := http.DefaultTransport.RoundTrip(d.requestOf(t, caller, "/vehicle"))
		if err != nil {
			t.Fatal(err)
		}
		unread = append(unread, response)
		return response
	}
	wants := func(caller string, status int) {
		t.Helper()
		before := reached.Load()
		response := ask(caller)
		if refused := status != http.StatusOK; response.StatusCode != status ||
			refused != (response.Header.Get("Retry-After") != "") ||
			refused == (reached.Load() > before) {
			t.Errorf("%s: status %d, want %d, header %v, %d more requests reached the service",
				caller, response.StatusCode, status, response.Header, reached.Load()-before)
		}
	}
	for range fits / 2 {
		wants("ada", http.StatusOK)
	}
	wants("ada", http.StatusTooManyRequests)
	for range fits / 2 {
		wants("bo", http.StatusOK)
	}
	wants("cy", http.StatusServiceUnavailable)
	if used := work.Used(); used != fits*each {
		t.Errorf("%d bytes in work, want %d", used, fits*each)
	}
	leave()
	wait.For(t, "the memory of requests that have ended", func() bool { return work.Used() == 0 })
	wants("ada", http.StatusOK)
}

// TestAServiceOfTheProcessTakesItsOwnMemory checks that the gateway takes no memory for a request that it does not
// forward.
func TestAServiceOfTheProcessTakesItsOwnMemory(t *testing.T) {
	work := load.NewBudget(1 << 20)
	inside := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if work.Used() != 0 {
			t.Errorf("%d bytes in work", work.Used())
		}
		w.WriteHeader(http.StatusNoContent)
	})
	d := openWithin(t, process.EngineConfig{
		Timeout: time.Minute, Budget: work, Forwards: true,
	}, within(inside), nil)
	if response, text := do(t, d.requestOf(t, "ada", "/vehicle")); response.StatusCode != http.StatusNoContent {
		t.Errorf("status %d %s", response.StatusCode, text)
	}
}
