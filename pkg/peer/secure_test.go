package peer_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
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
func sendSecure(t *testing.T, transport http.RoundTripper, to *replica) (*http.Response, error) {
	t.Helper()
	_, port, _ := net.SplitHostPort(to.host())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://localhost:"+port,
		strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err == nil {
		response.Body.Close()
	}
	return response, err
}

// trusting returns a transport that trusts authorities.
func trusting(authorities *x509.CertPool) *peer.Transport {
	return peer.NewTransport(func() *tls.Config { return &tls.Config{RootCAs: authorities} })
}

// TestCertificateIsForTheName: the name is resolved, and the certificate is for the name. HTTP/1.1 is spoken, although
// the server offers HTTP/2.
func TestCertificateIsForTheName(t *testing.T) {
	for name, good := range map[string]bool{"localhost": true, "coverage": false} {
		up, pool := secureReplica(t, echo, name)
		response, err := sendSecure(t, trusting(pool), up)
		switch {
		case good && (err != nil || response.StatusCode != http.StatusOK || response.ProtoMajor != 1):
			t.Errorf("certificate for %s: response %+v, error %v", name, response, err)
		case !good && (err == nil || up.requests.Load() != 0):
			t.Errorf("certificate for %s: %d requests, error %v", name, up.requests.Load(), err)
		}
	}
	up, _ := secureReplica(t, echo, "localhost")
	if _, err := sendSecure(t, peer.NewTransport(nil), up); err == nil {
		t.Error("an authority that the system does not know is trusted")
	}
}

// TestRenewMakesNewConnections: a connection that is kept is not used any more, and the next one is secured anew.
func TestRenewMakesNewConnections(t *testing.T) {
	up, pool := secureReplica(t, echo, "localhost")
	var secured int
	transport := peer.NewTransport(func() *tls.Config { secured++; return &tls.Config{RootCAs: pool} })
	kept := func() (reused bool) {
		t.Helper()
		idle := make(chan struct{})
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn:     func(info httptrace.GotConnInfo) { reused = info.Reused },
			PutIdleConn: func(error) { close(idle) },
		})
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
		return reused
	}
	if kept() || !kept() {
		t.Error("want one connection for two requests")
	}
	transport.Renew()
	if kept() || secured != 2 {
		t.Errorf("want another connection after a renewal, secured anew (%d)", secured)
	}
}
