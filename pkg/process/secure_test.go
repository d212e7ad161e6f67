package process_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

// certificateFiles writes a certificate of the authority for 127.0.0.1, its key, and the authority, and returns their
// settings.
func certificateFiles(t *testing.T, authority *certificatetest.Authority, begin, end time.Time) process.Security {
	t.Helper()
	folder := t.TempDir()
	text, key := authority.IssueUntil(begin, end, "127.0.0.1", "gateway")
	s := process.Security{
		Certificate: filepath.Join(folder, "tls.crt"), Key: filepath.Join(folder, "tls.key"),
		ClientCA: filepath.Join(folder, "ca.crt"),
	}
	for path, text := range map[string]string{s.Certificate: text, s.Key: key, s.ClientCA: authority.PEM} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// secureClient returns a client that trusts the authority and has a certificate for a name.
func secureClient(t *testing.T, authority *certificatetest.Authority, name string, http2 bool) *http.Client {
	t.Helper()
	text, key := authority.Issue(name)
	pair, err := tls.X509KeyPair([]byte(text), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(authority.PEM))
	transport := newTransport()
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}
	transport.ForceAttemptHTTP2, transport.DisableKeepAlives = http2, false
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 5 * time.Minute}
}

// TestEndOfACertificateIsAnnounced serves with a certificate that ends soon.
func TestEndOfACertificateIsAnnounced(t *testing.T) {
	end := time.Now().Add(time.Hour)
	files := certificateFiles(t, certificatetest.NewAuthority(t), time.Now().Add(-9*time.Hour), end)
	files.ClientCA = ""
	p, journal := open(t, func(s *process.Settings) { s.Security = files })
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, http.NotFoundHandler()) }()
	eventually(t, func() bool {
		for _, line := range journal.lines() {
			if line["level"] == "WARN" && line["setting"] == "tls-certificate" {
				return true
			}
		}
		return false
	})
	admin := journal.adminURL(t)
	eventually(t, func() bool { // the announcement comes while it starts
		status, ready := get(t, admin+"/readyz")
		return status == http.StatusOK &&
			strings.Contains(ready, `"tls-certificate":"degraded: the certificate ends on`)
	})
	_, metrics := get(t, admin+"/metrics")
	for _, want := range []string{
		fmt.Sprintf(`exchange_certificate_end_timestamp_seconds{setting="tls-certificate"} %v`, float64(end.Unix())),
		`exchange_changed_file_refused{setting="tls-certificate and tls-key"} 0`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if !strings.HasPrefix(p.URL(), "https://127.0.0.1:") {
		t.Errorf("URL %s", p.URL())
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestCallerIsKnownByItsCertificate has one service name its callers, and another one not: there a certificate opens
// the connection and says nothing about who calls.
func TestCallerIsKnownByItsCertificate(t *testing.T) {
	for name, test := range map[string]struct {
		names   []string
		secrets []string
		want    int
	}{
		"named":                    {[]string{"gateway"}, nil, http.StatusOK},
		"not named, no credential": {nil, []string{"a-secret-of-the-exchange"}, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				authority := certificatetest.NewAuthority(t)
				p, _ := openInMemory(t, func(s *process.Settings) {
					s.Security = certificateFiles(t, authority, time.Now().Add(-time.Hour),
						time.Now().Add(1000*time.Hour))
					s.Security.ClientNames, s.Secrets = test.names, test.secrets
				})
				handler, err := p.Start(t.Context(), process.Definition{Name: "products",
					New: func(_ context.Context, deps process.Deps) (*process.Instance, error) {
						engine := deps.Engine()
						engine.GET("/product", deps.Guard, func(c *gin.Context) { c.Status(http.StatusOK) })
						return &process.Instance{Handler: engine}, nil
					}}, process.Links{Now: time.Now})
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- p.Serve(ctx, handler) }()
				for _, http2 := range []bool{false, true} {
					response, err := secureClient(t, authority, "gateway", http2).Get(p.URL() + "/product")
					if err != nil {
						t.Fatal(err)
					}
					response.Body.Close()
					if response.StatusCode != test.want || (response.ProtoMajor == 2) != http2 {
						t.Errorf("%s: status %d", response.Proto, response.StatusCode)
					}
				}
				stop()
				if err := <-served; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestStoppingProcessTellsClientsOfHTTP2: during drain-delay each request succeeds, and on another connection.
func TestStoppingProcessTellsClientsOfHTTP2(t *testing.T) {
	authority := certificatetest.NewAuthority(t)
	files := certificateFiles(t, authority, time.Now().Add(-time.Hour), time.Now().Add(1000*time.Hour))
	p, journal := open(t, func(s *process.Settings) { s.Security, s.DrainDelay = files, 5*time.Minute })
	entered, leave := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/slow", func(http.ResponseWriter, *http.Request) { close(entered); <-leave })
	mux.HandleFunc("/from", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.RemoteAddr) })
	ctx, stop := context.WithCancel(t.Context())
	go func() { _ = p.Serve(ctx, mux) }() // it lingers beyond the test
	client := secureClient(t, authority, "anybody", true)
	from := func() string {
		response, err := client.Get(p.URL() + "/from")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK || response.ProtoMajor != 2 {
			t.Fatalf("%s, status %d, error %v", response.Proto, response.StatusCode, err)
		}
		return string(text)
	}
	first := from()
	if again := from(); again != first {
		t.Fatalf("two connections: %s and %s", first, again)
	}
	slow := make(chan error, 1)
	go func() {
		response, err := client.Get(p.URL() + "/slow")
		if err == nil {
			response.Body.Close()
		}
		slow <- err
	}()
	<-entered
	stop()
	admin := journal.adminURL(t)
	eventually(t, func() bool { status, _ := get(t, admin+"/readyz"); return status == http.StatusServiceUnavailable })
	eventually(t, func() bool { return from() != first })
	close(leave)
	if err := <-slow; err != nil {
		t.Errorf("the request that was under way: %v", err)
	}
}

func TestSecuritySettingsThatContradictEachOther(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "claims.db")
	files := certificateFiles(t, certificatetest.NewAuthority(t), time.Now().Add(-time.Hour),
		time.Now().Add(1000*time.Hour))
	pair := []string{"--tls-certificate", files.Certificate, "--tls-key", files.Key}
	for want, args := range map[string][]string{
		"settings tls-certificate and tls-key: give both":     {"--tls-key", files.Key},
		"settings peer-certificate and peer-key: give both":   {"--peer-certificate", files.Certificate},
		"setting tls-client-ca: callers can only":             {"--tls-client-ca", files.ClientCA},
		"setting tls-client-names: give the authorities":      append(pair, "--tls-client-names", "gateway"),
		"setting tls-certificate: open /none":                 {"--tls-certificate", "/none", "--tls-key", files.Key},
		"setting peer-ca: open /none":                         {"--peer-ca", "/none"},
		"setting tls-client-ca: " + files.Key + " holds some": append(pair, "--tls-client-ca", files.Key),
		// Nothing would tell the gateway from others: any certificate of the authority opens a connection.
		"setting credential: no shared secret": append(pair, "--tls-client-ca", files.ClientCA),
		"setting credential: the service would not": {
			"--peer-certificate", files.Certificate, "--peer-key", files.Key,
		},
		"setting peer: nothing proves to coverage who": append(pair, "--tls-client-ca", files.ClientCA,
			"--tls-client-names", "gateway", "--peer", "coverage=https://coverage"),
	} {
		var stderr strings.Builder
		args = append([]string{"--addr", "127.0.0.1:0", "--admin-addr", "", "--store", store}, args...)
		status := claims().Program(stores.Open).Execute(t.Context(), args, nil, io.Discard, &stderr)
		if lines := strings.TrimSpace(stderr.String()); status != 1 ||
			!strings.Contains(lines[strings.LastIndex(lines, "\n")+1:], want) {
			t.Errorf("status %d, stderr %q, want %q", status, stderr.String(), want)
		}
	}
}
