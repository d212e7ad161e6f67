package auth

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"errors"
	"fmt"

	"github.com/golang-jwt/jwt/v5"
	"github.com/lestrrat-go/jwx/v3/jwk"
)

// shortestRSA is the modulus length in bits below which RFC 7518 forbids an RSA key.
const shortestRSA = 2048

// key is one public key that tokens may be signed for.
type key struct {
	// id and algorithm are empty where the source does not name them.
	id, algorithm string
	public        crypto.PublicKey
}

// parseKeys reads a JWK set, a single JWK or PEM blocks. Keys that cannot verify a signature (symmetric ones, keys for
// encryption, weak or unknown ones) are left out: one odd key must not take the others with it. A set without any key
// left is an error.
func parseKeys(source []byte) ([]key, error) {
	isJSON := bytes.HasPrefix(bytes.TrimSpace(source), []byte("{"))
	set, err := jwk.Parse(source, jwk.WithPEM(!isJSON), jwk.WithIgnoreParseError(isJSON))
	if err != nil {
		return nil, fmt.Errorf("neither JWKS nor PEM: %w", err)
	}
	var keys []key
	for i := range set.Len() {
		candidate, _ := set.Key(i)
		if usage, ok := candidate.KeyUsage(); ok && usage != "sig" {
			continue
		}
		if public, ok := publicKey(candidate); ok {
			k := key{public: public}
			k.id, _ = candidate.KeyID()
			if algorithm, ok := candidate.Algorithm(); ok {
				k.algorithm = algorithm.String()
			}
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("no key in it can verify a signature")
	}
	return keys, nil
}

func publicKey(candidate jwk.Key) (crypto.PublicKey, bool) {
	candidate, err := candidate.PublicKey()
	if err != nil {
		return nil, false
	}
	var raw any
	if err := jwk.Export(candidate, &raw); err != nil {
		return nil, false
	}
	switch public := raw.(type) {
	case *rsa.PublicKey:
		return public, public.N.BitLen() >= shortestRSA
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return public, true
	default:
		return nil, false
	}
}

// candidates answers the keys that may have signed a token: those of its key id, else those without any id, as far as
// they fit the algorithm. A token without key id may be of any of them.
func candidates(keys []key, id string, method jwt.SigningMethod) []jwt.VerificationKey {
	var named, nameless []jwt.VerificationKey
	for _, k := range keys {
		switch {
		case !k.fits(method):
		case id == "" || k.id == id:
			named = append(named, k.public)
		case k.id == "":
			nameless = append(nameless, k.public)
		}
	}
	if named != nil {
		return named
	}
	return nameless
}

func (k key) fits(method jwt.SigningMethod) bool {
	if k.algorithm != "" && k.algorithm != method.Alg() {
		return false
	}
	switch public := k.public.(type) {
	case *rsa.PublicKey:
		switch method.(type) {
		case *jwt.SigningMethodRSA, *jwt.SigningMethodRSAPSS:
			return true
		}
	case *ecdsa.PublicKey:
		m, ok := method.(*jwt.SigningMethodECDSA)
		return ok && m.CurveBits == public.Curve.Params().BitSize
	case ed25519.PublicKey:
		_, ok := method.(*jwt.SigningMethodEd25519)
		return ok
	}
	return false
}
