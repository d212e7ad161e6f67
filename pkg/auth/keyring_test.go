package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/wait"
)

// provider is an identity provider whose key set can be changed and which can be down.
type provider struct {
	*httptest.Server
	jwks  atomic.Pointer[[]byte]
	down  atomic.Bool
	asked atomic.Int64
	// hold, while it is locked, keeps the responses back; held is how many it does. What they say was settled before.
	hold sync.RWMutex
	held atomic.Int64
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
		jwks := *p.jwks.Load()
		p.held.Add(1)
		p.hold.RLock()
		defer p.hold.RUnlock()
		p.held.Add(-1)
		_, _ = w.Write(jwks)
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
	// A token of a key that is not known may be a good one of a new key.
	_, err := verify(v, issue(t, signer(t), auth.Grant{Subject: "broker-1", Lifetime: time.Hour}))
	unavailable(t, err)
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
	unavailable(t, err)
	if v.Ready(t.Context()) == nil {
		t.Fatal("ready without any key")
	}
	idp.down.Store(false)
	wait.For(t, "the condition", func() bool { return v.Ready(t.Context()) == nil })
	if _, err := verify(v, token); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func unavailable(t *testing.T, err error) {
	t.Helper()
	var p *problem.Error
	if !errors.As(err, &p) || p.Kind != problem.Unavailable || p.Header.Get("Retry-After") == "" {
		t.Fatalf("error %v, want the problem 503 with Retry-After", err)
	}
}

// TestCallersOfANewKeyWaitForIt sends tokens of a new key while the key set is being read: for the first of them, or
// since before the key was in it.
func TestCallersOfANewKeyWaitForIt(t *testing.T) {
	for name, regular := range map[string]string{"read for the first of them": "1h",
		"read before the key was there": "1ms"} {
		t.Run(name, func(t *testing.T) {
			old, next := signer(t), signer(t)
			idp := newProvider(t, old.JWKS())
			v := verifier(t, "--jwks-url", idp.URL, "--jwks-refresh-unknown", "1h", "--jwks-refresh", regular)
			idp.hold.Lock()
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- v.Run(ctx) }()
			if regular == "1ms" {
				wait.For(t, "the condition", func() bool { return idp.held.Load() == 1 })
			}
			jwks := next.JWKS()
			idp.jwks.Store(&jwks)

			const callers = 8
			errs := make(chan error, callers)
			for range callers {
				token := issue(t, next, auth.Grant{Subject: "broker-1", Lifetime: time.Hour})
				go func() {
					_, err := verify(v, token)
					errs <- err
				}()
			}
			wait.For(t, "the condition", func() bool { return idp.held.Load() == 1 })
			idp.hold.Unlock()
			for range callers {
				if err := <-errs; err != nil {
					t.Error(err)
				}
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestUnknownKeyIdsDoNotFloodTheProvider sends tokens of made-up keys. The provider is asked about the first one, which
// is refused. Whether it has the keys of the others is not known, and its URL is nobody's business.
func TestUnknownKeyIdsDoNotFloodTheProvider(t *testing.T) {
	idp := newProvider(t, signer(t).JWKS())
	v := verifier(t, "--jwks-url", idp.URL, "--jwks-refresh-unknown", "1h")
	grant := auth.Grant{Subject: "broker-1", Lifetime: time.Hour}
	_, err := verify(v, issue(t, signer(t), grant))
	refused(t, err, "signature")
	for range 20 {
		_, err := verify(v, issue(t, signer(t), grant))
		unavailable(t, err)
		var p *problem.Error
		if errors.As(err, &p); strings.Contains(p.Detail, idp.URL) || len(p.Header.Get("Retry-After")) != 4 {
			t.Errorf("detail %q, Retry-After %q, want what is left of an hour", p.Detail, p.Header.Get("Retry-After"))
		}
	}
	if asked := idp.asked.Load(); asked != 2 {
		t.Fatalf("the provider was asked %d times, want the one of the start and one more", asked)
	}
}

// TestAKeyFileIsReadForEachUnknownKey has tokens of a key refused until it is in the file, and accepted as soon as it
// is: nobody else has to be asked.
func TestAKeyFileIsReadForEachUnknownKey(t *testing.T) {
	old, next := signer(t), signer(t)
	path := filepath.Join(t.TempDir(), "keys")
	write := func(jwks []byte) {
		if err := os.WriteFile(path, jwks, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(old.JWKS())
	v := verifier(t, "--jwt-keys", path, "--jwks-refresh-unknown", "1h")
	token := issue(t, next, auth.Grant{Subject: "broker-1", Lifetime: time.Hour})
	for range 3 {
		_, err := verify(v, token)
		refused(t, err, "signature")
	}
	write(next.JWKS())
	if _, err := verify(v, token); err != nil {
		t.Error(err)
	}
}
