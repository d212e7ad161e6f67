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

// shortestRSA is the least modulus length of an RSA key, in bits (RFC 7518).
const shortestRSA = 2048

// key is a public key that verifies the signatures of tokens.
type key struct {
	// id and algorithm are empty if the source does not name them.
	id, algorithm string
	public        crypto.PublicKey
}

// parseKeys reads a JWK set, a single JWK or PEM blocks. It skips keys that cannot verify a signature (symmetric
// keys, keys for encryption, weak and unknown ones), so that one such key does not make the others unusable. It fails
// if no key is left.
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

// candidates returns the keys that may verify a token: of those that fit its algorithm, the ones with its key id,
// else the ones without an id. For a token without a key id it returns all that fit.
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
