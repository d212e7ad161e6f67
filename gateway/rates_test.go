package gateway_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/auth/tokens"
	"insurance.example/exchange/pkg/request"
)

// limitedTo has each caller send a number of requests in a second, and a burst, by a clock that only the test moves.
func limitedTo(t *testing.T, perSecond, burst int, now func() time.Time) func(*gateway.Config) {
	t.Helper()
	rates, err := gateway.NewRates(gateway.Rate{}, gateway.Rate{PerSecond: perSecond, Burst: burst}, now)
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
	rates, err := gateway.NewRates(gateway.Rate{}, gateway.Rate{PerSecond: 1}, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	take := func(caller string) bool { return rates.Take(&request.Caller{Subject: caller}, http.Header{}) == nil }
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

// TestCallersOfAnOrganisationShareARate has persons of two organisations, and an operator, send requests while no time
// passes, and after some has passed.
func TestCallersOfAnOrganisationShareARate(t *testing.T) {
	now := time.Now()
	var signer *auth.Signer
	d := open(t, within(reached), func(config *gateway.Config) {
		var err error
		if signer, err = auth.OpenSigner(t.TempDir()); err != nil {
			t.Fatal(err)
		}
		config.Organisations = true
		config.Verifier, err = auth.NewVerifier(t.Context(), tokens.Settings{
			KeyFile: signer.PublicFile(), Organisation: "org", Operators: "exchange.operate", Scopes: []string{"scope"},
			Algorithms: []string{"ES256"}, Refresh: time.Hour, RefreshUnknown: time.Hour, Remember: 10,
		}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		config.Rates, err = gateway.NewRates(gateway.Rate{PerSecond: 3, Burst: 4}, gateway.Rate{PerSecond: 1, Burst: 2},
			func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
	})
	// What is left is that of the organisation, and that of the caller.
	wants := func(of, caller string, status int, left, detail string) {
		t.Helper()
		grant := auth.Grant{Subject: caller, Scopes: []string{gateway.ScopeDeveloper}, Organisation: of,
			OrganisationClaim: "org", Lifetime: time.Hour}
		policy := `"organisation";q=4;w=2, "caller";q=2;w=2`
		if of == "" {
			policy, grant.Scopes = `"caller";q=2;w=2`, []string{"exchange.operate"}
		}
		token, err := signer.Issue(grant)
		if err != nil {
			t.Fatal(err)
		}
		asked := d.request(t, "GET", "/vehicle/7", nil)
		asked.Header.Set("Authorization", "Bearer "+token)
		asked.Header.Set("Exchange-Reason", "ticket 7")
		response, text := do(t, asked)
		if response.StatusCode != status || response.Header.Get("RateLimit-Policy") != policy ||
			response.Header.Get("RateLimit") != left || !strings.Contains(text, detail) {
			t.Errorf("%s of %q gets %d %q and %q left, want %d %q and %q: %s", caller, of, response.StatusCode,
				response.Header.Get("RateLimit-Policy"), response.Header.Get("RateLimit"), status, policy, left, text)
		}
		if refused := status != http.StatusOK; refused != (response.Header.Get("Retry-After") != "") {
			t.Errorf("%s of %q gets %d with Retry-After %q", caller, of, status, response.Header.Get("Retry-After"))
		}
	}
	const many = "callers of this organisation"
	wants("acme", "ada", http.StatusOK, `"organisation";r=3;t=1, "caller";r=1;t=1`, "")
	wants("acme", "ada", http.StatusOK, `"organisation";r=2;t=1, "caller";r=0;t=2`, "")
	// Who is above its own rate takes nothing from its colleagues.
	wants("acme", "ada", http.StatusTooManyRequests, `"organisation";r=2;t=1, "caller";r=0;t=2`, "This caller")
	wants("acme", "bo", http.StatusOK, `"organisation";r=1;t=1, "caller";r=1;t=1`, "")
	wants("acme", "cy", http.StatusOK, `"organisation";r=0;t=2, "caller";r=1;t=1`, "")
	// What the organisation may not send is not counted for the person.
	wants("acme", "bo", http.StatusTooManyRequests, `"organisation";r=0;t=2, "caller";r=1;t=1`, many)
	wants("acme", "di", http.StatusTooManyRequests, `"organisation";r=0;t=2, "caller";r=2;t=1`, many)
	wants("ACME", "di", http.StatusOK, `"organisation";r=3;t=1, "caller";r=1;t=1`, "")
	wants("", "di", http.StatusOK, `"caller";r=1;t=1`, "")
	now = now.Add(time.Second)
	wants("acme", "di", http.StatusOK, `"organisation";r=2;t=1, "caller";r=1;t=1`, "")
}

// TestARateOfOrganisationsNeedsOrganisations checks that a rate is not taken for one that holds where nothing counts by
// organisation.
func TestARateOfOrganisationsNeedsOrganisations(t *testing.T) {
	signer, err := auth.OpenSigner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	status := gateway.Program().Execute(t.Context(), append(everyPeer("http://127.0.0.1:1"), "--addr", "127.0.0.1:0",
		"--admin-addr", "", "--jwt-keys", signer.PublicFile(), "--org-rate", "5"),
		[]string{"EXCHANGE_CREDENTIAL=a-secret-of-the-exchange"}, io.Discard, &stderr)
	if status != 1 || !strings.Contains(stderr.String(), "setting org-rate") ||
		!strings.Contains(stderr.String(), "org-claim") {
		t.Errorf("status %d, stderr %q", status, stderr.String())
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
