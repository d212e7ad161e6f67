package peer

import (
	"net"
	"net/http"
	"time"
)

// NewTransport returns a transport for services in other processes. It keeps many idle connections to each of them.
func NewTransport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 2 * time.Second,
		MaxIdleConnsPerHost: 128,
		// Shorter than the idle timeout of the servers, so that no request is sent on a connection that is being closed.
		IdleConnTimeout:    30 * time.Second,
		DisableCompression: true,
	}
}
