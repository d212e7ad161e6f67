package peer

import (
	"net"
	"net/http"
	"time"
)

// NewTransport makes the transport for services in other processes: connections are kept and are many to one host.
func NewTransport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 2 * time.Second,
		MaxIdleConnsPerHost: 128,
		// Shorter than the servers' idle timeout, so that no request meets a connection its peer is just closing.
		IdleConnTimeout:    30 * time.Second,
		DisableCompression: true,
	}
}
