package auth

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/lestrrat-go/jwx/v3/jwk"

	"insurance.example/exchange/pkg/whole"
)

// The files in the folder of a signer.
const (
	privateFile = "signing-key.pem"
	publicFile  = "jwks.json"
)

// Signer issues tokens where there is no identity provider: for development, tests and evaluation.
type Signer struct {
	private *ecdsa.PrivateKey
	id      string
	jwks    []byte
	folder  string
}

// Grant describes a token to be issued.
type Grant struct {
	Subject string
	Scopes  []string
	// Organisation is the name of the organisation of the caller, and OrganisationClaim the claim that has it. There
	// is no such claim if the name is empty.
	Organisation, OrganisationClaim string
	Issuer                          string
	Audience                        []string
	// Type is the typ of the token; at+jwt, that of access tokens (RFC 9068, section 2.1), if it is empty.
	Type string
	// Lifetime is how long the token is valid from now on.
	Lifetime time.Duration
}

// OpenSigner reads the ES256 key in a folder. If there is none, it creates the key and the folder. The private key is
// readable by its owner only. The public key is written as a JWKS file, which PublicFile names.
func OpenSigner(folder string) (*Signer, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("auth: signing key: %w", err)
	}
	path := filepath.Join(folder, privateFile)
	private, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		private, err = makeKey(folder)
	}
	if err == nil {
		err = keepPrivate(path)
	}
	if err != nil {
		return nil, fmt.Errorf("auth: signing key: %w", err)
	}
	s := &Signer{private: private, folder: folder}
	if err := s.publish(); err != nil {
		return nil, fmt.Errorf("auth: public key: %w", err)
	}
	return s, nil
}

// JWKS returns the public key as a JSON Web Key Set.
func (s *Signer) JWKS() []byte { return s.jwks }

// PublicFile returns the path of the file that holds the key set.
func (s *Signer) PublicFile() string { return filepath.Join(s.folder, publicFile) }

// Issue returns a signed token.
func (s *Signer) Issue(g Grant) (string, error) {
	now := time.Now()
	claims := jwt.MapClaims{
		"iss": g.Issuer, "sub": g.Subject, "scope": strings.Join(g.Scopes, " "), g.OrganisationClaim: g.Organisation,
	}
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == "" })
	if len(g.Audience) > 0 {
		claims["aud"] = g.Audience
	}
	claims["jti"], claims["iat"] = uuid.NewString(), jwt.NewNumericDate(now)
	claims["exp"] = jwt.NewNumericDate(now.Add(g.Lifetime))
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["kid"] = s.id
	token.Header["typ"] = cmp.Or(g.Type, "at+jwt")
	return token.SignedString(s.private)
}

func (s *Signer) publish() error {
	public, err := jwk.Import(s.private.Public())
	if err != nil {
		return err
	}
	thumbprint, err := public.Thumbprint(crypto.SHA256)
	if err != nil {
		return err
	}
	s.id = base64.RawURLEncoding.EncodeToString(thumbprint)
	for member, value := range map[string]string{jwk.KeyIDKey: s.id, jwk.AlgorithmKey: "ES256",
		jwk.KeyUsageKey: "sig"} {
		if err := public.Set(member, value); err != nil {
			return err
		}
	}
	if s.jwks, err = json.Marshal(map[string][]jwk.Key{"keys": {public}}); err != nil {
		return err
	}
	// The folder may be one that nobody can write to.
	if published, err := os.ReadFile(s.PublicFile()); err == nil && bytes.Equal(published, s.jwks) {
		return keepPrivate(s.PublicFile())
	}
	return whole.Write(s.PublicFile(), s.jwks)
}

// keepPrivate makes a file readable by its owner only: somebody may have copied its folder without the modes. In a
// read-only file system, such as a mounted Secret, the mount decides the modes.
func keepPrivate(path string) error {
	about, err := os.Stat(path)
	if err != nil || about.Mode().Perm() == 0o600 {
		return err
	}
	if err := os.Chmod(path, 0o600); !errors.Is(err, syscall.EROFS) {
		return err
	}
	return nil
}

func readKey(path string) (*ecdsa.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s has no PEM block", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	private, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, fmt.Errorf("%s has no key for ES256", path)
	}
	return private, nil
}

// makeKey creates the key of a folder. If another process does so at the same time, both use the key that came first.
func makeKey(folder string) (*ecdsa.PrivateKey, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	path := filepath.Join(folder, privateFile)
	if err := whole.Create(path, text); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readKey(path)
}
