package e2e_test

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

// issuerClient is a client that is registered at an issuer.
type issuerClient struct {
	ID, Secret string
	// Audience is the audience of its tokens, and Scopes are those that it may ask for.
	Audience, Scopes []string
	// Claim is the claim that holds the scopes as an array; if it is empty, they are the string scope (RFC 8693).
	Claim string
	// Lifetime is how long its tokens are valid.
	Lifetime time.Duration
}

// issuer is a running OAuth 2.0 and OpenID Connect server; github.com/zitadel/oidc implements the protocol. It issues
// access tokens (JWT) to clients that present their credentials, and its keys can be rotated.
type issuer struct {
	// URL is its identifier (iss), without a slash at its end.
	URL     string
	storage *issuerStorage
	handler http.Handler

	mu     sync.Mutex
	server *httptest.Server // nil while it is stopped
}

// startIssuer starts an issuer on a free port of the loopback interface.
func startIssuer(clients ...issuerClient) (*issuer, error) {
	address, err := trial.FreeAddress()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	i := &issuer{URL: "http://" + listener.Addr().String(), storage: newIssuerStorage(clients)}
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

// keysURL is where the issuer publishes its keys, and tokenURL where it issues tokens.
func (i *issuer) keysURL() string { return i.URL + "/keys" }

func (i *issuer) tokenURL() string { return i.URL + "/oauth/token" }

// rotate makes a new key, which is published and signs from now on. The earlier keys stay published.
func (i *issuer) rotate() error { return i.storage.rotate() }

// withdraw removes all keys but the one that signs.
func (i *issuer) withdraw() { i.storage.withdraw() }

// stop ends the server, and the connections to it with it.
func (i *issuer) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.server != nil {
		i.server.CloseClientConnections()
		i.server.Close()
		i.server = nil
	}
}

// restart starts the server again at the address that it had, with its keys and clients.
func (i *issuer) restart() error {
	listener, err := net.Listen("tcp", i.URL[len("http://"):])
	if err == nil {
		i.serve(listener)
	}
	return err
}

func (i *issuer) serve(listener net.Listener) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.server = &httptest.Server{Listener: listener, Config: &http.Server{
		Handler: i.handler, ReadHeaderTimeout: time.Minute,
	}}
	i.server.Start()
}
