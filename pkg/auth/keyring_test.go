package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/problem"
)

// provider is an identity provider whose key set can be changed and which can be down.
type provider struct {
	*httptest.Server
	jwks  atomic.Pointer[[]byte]
	down  atomic.Bool
	asked atomic.Int64
}

func newProvider(t *testing.T, jwks []byte) *provider {
	p := &provider{}
	p.jwks.Store(&jwks)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.asked.Add(1)
		if p.down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write(*p.jwks.Load())
	}))
	t.Cleanup(p.Close)
	return p
}

func TestKeysAreRotatedAndWithdrawn(t *testing.T) {
	old, next := signer(t), signer(t)
	idp := newProvider(t, old.JWKS())
	v := verifier(t, "--jwks-url", idp.URL, "--jwks-refresh-unknown", "1ns")
	grant := auth.Grant{Subject: "broker-1", Lifetime: time.Hour}
	oldToken, newToken := issue(t, old, grant), issue(t, next, grant)
	if _, err := verify(v, oldToken); err != nil {
		t.Fatal(err)
	}
	jwks := next.JWKS()
	idp.jwks.Store(&jwks)
	if _, err := verify(v, newToken); err != nil {
		t.Fatalf("token of a new key: %v", err)
	}
	_, err := verify(v, oldToken)
	refused(t, err, "signature") // although it was remembered
}

func TestLastGoodKeysOutliveTheProvider(t *testing.T) {
	s := signer(t)
	idp := newProvider(t, s.JWKS())
	v := verifier(t, "--jwks-url", idp.URL, "--jwks-refresh-unknown", "1ns")
	idp.down.Store(true)
	if _, err := verify(v, issue(t, s, auth.Grant{Subject: "broker-1", Lifetime: time.Hour})); err != nil {
		t.Fatal(err)
	}
	_, err := verify(v, issue(t, signer(t), auth.Grant{Subject: "broker-1", Lifetime: time.Hour}))
	refused(t, err, "signature")
}

func TestProviderDownFromTheStart(t *testing.T) {
	s := signer(t)
	idp := newProvider(t, s.JWKS())
	idp.down.Store(true)
	v := verifier(t, "--jwks-url", idp.URL, "--jwks-refresh-unknown", "20ms")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- v.Run(ctx) }()

	token := issue(t, s, auth.Grant{Subject: "broker-1", Lifetime: time.Hour})
	_, err := verify(v, token)
	var p *problem.Error
	if !errors.As(err, &p) || p.Kind != problem.Unavailable || p.Header.Get("Retry-After") == "" {
		t.Fatalf("error %v, want the problem 503 with Retry-After", err)
	}
	if v.Ready(t.Context()) == nil {
		t.Fatal("ready without any key")
	}
	idp.down.Store(false)
	eventually(t, func() bool { return v.Ready(t.Context()) == nil })
	if _, err := verify(v, token); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func TestUnknownKeyIdsDoNotFloodTheProvider(t *testing.T) {
	idp := newProvider(t, signer(t).JWKS())
	v := verifier(t, "--jwks-url", idp.URL, "--jwks-refresh-unknown", "1h")
	for range 20 {
		_, err := verify(v, issue(t, signer(t), auth.Grant{Subject: "broker-1", Lifetime: time.Hour}))
		refused(t, err, "signature")
	}
	if asked := idp.asked.Load(); asked != 1 {
		t.Fatalf("the provider was asked %d times, want the one of the start", asked)
	}
}
