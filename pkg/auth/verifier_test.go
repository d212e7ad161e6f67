package auth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/auth/tokens"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// settings are the defaults, changed by command line arguments.
func settings(t testing.TB, args ...string) tokens.Settings {
	t.Helper()
	var s tokens.Settings
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Register(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return s
}

func verifier(t testing.TB, args ...string) *auth.Verifier {
	t.Helper()
	v, err := auth.NewVerifier(t.Context(), settings(t, args...), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func signer(t testing.TB) *auth.Signer {
	t.Helper()
	s, err := auth.OpenSigner(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func issue(t testing.TB, s *auth.Signer, g auth.Grant) string {
	t.Helper()
	token, err := s.Issue(g)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func sign(t testing.TB, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func verify(v *auth.Verifier, token string) (request.Caller, error) {
	return v.Verify(context.Background(), http.Header{"Authorization": {"Bearer " + token}}, "std.admin")
}

// refused asserts a 401 whose challenge and detail contain the text.
func refused(t *testing.T, err error, text string) {
	t.Helper()
	var p *problem.Error
	if !errors.As(err, &p) || p.Kind != problem.Unauthorized {
		t.Fatalf("error %v, want the problem 401", err)
	}
	if challenge := p.Header.Get("WWW-Authenticate"); !strings.Contains(challenge, text) {
		t.Fatalf("challenge %s, want %q in it", challenge, text)
	}
}

// rsaFile makes an RSA key and writes its public half as PEM.
func rsaFile(t testing.TB) (private *rsa.PrivateKey, publicPEM []byte, path string) {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	publicPEM = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	path = filepath.Join(t.TempDir(), "public.pem")
	if err := os.WriteFile(path, publicPEM, 0o600); err != nil {
		t.Fatal(err)
	}
	return private, publicPEM, path
}

func TestVerifyReadsSubjectAndScopes(t *testing.T) {
	private, _, path := rsaFile(t)
	v := verifier(t, "--jwt-keys", path)
	exp := time.Now().Add(time.Hour).Unix()
	for name, claims := range map[string]jwt.MapClaims{
		"scope text": {"sub": "broker-1", "exp": exp, "scope": "std.admin std.developer"},
		"scp array":  {"sub": "broker-1", "exp": exp, "scp": []string{"std.admin", "std.developer"}},
		"scp text":   {"sub": "broker-1", "exp": exp, "scp": "std.admin std.developer"},
		"client id":  {"client_id": "broker-1", "exp": exp, "scope": "std.admin std.developer"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time it is remembered
				caller, err := verify(v, sign(t, jwt.SigningMethodPS256, private, claims))
				if err != nil {
					t.Fatal(err)
				}
				if caller.Subject != "broker-1" || len(caller.Scopes) != 2 || !caller.Has("std.admin") ||
					!caller.Has("std.developer") {
					t.Fatalf("caller %+v", caller)
				}
			}
		})
	}
}

func TestVerifyRefuses(t *testing.T) {
	private, publicPEM, path := rsaFile(t)
	stranger, _, _ := rsaFile(t)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	v := verifier(t, "--jwt-keys", path, "--jwt-issuer", "https://id.example", "--jwt-audience", "exchange",
		"--jwt-algorithms", "RS256,ES256")
	claims := func(change ...any) jwt.MapClaims {
		c := jwt.MapClaims{
			"sub": "broker-1", "iss": "https://id.example", "aud": "exchange", "exp": time.Now().Add(time.Hour).Unix(),
			"scope": "std.admin",
		}
		for i := 0; i < len(change); i += 2 {
			if change[i+1] == nil {
				delete(c, change[i].(string))
			} else {
				c[change[i].(string)] = change[i+1]
			}
		}
		return c
	}
	if _, err := verify(v, sign(t, jwt.SigningMethodRS256, private, claims())); err != nil {
		t.Fatalf("the good token that the others are changed from: %v", err)
	}
	good := sign(t, jwt.SigningMethodRS256, private, claims())
	for name, test := range map[string]struct{ token, reason string }{
		"expired": {
			sign(t, jwt.SigningMethodRS256, private, claims("exp", time.Now().Add(-time.Minute).Unix())), "expired",
		},
		"without exp": {sign(t, jwt.SigningMethodRS256, private, claims("exp", nil)), "claim"},
		"not valid yet": {
			sign(t, jwt.SigningMethodRS256, private, claims("nbf", time.Now().Add(time.Minute).Unix())),
			"not valid yet",
		},
		"another audience": {sign(t, jwt.SigningMethodRS256, private, claims("aud", "elsewhere")), "audience"},
		"no audience":      {sign(t, jwt.SigningMethodRS256, private, claims("aud", nil)), "claim"},
		"another issuer": {
			sign(t, jwt.SigningMethodRS256, private, claims("iss", "https://evil.example")), "issuer",
		},
		"no subject":               {sign(t, jwt.SigningMethodRS256, private, claims("sub", nil)), "subject"},
		"another key":              {sign(t, jwt.SigningMethodRS256, stranger, claims()), "signature"},
		"algorithm not allowed":    {sign(t, jwt.SigningMethodRS384, private, claims()), "algorithm"},
		"key of another type":      {sign(t, jwt.SigningMethodES256, curve, claims()), "signature"},
		"HMAC with the public key": {sign(t, jwt.SigningMethodHS256, publicPEM, claims()), "algorithm"},
		"algorithm none": {
			sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, claims()), "algorithm",
		},
		"signature cut off": {good[:strings.LastIndex(good, ".")+1], "signature"},
		"no token at all":   {"abc", "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			caller, err := verify(v, test.token)
			refused(t, err, `error="invalid_token"`)
			refused(t, err, test.reason)
			if caller.Subject != "" {
				t.Fatalf("caller %+v together with a refusal", caller)
			}
		})
	}
}

func TestVerifyWithoutToken(t *testing.T) {
	v := verifier(t, "--jwt-keys", signer(t).PublicFile())
	for name, header := range map[string]http.Header{
		"no header":      {},
		"another scheme": {"Authorization": {"Basic YTpi"}},
		"empty token":    {"Authorization": {"Bearer "}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := v.Verify(t.Context(), header, "std.developer")
			refused(t, err, `Bearer realm="exchange", scope="std.developer"`)
			var p *problem.Error
			if errors.As(err, &p); strings.Contains(p.Header.Get("WWW-Authenticate"), "error=") {
				t.Fatal("a request without a token gets no error code (RFC 6750, section 3.1)")
			}
		})
	}
}

func TestChallengesNameTheScopeAndTheMetadata(t *testing.T) {
	s := settings(t, "--jwt-keys", signer(t).PublicFile())
	s.Metadata = "https://exchange.example/.well-known/oauth-protected-resource"
	v, err := auth.NewVerifier(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	const needs = `scope="std.admin", resource_metadata="https://exchange.example/.well-known/oauth-protected-resource"`
	refused(t, v.Insufficient("std.admin"), `Bearer realm="exchange", error="insufficient_scope", `+needs)
	_, err = v.Verify(t.Context(), http.Header{}, "std.admin")
	refused(t, err, `Bearer realm="exchange", `+needs)
	_, err = verify(v, "abc")
	refused(t, err, `Bearer realm="exchange", error="invalid_token", error_description="it`)
	refused(t, err, needs)
}

func TestRememberedTokenExpires(t *testing.T) {
	s := signer(t)
	// Time passes in the bubble when all in it wait, and costs none.
	synctest.Test(t, func(t *testing.T) {
		v := verifier(t, "--jwt-keys", s.PublicFile(), "--jwt-leeway", "0s")
		token := issue(t, s, auth.Grant{Subject: "broker-1", Lifetime: time.Hour})
		<-time.After(time.Hour - time.Second)
		if _, err := verify(v, token); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Second)
		_, err := verify(v, token)
		refused(t, err, "expired")
	})
}

func TestSettingsErrorsNameTheSetting(t *testing.T) {
	public := signer(t).PublicFile()
	for name, args := range map[string][]string{
		"jwks-url":       {},
		"jwt-keys":       {"--jwks-url", "https://id.example/jwks", "--jwt-keys", public},
		"jwt-algorithms": {"--jwt-keys", public, "--jwt-algorithms", "RS256,HS256"},
		"jwt-leeway":     {"--jwt-keys", public, "--jwt-leeway", "1h"},
		"jwt-keys: open": {"--jwt-keys", "absent.pem"},
		"jwt-scopes":     {"--jwt-keys", public, "--jwt-scopes", "scope,aud"},
		"jwks-url: ":     {"--jwks-url", "id.example/jwks"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := auth.NewVerifier(t.Context(), settings(t, args...), slog.New(slog.DiscardHandler))
			if err == nil || !strings.Contains(err.Error(), "setting "+name) {
				t.Fatalf("error %v, want one about setting %s", err, name)
			}
		})
	}
}

func BenchmarkVerifyRemembered(b *testing.B) {
	s := signer(b)
	v := verifier(b, "--jwt-keys", s.PublicFile())
	header := http.Header{"Authorization": {"Bearer " + issue(b, s, auth.Grant{
		Subject: "broker-1", Scopes: []string{"std.admin", "std.developer"}, Issuer: "https://id.example",
		Lifetime: time.Hour,
	})}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Verify(b.Context(), header, "std.admin"); err != nil {
			b.Fatal(err)
		}
	}
}
