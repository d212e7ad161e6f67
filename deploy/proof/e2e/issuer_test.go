package e2e_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/oauth2/clientcredentials"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

var registered = []issuerClient{
	{ID: "broker", Secret: "of the broker", Audience: []string{trial.Audience},
		Scopes: []string{trial.Admin, trial.Developer}, Lifetime: time.Hour},
	{ID: "insurer", Secret: "of the insurer", Audience: []string{"other", trial.Audience},
		Scopes: []string{trial.Admin, trial.Developer}, Claim: "scp", Lifetime: time.Hour},
	{ID: "daemon", Secret: "of the daemon", Audience: []string{trial.Audience},
		Scopes: []string{trial.Admin, trial.Developer}, Claim: "roles", Lifetime: time.Hour},
	{ID: "elsewhere", Secret: "of another", Audience: []string{"elsewhere"},
		Scopes: []string{trial.Admin, trial.Developer}, Lifetime: time.Hour},
}

// withIssuer runs an exchange that accepts the tokens of an issuer.
func withIssuer(t *testing.T, settings ...string) (*trial.Exchange, *issuer) {
	t.Helper()
	idp, err := startIssuer(registered...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(idp.stop)
	e, err := commands.RunInOne(t.TempDir(), append(settings, "EXCHANGE_JWKS_URL="+idp.keysURL(),
		"EXCHANGE_JWT_ISSUER="+idp.URL, "EXCHANGE_JWT_AUDIENCE="+trial.Audience, "EXCHANGE_ADMIN_ADDR=127.0.0.1:0")...)
	trial.EndWith(t, e, err)
	return e, idp
}

// tokenOf gets an access token as a client with a library for OAuth 2.0 does.
func tokenOf(ctx context.Context, idp *issuer, client issuerClient, scopes ...string) (string, error) {
	config := clientcredentials.Config{
		ClientID: client.ID, ClientSecret: client.Secret, TokenURL: idp.tokenURL(), Scopes: scopes,
	}
	t, err := config.Token(ctx)
	if err != nil {
		return "", err
	}
	return "Bearer " + t.AccessToken, nil
}

func TestTokensOfAnIssuer(t *testing.T) {
	t.Parallel()
	e, idp := withIssuer(t)
	caller := client(t, e, "another")
	for _, c := range []struct {
		client      issuerClient
		scopes      []string
		read, write int
	}{
		{registered[0], []string{trial.Admin, trial.Developer}, 200, 201},
		{registered[0], []string{trial.Developer}, 200, 401},
		{registered[0], []string{trial.Admin}, 401, 201},
		{registered[1], []string{trial.Admin, trial.Developer}, 200, 201},
		{registered[1], []string{trial.Developer}, 200, 401},
		{registered[0], nil, 401, 401},
		{registered[2], []string{trial.Admin, trial.Developer}, 401, 401},
		{registered[3], []string{trial.Admin, trial.Developer}, 401, 401},
	} {
		authorization, err := tokenOf(t.Context(), idp, c.client, c.scopes...)
		if err != nil {
			t.Fatal(err)
		}
		as := caller.With(authorization)
		if read := as.Get(t, "/productCatalog"); read.Status != c.read {
			t.Errorf("%s reads with %v: %d %s", c.client.ID, c.scopes, read.Status, read.Body)
		}
		if written := as.Post(t, "/policyWording", wording()); written.Status != c.write {
			t.Errorf("%s writes with %v: %d %s", c.client.ID, c.scopes, written.Status, written.Body)
		}
	}
}

// TestAnIssuerRotatesItsKeysAndIsAway has callers get new tokens and use them, while the issuer rotates its keys and
// is gone for a while. A caller that gets no token goes on with its last one.
func TestAnIssuerRotatesItsKeysAndIsAway(t *testing.T) {
	t.Parallel()
	e, idp := withIssuer(t, "EXCHANGE_JWKS_REFRESH=100ms", "EXCHANGE_JWKS_REFRESH_UNKNOWN=1ns")
	caller := client(t, e, "another")
	all := []string{trial.Admin, trial.Developer}

	ctx, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	defer callers.Wait()
	defer stop()
	var served, renewed atomic.Int64
	for i := range 6 {
		client := registered[i%2]
		callers.Go(func() {
			var as *trial.Client
			for ctx.Err() == nil {
				if authorization, err := tokenOf(ctx, idp, client, all...); err == nil {
					as = caller.With(authorization)
					renewed.Add(1)
				}
				if as == nil {
					continue
				}
				if err := createOrRead(ctx, as, served.Load()%2 == 0); err != nil {
					if ctx.Err() == nil {
						t.Errorf("%s: %v", client.ID, err)
					}
					return
				}
				served.Add(1)
			}
		})
	}
	// more waits until a counter has grown.
	more := func(what string, counter *atomic.Int64, by int64) {
		t.Helper()
		from := counter.Load()
		wait.Until(t, func() error {
			if t.Failed() {
				t.FailNow()
			}
			if now := counter.Load(); now < from+by {
				return fmt.Errorf("%s: only %d more of %d", what, now-from, by)
			}
			return nil
		})
	}
	first, err := tokenOf(t.Context(), idp, registered[0], all...)
	if err != nil {
		t.Fatal(err)
	}
	more("requests with the first key", &served, 20)
	for turn := range 4 {
		if err := idp.rotate(); err != nil {
			t.Fatal(err)
		}
		more(fmt.Sprint("tokens after rotation ", turn), &renewed, 20)
	}
	if read := caller.With(first).Get(t, "/productCatalog"); read.Status != 200 {
		t.Errorf("a token of the first key, which is still published: %d %s", read.Status, read.Body)
	}

	idp.stop()
	more("requests while the issuer is away", &served, 100)
	if err := idp.rotate(); err != nil {
		t.Fatal(err)
	}
	if err := idp.restart(); err != nil {
		t.Fatal(err)
	}
	more("tokens of an issuer that is back with another key", &renewed, 20)
	stop()
	callers.Wait()

	// A key that is no longer published is no longer accepted.
	idp.withdraw()
	wait.Until(t, func() error {
		if read := caller.With(first).Get(t, "/productCatalog"); read.Status != 401 {
			return fmt.Errorf("a token of a withdrawn key: %d", read.Status)
		}
		return nil
	})
}
