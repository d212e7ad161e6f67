package process_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

// TestConnectionsAreBounded opens as many connections as there may be, each with a request in work. A further one gets
// a response with the reason, until another one is closed.
func TestConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, journal := openInMemory(t, func(s *process.Settings) { s.MaxConnections = 2 })
		handler := newHeld(t)
		serving(t, p, handler)
		served := []dialog{dialled(t, p), dialled(t, p)}
		for _, d := range served {
			d.send(t, "/held")
			<-handler.came
		}
		for what, sent := range map[string]string{
			"a request": simply(http.MethodGet, "/vehicle/7", ""),
			// What is not read to its end must not make the response be lost.
			"a long one": simply(http.MethodPost, "/vehicle/7", strings.Repeat("x", 30<<10)),
			"nonsense":   "nonsense\r\n\r\n",
		} {
			d := dialled(t, p)
			response, text := d.exchanged(t, sent)
			wantProblem(t, response, text, problem.Overloaded, "connections")
			if !response.Close || response.Header.Get("Retry-After") != "1" ||
				what != "nonsense" && response.Header.Get(problem.RequestIDHeader) != "r-7" {
				t.Errorf("%s: %v", what, response.Header)
			}
			d.wantEnd(t)
		}
		_, metrics := get(t, journal.adminURL(t)+"/metrics")
		if !strings.Contains(metrics, "\nexchange_connections 2\n") ||
			!strings.Contains(metrics, "\nexchange_connections_refused_total 3\n") {
			t.Errorf("the metrics do not say that there are two connections, and three were refused:\n%s", metrics)
		}
		handler.release()
		for _, d := range served {
			if response := d.receive(t); response.StatusCode != http.StatusNoContent {
				t.Errorf("a connection within the bound gets %d", response.StatusCode)
			}
		}
		_ = served[0].Close()
		eventually(t, func() bool { return dialled(t, p).ask(t, "/").StatusCode == http.StatusNoContent })
	})
}

// TestConnectionsAreRefusedOneAMillisecond has somebody connect again and again beyond the bound, as thousands would
// who take all of the time of a process otherwise.
func TestConnectionsAreRefusedOneAMillisecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := openInMemory(t, func(s *process.Settings) { s.MaxConnections = 1 })
		handler := newHeld(t)
		serving(t, p, handler)
		dialled(t, p).send(t, "/held")
		<-handler.came
		const count = 300
		began := time.Now()
		for range count {
			d := dialled(t, p)
			if response, _ := d.exchanged(t,
				simply(http.MethodGet, "/vehicle/7", "")); response.StatusCode != http.StatusServiceUnavailable {
				t.Fatalf("status %d beyond the bound", response.StatusCode)
			}
			_ = d.Close()
		}
		if took := time.Since(began); took < (count-1)*time.Millisecond {
			t.Errorf("%d connections were refused within %v", count, took)
		}
	})
}

// TestSecuredConnectionsAreBounded checks that there is no handshake for a connection beyond the bound.
func TestSecuredConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		authority := certificatetest.NewAuthority(t)
		p, journal := openInMemory(t, func(s *process.Settings) {
			s.MaxConnections = 1
			s.Security = certificateFiles(t, authority, time.Now().Add(-time.Hour), time.Now().Add(1000*time.Hour))
			s.Security.ClientCA = ""
		})
		handler := newHeld(t)
		serving(t, p, handler)
		config := &tls.Config{InsecureSkipVerify: true} //nolint:gosec // whose certificate it is does not matter here
		first := tls.Client(dialled(t, p).Conn, config)
		if _, err := io.WriteString(first, simply(http.MethodGet, "/held", "")); err != nil {
			t.Fatal(err)
		}
		<-handler.came
		if err := tls.Client(dialled(t, p).Conn, config).HandshakeContext(t.Context()); err == nil {
			t.Error("a handshake is made beyond the bound")
		}
		if _, metrics := get(t, journal.adminURL(t)+"/metrics"); !strings.Contains(metrics,
			"\nexchange_connections_refused_total 1\n") {
			t.Error("the refused connection is not counted")
		}
		_ = first.Close()
		handler.release()
		eventually(t, func() bool {
			return tls.Client(dialled(t, p).Conn, config).HandshakeContext(t.Context()) == nil
		})
	})
}

// simply returns the text of a request with the id r-7.
func simply(method, path, body string) string {
	text := method + " " + path + " HTTP/1.1\r\nHost: exchange:8080\r\nX-Request-Id: r-7\r\n"
	if method == http.MethodPost {
		text += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	return text + "\r\n" + body
}
