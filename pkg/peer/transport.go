package peer

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"insurance.example/exchange/pkg/patience"
)

// IdleTimeout is how long a connection without a request is kept. A stopping process says with each response that it
// closes the connection. A connection without a response ends by itself after this time. So if the process goes on for
// longer, no connection is closed while a request is on its way.
const IdleTimeout = 3 * time.Second

const (
	// connectPatience bounds the making of a connection.
	connectPatience = 2 * time.Second
	// handshakePatience bounds the handshake that secures it, for which both sides compute.
	handshakePatience = 10 * time.Second
	// renewEvery is how long requests go on connections until they go on new ones.
	renewEvery = 30 * time.Second
)

// Transport sends requests to a service at its one address, behind which the platform balances: the replica that
// accepts a connection has all requests on it. So requests go on new connections every half minute, which gives work to
// new replicas. It speaks HTTP/1.1 also with TLS, because HTTP/2 would send all on one connection.
//
// Making a connection is repeated, for nothing of the request was sent, and so is a GET or HEAD without a response. By
// itself net/http repeats a request that has an Idempotency-Key, once a connection that was good before breaks: such a
// request must be done once for its key, as the creations of a batch and each keyed POST that the gateway forwards are.
type Transport struct {
	// secure returns the TLS configuration of new connections; nil means the default of the system.
	secure func() *tls.Config
	dial   func(ctx context.Context, network, address string) (net.Conn, error)

	mu          sync.Mutex
	connections *http.Transport
	made        time.Time
}

// NewTransport returns a transport whose connections are secured as a function says; as is the default of the system if
// it is nil.
func NewTransport(secure func() *tls.Config) *Transport {
	dialer := net.Dialer{Timeout: patience.Times(connectPatience), KeepAlive: 15 * time.Second}
	return &Transport{secure: secure, dial: dialer.DialContext, connections: &http.Transport{}}
}

// RoundTrip sends a request.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.pool().RoundTrip(request)
	reads := request.Method == http.MethodGet || request.Method == http.MethodHead
	if err == nil || !reads || request.Body != nil && request.Body != http.NoBody || request.Context().Err() != nil {
		return response, err
	}
	return t.pool().RoundTrip(request)
}

// pool returns the connections for a request.
func (t *Transport) pool() *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.made) < renewEvery {
		return t.connections
	}
	t.connections.CloseIdleConnections() // and those that become idle later
	t.made = time.Now()
	t.connections = &http.Transport{
		DialContext: t.connect, TLSHandshakeTimeout: patience.Times(handshakePatience),
		MaxIdleConnsPerHost: 128, IdleConnTimeout: IdleTimeout, DisableCompression: true,
	}
	if t.secure != nil {
		t.connections.TLSClientConfig = t.secure()
	}
	return t.connections
}

// Renew has new connections made for all requests from now on. Requests under way end on those that they are on, which
// are then closed.
func (t *Transport) Renew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.connections.CloseIdleConnections() // and those that become idle later
	t.made = time.Time{}
}

// repeatedDial dials up to three times: behind the address may be a replica that has just ended, and others.
var repeatedDial = failsafe.With[net.Conn](retrypolicy.NewBuilder[net.Conn]().WithMaxRetries(2).
	WithBackoff(firstPause, 2*firstPause).ReturnLastFailure().Build())

// connect makes a connection.
func (t *Transport) connect(ctx context.Context, network, address string) (net.Conn, error) {
	return repeatedDial.WithContext(ctx).Get(func() (net.Conn, error) { return t.dial(ctx, network, address) })
}

// ParseAddress parses the address of a service, such as http://coverage:8080.
func ParseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || (u.Path != "" && u.Path != "/") {
		return nil, fmt.Errorf("the address %q is not of the form http://host:port", address)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}
