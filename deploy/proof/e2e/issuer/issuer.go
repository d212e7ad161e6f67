// Package issuer runs an OAuth 2.0 and OpenID Connect server; github.com/zitadel/oidc implements the protocol. It
// issues access tokens (JWT) to clients that present their credentials, and its keys can be rotated.
package issuer

import (
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/zitadel/oidc/v3/pkg/op"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// Client is a client that is registered at an issuer.
type Client struct {
	ID, Secret string
	// Audience is the audience of its tokens, and Scopes are those that it may ask for.
	Audience, Scopes []string
	// Claim is the claim that holds the scopes as an array; if it is empty, they are the string scope (RFC 8693).
	Claim string
	// Lifetime is how long its tokens are valid.
	Lifetime time.Duration
}

// Issuer is a running server.
type Issuer struct {
	// URL is its identifier (iss), without a slash at its end.
	URL     string
	storage *storage
	handler http.Handler

	mu     sync.Mutex
	server *httptest.Server // nil while it is stopped
}

// Start starts an issuer on a free port of the loopback interface.
func Start(clients ...Client) (*Issuer, error) {
	address, err := trial.FreeAddress()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	i := &Issuer{URL: "http://" + listener.Addr().String(), storage: newStorage(clients)}
	if err := i.storage.rotate(); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	config := &op.Config{}
	if _, err := rand.Read(config.CryptoKey[:]); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	provider, err := op.NewProvider(config, i.storage, op.StaticIssuer(i.URL), op.WithAllowInsecure())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	i.handler = provider
	i.serve(listener)
	return i, nil
}

// KeysURL is where the issuer publishes its keys, and TokenURL where it issues tokens.
func (i *Issuer) KeysURL() string { return i.URL + "/keys" }

// TokenURL is where the issuer issues tokens.
func (i *Issuer) TokenURL() string { return i.URL + "/oauth/token" }

// Rotate makes a new key, which is published and signs from now on. The earlier keys stay published.
func (i *Issuer) Rotate() error { return i.storage.rotate() }

// Withdraw removes all keys but the one that signs.
func (i *Issuer) Withdraw() { i.storage.withdraw() }

// Stop ends the server, and the connections to it with it.
func (i *Issuer) Stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.server != nil {
		i.server.CloseClientConnections()
		i.server.Close()
		i.server = nil
	}
}

// Restart starts the server again at the address that it had, with its keys and clients.
func (i *Issuer) Restart() error {
	listener, err := net.Listen("tcp", i.URL[len("http://"):])
	if err == nil {
		i.serve(listener)
	}
	return err
}

func (i *Issuer) serve(listener net.Listener) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.server = &httptest.Server{Listener: listener, Config: &http.Server{
		Handler: i.handler, ReadHeaderTimeout: time.Minute,
	}}
	i.server.Start()
}
