package auth_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/lestrrat-go/jwx/v3/jwk"

	"insurance.example/exchange/pkg/auth"
)

// jwkOf returns a key as JSON with further members.
func jwkOf(t *testing.T, key any, members map[string]any) json.RawMessage {
	t.Helper()
	imported, err := jwk.Import(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range members {
		if err := imported.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(imported)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func keyFile(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOddKeysAreLeftOut(t *testing.T) {
	signing, _, _ := rsaFile(t)
	encrypting, _, _ := rsaFile(t)
	shared := []byte("0123456789abcdef0123456789abcdef")
	set, err := json.Marshal(map[string]any{"keys": []json.RawMessage{
		jwkOf(t, shared, map[string]any{"kid": "shared"}),
		jwkOf(t, encrypting.Public(), map[string]any{"kid": "encrypting", "use": "enc"}),
		[]byte(`{"kty":"LATTICE","kid":"future"}`),
		jwkOf(t, signing.Public(), map[string]any{"kid": "signing", "use": "sig", "alg": "RS256"}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	v := verifier(t, "--jwt-keys", keyFile(t, set))
	token := func(method jwt.SigningMethod, key any, id string) string {
		unsigned := jwt.NewWithClaims(method, jwt.MapClaims{"sub": "broker-1", "exp": time.Now().Add(time.Hour).Unix()})
		unsigned.Header["kid"] = id
		text, err := unsigned.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if _, err := verify(v, token(jwt.SigningMethodRS256, signing, "signing")); err != nil {
		t.Errorf("the good key among odd ones: %v", err)
	}
	for name, odd := range map[string]string{
		"algorithm other than the key's":  token(jwt.SigningMethodPS256, signing, "signing"),
		"key for encryption":              token(jwt.SigningMethodRS256, encrypting, "encrypting"),
		"shared key":                      token(jwt.SigningMethodHS256, shared, "shared"),
		"good key under another key's id": token(jwt.SigningMethodRS256, signing, "shared"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := verify(v, odd)
			refused(t, err, "signature")
		})
	}
}

func TestPEMFilesHoldSeveralKeys(t *testing.T) {
	curve, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var content []byte
	for _, public := range []any{curve.Public(), edwards.Public()} {
		der, err := x509.MarshalPKIXPublicKey(public)
		if err != nil {
			t.Fatal(err)
		}
		content = append(content, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})...)
	}
	v := verifier(t, "--jwt-keys", keyFile(t, content))
	claims := jwt.MapClaims{"sub": "broker-1", "exp": time.Now().Add(time.Hour).Unix()}
	for _, token := range []string{sign(t, jwt.SigningMethodES384, curve, claims),
		sign(t, jwt.SigningMethodEdDSA, edwards, claims)} {
		if _, err := verify(v, token); err != nil {
			t.Error(err)
		}
	}
}

func TestSourcesWithoutAUsableKeyAreRefused(t *testing.T) {
	for name, content := range map[string]string{
		"empty":          "",
		"no keys":        `{"keys":[]}`,
		"only symmetric": `{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`,
		"neither":        "keys",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := auth.NewVerifier(t.Context(), settings(t, "--jwt-keys", keyFile(t, []byte(content))),
				slog.New(slog.DiscardHandler))
			if err == nil || !strings.Contains(err.Error(), "setting jwt-keys") {
				t.Errorf("error %v", err)
			}
		})
	}
}
