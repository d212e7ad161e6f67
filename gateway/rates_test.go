package gateway_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/gateway"
)

// limitedTo has each caller send a number of requests in a second, and a burst, by a clock that only the test moves.
func limitedTo(t *testing.T, perSecond, burst int, now func() time.Time) func(*gateway.Config) {
	t.Helper()
	rates, err := gateway.NewRates(perSecond, burst, now)
	if err != nil {
		t.Fatal(err)
	}
	return func(config *gateway.Config) { config.Rates = rates }
}

// asks sends a request as a caller and returns the response.
func asks(t *testing.T, d door, caller string) *http.Response {
	t.Helper()
	response, text := do(t, d.requestOf(t, caller, "/vehicle/7"))
	if response.StatusCode != http.StatusOK {
		isProblem(t, response, text, http.StatusTooManyRequests)
	}
	return response
}

// TestEachCallerHasARate has two callers send requests while no time passes, and after some has passed.
func TestEachCallerHasARate(t *testing.T) {
	now := time.Now()
	d := open(t, within(reached), limitedTo(t, 2, 5, func() time.Time { return now }))
	wants := func(caller string, status int, limit, retryAfter string) {
		t.Helper()
		got := asks(t, d, caller)
		for name, want := range map[string]string{"RateLimit-Policy": `"caller";q=5;w=3`, "RateLimit": limit,
			"Retry-After": retryAfter} {
			if value := got.Header.Get(name); value != want {
				t.Errorf("%s has %s %q, want %q", caller, name, value, want)
			}
		}
		if got.StatusCode != status {
			t.Errorf("%s gets %d, want %d", caller, got.StatusCode, status)
		}
	}
	for _, limit := range []string{"r=4;t=1", "r=3;t=1", "r=2;t=2", "r=1;t=2", "r=0;t=3"} {
		wants("ada", http.StatusOK, `"caller";`+limit, "")
	}
	wants("ada", http.StatusTooManyRequests, `"caller";r=0;t=3`, "1")
	wants("bo", http.StatusOK, `"caller";r=4;t=1`, "")
	now = now.Add(time.Second)
	wants("ada", http.StatusOK, `"caller";r=1;t=2`, "")
	wants("ada", http.StatusOK, `"caller";r=0;t=3`, "")
	wants("ada", http.StatusTooManyRequests, `"caller";r=0;t=3`, "1")
	now = now.Add(time.Hour)
	wants("ada", http.StatusOK, `"caller";r=4;t=1`, "")
}

// TestCallersCannotShareOneTurn has a caller send many requests at once: as many as the burst are served.
func TestCallersCannotShareOneTurn(t *testing.T) {
	now := time.Now()
	d := open(t, within(reached), limitedTo(t, 1, 10, func() time.Time { return now }))
	var mu sync.Mutex
	statuses := map[int]int{}
	var callers sync.WaitGroup
	for range 30 {
		callers.Go(func() {
			status := asks(t, d, "ada").StatusCode
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	callers.Wait()
	if statuses[http.StatusOK] != 10 || statuses[http.StatusTooManyRequests] != 20 {
		t.Errorf("the statuses are %v", statuses)
	}
}

// TestCallersAreForgotten checks that the memory for callers is bounded: a caller who sent nothing for long starts
// anew.
func TestCallersAreForgotten(t *testing.T) {
	now := time.Now()
	rates, err := gateway.NewRates(1, 1, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	take := func(caller string) bool { return rates.Take(caller, http.Header{}) == nil }
	if !take("ada") || take("ada") {
		t.Error("the first request is refused, or the second is not")
	}
	for n := range 20_000 {
		take(fmt.Sprint("caller-", n))
		if n == 5000 && take("ada") {
			t.Error("a caller is forgotten after 5,000 others")
		}
	}
	if !take("ada") {
		t.Error("a caller is remembered after 20,000 others")
	}
}

// TestWithoutARateThereAreNoRateHeaders checks that responses have no RateLimit headers unless a rate is set.
func TestWithoutARateThereAreNoRateHeaders(t *testing.T) {
	d := open(t, within(reached), limitedTo(t, 0, 0, time.Now))
	for range 20 {
		if got := asks(t, d, "ada"); got.StatusCode != http.StatusOK || got.Header.Get("RateLimit") != "" ||
			got.Header.Get("RateLimit-Policy") != "" {
			t.Errorf("status %d, %v", got.StatusCode, got.Header)
		}
	}
}
