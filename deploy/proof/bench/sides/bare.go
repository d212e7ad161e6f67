package sides

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// Response is what the bare handler returns for a method and a Gin route: a response that the exchange gave before.
type Response struct {
	Method, Route string
	Status        int
	Header        map[string]string
	Body          []byte
}

// Peer is a process that the exchange is compared with, and where it listens, host:port.
type Peer struct {
	*trial.Process
	Address string
}

// The arguments that make this command the bare handler, or the proxy.
const (
	BareCommand  = "bare"
	ProxyCommand = "proxy"
)

// StartBare starts the bare handler in a separate process.
func StartBare(responses []Response) (*Peer, error) {
	file, err := WriteOrders(responses)
	if err != nil {
		return nil, err
	}
	defer os.Remove(file)
	return startPeer(BareCommand, file)
}

// StartProxy starts Go's reverse proxy in a separate process, in front of what listens on an address.
func StartProxy(address string) (*Peer, error) { return startPeer(ProxyCommand, address) }

// WriteOrders writes the orders of a process of this command into a file of the folder for temporary files.
func WriteOrders(orders any) (file string, err error) {
	f, err := os.CreateTemp("", "exchange-bench-*.json")
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(json.NewEncoder(f).Encode(orders), f.Close())
}

// ReadOrders reads them from the file.
func ReadOrders(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

var listening = regexp.MustCompile(`http://(\S+)`)

func startPeer(args ...string) (*Peer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	started, err := trial.Start(self, nil, args...)
	if err != nil {
		return nil, err
	}
	address, err := started.Find(started.Stdout, listening)
	if err != nil {
		return nil, errors.Join(err, started.Kill())
	}
	return &Peer{started, address}, nil
}

// ServeBare is the bare handler, which returns the responses of a file. It serves until the process ends.
func ServeBare(out io.Writer, file string) error {
	var responses []Response
	if err := ReadOrders(file, &responses); err != nil {
		return err
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	routed := map[string]bool{}
	for _, r := range responses {
		// Rows that differ only in their query get the response of the first.
		at := r.Method + " " + r.Route
		if routed[at] {
			continue
		}
		routed[at] = true
		engine.Handle(r.Method, r.Route, r.serve)
	}
	return serve(out, engine)
}

func (r *Response) serve(c *gin.Context) {
	// A handler that ignores its body makes net/http close the connection.
	if _, err := io.Copy(io.Discard, c.Request.Body); err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}
	header := c.Writer.Header()
	for name, value := range r.Header {
		header.Set(name, value)
	}
	c.Data(r.Status, r.Header["Content-Type"], r.Body)
}

// ServeProxy is the proxy in front of an address. It serves until the process ends.
func ServeProxy(out io.Writer, address string) error {
	// With Go's default of 2 unused connections, the proxy would make a new one for most requests.
	const connections = 1024
	return serve(out, &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: address}) },
		Transport: &http.Transport{
			MaxIdleConnsPerHost: connections, IdleConnTimeout: time.Minute, DisableCompression: true,
		},
	})
}

// serve serves on a free port and writes its URL.
func serve(out io.Writer, handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "http://%s\n", listener.Addr()); err != nil {
		return err
	}
	return http.Serve(listener, handler)
}
