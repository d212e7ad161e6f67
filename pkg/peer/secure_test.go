package peer_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"

	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

// secureReplica is a replica that serves TLS with a certificate for a name, and its authority.
func secureReplica(t *testing.T, h http.HandlerFunc, name string) (*replica, *x509.CertPool) {
	t.Helper()
	authority := certificatetest.NewAuthority(t)
	text, key := authority.Issue(name)
	pair, err := tls.X509KeyPair([]byte(text), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.requests.Add(1)
		h(w, request)
	}))
	r.EnableHTTP2 = true
	r.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	r.StartTLS()
	t.Cleanup(r.Close)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(authority.PEM))
	return r, pool
}

// sendSecure sends a request to https://localhost at the port of a replica.
func sendSecure(t *testing.T, transport http.RoundTripper, method string, to *replica) (*http.Response, error) {
	t.Helper()
	_, port, _ := net.SplitHostPort(to.host())
	request, err := http.NewRequestWithContext(t.Context(), method, "https://localhost:"+port, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err == nil {
		response.Body.Close()
	}
	return response, err
}

func reach(t *testing.T, to *replica, secure func() *tls.Config) *peer.Transport {
	t.Helper()
	_, port, _ := net.SplitHostPort(to.host())
	_, transport, err := peer.Reach([]string{"https://localhost:" + port}, secure)
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

// TestCertificateIsForTheName: the name is resolved, and one of its addresses dialled; the certificate is for the
// name. HTTP/1.1 is spoken, although the server offers HTTP/2.
func TestCertificateIsForTheName(t *testing.T) {
	for name, good := range map[string]bool{"localhost": true, "coverage": false} {
		up, pool := secureReplica(t, echo, name)
		response, err := sendSecure(t, reach(t, up, func() *tls.Config {
			return &tls.Config{RootCAs: pool}
		}), http.MethodPost, up)
		switch {
		case good && (err != nil || response.StatusCode != http.StatusOK || response.ProtoMajor != 1):
			t.Errorf("certificate for %s: response %+v, error %v", name, response, err)
		case !good && (err == nil || up.requests.Load() != 0):
			t.Errorf("certificate for %s: %d requests, error %v", name, up.requests.Load(), err)
		}
	}
	up, _ := secureReplica(t, echo, "localhost")
	if _, err := sendSecure(t, reach(t, up, nil), http.MethodPost, up); err == nil {
		t.Error("an authority that the system does not know is trusted")
	}
}

// TestWhatMayHaveBeenReceivedIsNotRepeatedWithTLS has a server cut the connection after it has read a request.
func TestWhatMayHaveBeenReceivedIsNotRepeatedWithTLS(t *testing.T) {
	for method, want := range map[string]int64{http.MethodPost: 1, http.MethodGet: 3} {
		up, pool := secureReplica(t, cut, "localhost")
		if _, err := sendSecure(t, reach(t, up, func() *tls.Config {
			return &tls.Config{RootCAs: pool}
		}), method, up); err == nil {
			t.Errorf("%s: no error", method)
		}
		if n := up.requests.Load(); n != want {
			t.Errorf("%s was sent %d times, want %d", method, n, want)
		}
	}
}

// TestRenewMakesNewConnections: a connection that is kept is not used any more.
func TestRenewMakesNewConnections(t *testing.T) {
	up, pool := secureReplica(t, echo, "localhost")
	var secured atomic.Int64
	transport := reach(t, up, func() *tls.Config { secured.Add(1); return &tls.Config{RootCAs: pool} })
	ask := func() {
		t.Helper()
		idle := make(chan struct{})
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{PutIdleConn: func(error) { close(idle) }})
		request, err := http.NewRequestWithContext(ctx, http.MethodGet,
			"https://"+strings.Replace(up.host(), "127.0.0.1", "localhost", 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		<-idle
	}
	ask()
	ask()
	if n := secured.Load(); n != 1 {
		t.Errorf("%d connections for two requests", n)
	}
	transport.Renew()
	ask()
	if n := secured.Load(); n != 2 {
		t.Errorf("%d connections after one renewal", n)
	}
}
