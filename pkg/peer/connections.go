package peer

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"insurance.example/exchange/pkg/patience"
)

const (
	// connectPatience bounds the making of a connection.
	connectPatience = 2 * time.Second
	// handshakePatience bounds the handshake that secures it, for which both sides compute.
	handshakePatience = 10 * time.Second
)

// connections returns a pool of connections. It speaks HTTP/1.1 also with TLS: there a connection carries one request
// at a time, so the bytes written to it show whether the request can have been received.
func (t *Transport) connections() *http.Transport {
	dial := t.dial
	if dial == nil {
		dial = (&net.Dialer{
			Timeout: patience.Times(connectPatience), KeepAlive: 15 * time.Second,
		}).DialContext
	}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			connection, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &counted{Conn: connection}, nil
		},
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			connection, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return t.handshake(ctx, connection, t.replicas.name(address))
		},
		MaxIdleConnsPerHost: 128,
		IdleConnTimeout:     IdleTimeout,
		DisableCompression:  true,
	}
}

// handshake secures a connection to the server that has a certificate for the name.
func (t *Transport) handshake(ctx context.Context, connection net.Conn, name string) (net.Conn, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.secure != nil {
		config = t.secure()
	}
	config.ServerName = name
	secured := tls.Client(connection, config)
	longest := patience.Times(handshakePatience)
	bounded, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if err := secured.HandshakeContext(bounded); err != nil {
		_ = connection.Close()
		if ctx.Err() == nil && bounded.Err() != nil {
			// It is not the time of the request that has run out.
			err = fmt.Errorf("the TLS handshake with %s took longer than %s", connection.RemoteAddr(), longest)
		}
		return nil, err
	}
	return &counted{Conn: secured}, nil
}

// counted is a connection that counts what of requests is written to it. With TLS it is around the secured
// connection: what that one writes by itself, such as that it closes, is no part of a request.
type counted struct {
	net.Conn
	written atomic.Int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.written.Add(int64(n))
	return n, err
}

// Renew has new connections made for all requests from now on, because what secures them has changed. Requests under
// way end on those that they are on, which are then closed.
func (t *Transport) Renew() {
	former := t.http.Swap(t.connections())
	// It also closes those that become idle later.
	former.CloseIdleConnections()
}
