package e2e_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

var (
	errUnknownClient = errors.New("unknown client, or another secret")
	errScope         = errors.New("the client may not ask for this scope")
)

// issuerStorage holds the clients and the keys of an issuer. It has what the grant of client credentials uses of
// op.Storage.
type issuerStorage struct {
	op.Storage
	clients map[string]issuerClient

	mu   sync.Mutex
	made int
	// keys holds the published keys; the last one signs.
	keys []issuerKey
}

func newIssuerStorage(clients []issuerClient) *issuerStorage {
	s := &issuerStorage{clients: map[string]issuerClient{}}
	for _, c := range clients {
		s.clients[c.ID] = c
	}
	return s
}

// issuerKey is a private key. Seen as op.Key it is its public half.
type issuerKey struct {
	id        string
	algorithm jose.SignatureAlgorithm
	private   crypto.Signer
}

func (k issuerKey) ID() string                                  { return k.id }
func (k issuerKey) SignatureAlgorithm() jose.SignatureAlgorithm { return k.algorithm }
func (k issuerKey) Key() any                                    { return k.private }

type issuerPublicKey struct{ issuerKey }

func (k issuerPublicKey) Key() any                           { return k.private.Public() }
func (k issuerPublicKey) Use() string                        { return "sig" }
func (k issuerPublicKey) Algorithm() jose.SignatureAlgorithm { return k.algorithm }

// rotate adds a key of the next algorithm in turn: RSA, ECDSA, Ed25519.
func (s *issuerStorage) rotate() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := issuerKey{id: "key-" + strconv.Itoa(s.made)}
	switch s.made % 3 {
	case 0:
		k.algorithm = jose.RS256
		k.private, err = rsa.GenerateKey(rand.Reader, 2048)
	case 1:
		k.algorithm = jose.ES256
		k.private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		k.algorithm = jose.EdDSA
		_, k.private, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		return err
	}
	s.made++
	s.keys = append(s.keys, k)
	return nil
}

func (s *issuerStorage) withdraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = s.keys[len(s.keys)-1:]
}

func (s *issuerStorage) Health(context.Context) error { return nil }

func (s *issuerStorage) SigningKey(context.Context) (op.SigningKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[len(s.keys)-1], nil
}

func (s *issuerStorage) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}, nil
}

func (s *issuerStorage) KeySet(context.Context) ([]op.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []op.Key
	for _, k := range s.keys {
		all = append(all, issuerPublicKey{k})
	}
	return all, nil
}

// ClientCredentials returns the client with an id and a secret.
func (s *issuerStorage) ClientCredentials(_ context.Context, id, secret string) (op.Client, error) {
	c, known := s.clients[id]
	if !known || c.Secret != secret {
		return nil, errUnknownClient
	}
	return registeredClient{client: c}, nil
}

// ClientCredentialsTokenRequest returns what a token for the scopes is to say.
func (s *issuerStorage) ClientCredentialsTokenRequest(
	_ context.Context, id string, scopes []string,
) (op.TokenRequest, error) {
	c := s.clients[id]
	for _, scope := range scopes {
		if !slices.Contains(c.Scopes, scope) {
			return nil, oidc.ErrInvalidScope().WithParent(errScope)
		}
	}
	return clientGrant{c, scopes}, nil
}

// CreateAccessToken returns the id and the end of a new token.
func (s *issuerStorage) CreateAccessToken(
	_ context.Context, request op.TokenRequest,
) (id string, end time.Time, err error) {
	return uuid.NewString(), time.Now().Add(s.clients[request.GetSubject()].Lifetime), nil
}

// GetPrivateClaimsFromScopes returns the claim of the scopes.
func (s *issuerStorage) GetPrivateClaimsFromScopes(
	_ context.Context, _, client string, scopes []string,
) (map[string]any, error) {
	if claim := s.clients[client].Claim; claim != "" {
		return map[string]any{claim: scopes}, nil
	}
	return map[string]any{"scope": strings.Join(scopes, " ")}, nil
}

// registeredClient has what the grant of client credentials uses of op.Client.
type registeredClient struct {
	op.Client
	client issuerClient
}

func (r registeredClient) GetID() string { return r.client.ID }
func (r registeredClient) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeClientCredentials}
}
func (r registeredClient) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }
func (r registeredClient) ClockSkew() time.Duration            { return 0 }

func (r registeredClient) RestrictAdditionalAccessTokenScopes() func([]string) []string {
	return func(scopes []string) []string { return scopes }
}

// clientGrant is what a token is to say.
type clientGrant struct {
	client issuerClient
	scopes []string
}

func (g clientGrant) GetSubject() string    { return g.client.ID }
func (g clientGrant) GetAudience() []string { return g.client.Audience }
func (g clientGrant) GetScopes() []string   { return g.scopes }
