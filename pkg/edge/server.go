package edge

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// MaxHeader bounds the request line and the header of a request, in bytes. More is 431 for every operation.
const MaxHeader = 32 << 10

// mostStreams is how many requests a connection of HTTP/2 may have at a time. Go keeps four times as many that were
// taken back before they had a handler, and then closes the connection.
const mostStreams = 32

// Config is the configuration of a Server.
type Config struct {
	Listener net.Listener
	Handler  http.Handler
	// TLS secures the connections; nil if they are plain.
	TLS *tls.Config
	// MostConnections is the greatest number of connections. A request on one beyond it gets 503.
	MostConnections int64
	// RequestTimeout is the longest time that a request takes, 0 for any time, and ClientTimeout how long a client has
	// at first to send a body or to read a response.
	RequestTimeout, ClientTimeout time.Duration
	// Metrics is where connections are counted; nil if they are not.
	Metrics prometheus.Registerer
	Log     *slog.Logger
}

// Server is an http.Server behind the bounds of this package. Serve runs it once.
type Server struct {
	http.Server
	config Config
	// stopping says that responses tell their clients to close the connection.
	stopping atomic.Bool
}

// NewServer returns a server that accepts nothing before Serve.
func NewServer(config Config) *Server {
	s := &Server{config: config}
	s.Server = http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: 10 * time.Second, // also the bound of a TLS handshake
		ReadTimeout:       30 * time.Second,
		// Longer than that of the clients (peer.IdleTimeout), so that they are the ones who close a connection.
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: MaxHeader,
		HTTP2:          &http.HTTP2Config{MaxConcurrentStreams: mostStreams},
		ErrorLog:       slog.NewLogLogger(config.Log.Handler(), slog.LevelDebug),
		ConnContext:    inContext,
		ConnState:      awaitNext,
	}
	if config.RequestTimeout > 0 {
		// The time of the request itself, and time for a slow reader.
		s.WriteTimeout = config.RequestTimeout + 30*time.Second
	}
	return s
}

// AnnounceEnd has responses tell their clients to close the connection from now on. The client then sends its next
// request to another process, or on a connection that it knows to be open.
func (s *Server) AnnounceEnd() { s.stopping.Store(true) }

// Serve accepts connections until Shutdown or Close, and then returns http.ErrServerClosed. Any other error says why
// it cannot go on.
func (s *Server) Serve() error {
	bounded := newListener(s.config)
	if s.config.TLS == nil {
		return s.Server.Serve(bounded)
	}
	s.TLSConfig = s.config.TLS.Clone() // for HTTP/2, which changes it
	return s.ServeTLS(bounded, "", "")
}
