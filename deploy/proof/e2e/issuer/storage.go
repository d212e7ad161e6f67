package issuer

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

// storage holds the clients and the keys of an issuer. It has what the grant of client credentials uses of op.Storage.
type storage struct {
	op.Storage
	clients map[string]Client

	mu   sync.Mutex
	made int
	// keys holds the published keys; the last one signs.
	keys []key
}

func newStorage(clients []Client) *storage {
	s := &storage{clients: map[string]Client{}}
	for _, c := range clients {
		s.clients[c.ID] = c
	}
	return s
}

// key is a private key. Seen as op.Key it is its public half.
type key struct {
	id        string
	algorithm jose.SignatureAlgorithm
	private   crypto.Signer
}

func (k key) ID() string                                  { return k.id }
func (k key) SignatureAlgorithm() jose.SignatureAlgorithm { return k.algorithm }
func (k key) Key() any                                    { return k.private }

type publicKey struct{ key }

func (k publicKey) Key() any                           { return k.private.Public() }
func (k publicKey) Use() string                        { return "sig" }
func (k publicKey) Algorithm() jose.SignatureAlgorithm { return k.algorithm }

// rotate adds a key of the next algorithm in turn: RSA, ECDSA, Ed25519.
func (s *storage) rotate() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{id: "key-" + strconv.Itoa(s.made)}
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

func (s *storage) withdraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = s.keys[len(s.keys)-1:]
}

func (s *storage) Health(context.Context) error { return nil }

func (s *storage) SigningKey(context.Context) (op.SigningKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[len(s.keys)-1], nil
}

func (s *storage) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}, nil
}

func (s *storage) KeySet(context.Context) ([]op.Key, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []op.Key
	for _, k := range s.keys {
		all = append(all, publicKey{k})
	}
	return all, nil
}

// ClientCredentials returns the client with an id and a secret.
func (s *storage) ClientCredentials(_ context.Context, id, secret string) (op.Client, error) {
	c, known := s.clients[id]
	if !known || c.Secret != secret {
		return nil, errUnknownClient
	}
	return registered{client: c}, nil
}

// ClientCredentialsTokenRequest returns what a token for the scopes is to say.
func (s *storage) ClientCredentialsTokenRequest(
	_ context.Context, id string, scopes []string,
) (op.TokenRequest, error) {
	c := s.clients[id]
	for _, scope := range scopes {
		if !slices.Contains(c.Scopes, scope) {
			return nil, oidc.ErrInvalidScope().WithParent(errScope)
		}
	}
	return grant{c, scopes}, nil
}

// CreateAccessToken returns the id and the end of a new token.
func (s *storage) CreateAccessToken(_ context.Context, request op.TokenRequest) (id string, end time.Time, err error) {
	return uuid.NewString(), time.Now().Add(s.clients[request.GetSubject()].Lifetime), nil
}

// GetPrivateClaimsFromScopes returns the claim of the scopes.
func (s *storage) GetPrivateClaimsFromScopes(
	_ context.Context, _, client string, scopes []string,
) (map[string]any, error) {
	if claim := s.clients[client].Claim; claim != "" {
		return map[string]any{claim: scopes}, nil
	}
	return map[string]any{"scope": strings.Join(scopes, " ")}, nil
}

// registered has what the grant of client credentials uses of op.Client.
type registered struct {
	op.Client
	client Client
}

func (r registered) GetID() string { return r.client.ID }
func (r registered) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeClientCredentials}
}
func (r registered) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }
func (r registered) ClockSkew() time.Duration            { return 0 }

func (r registered) RestrictAdditionalAccessTokenScopes() func([]string) []string {
	return func(scopes []string) []string { return scopes }
}

// grant is what a token is to say.
type grant struct {
	client Client
	scopes []string
}

func (g grant) GetSubject() string    { return g.client.ID }
func (g grant) GetAudience() []string { return g.client.Audience }
func (g grant) GetScopes() []string   { return g.scopes }
