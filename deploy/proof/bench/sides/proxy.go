package sides

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"

	"insurance.example/exchange/deploy/proof/bench/process"
)

// ProxyCommand is the argument that makes this command a proxy.
const ProxyCommand = "proxy"

// proxyConnections is how many unused connections the proxy keeps to what is behind it. With the default of Go, 2, it
// would make a new one for most requests.
const proxyConnections = 1024

// StartProxy starts Go's reverse proxy in a separate process, in front of what listens on an address.
func StartProxy(ctx context.Context, address string) (*process.Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return process.Start(ctx, []byte(address), self, ProxyCommand)
}

// ServeProxy is the proxy. It reads from in the address to which it sends requests, writes its own to out, and serves
// until the process ends.
func ServeProxy(in io.Reader, out io.Writer) error {
	address, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	proxy := httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: string(address)}) },
		Transport: &http.Transport{
			MaxIdleConnsPerHost: proxyConnections, IdleConnTimeout: time.Minute, DisableCompression: true,
		},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "http://%s\n", listener.Addr()); err != nil {
		return err
	}
	return http.Serve(listener, &proxy)
}
