package process_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

// held is a handler that keeps each request of a path until it is told to end them all.
type held struct {
	came  chan struct{}
	leave chan struct{}
	once  sync.Once
}

func newHeld(t *testing.T) *held {
	h := &held{came: make(chan struct{}, 100), leave: make(chan struct{})}
	t.Cleanup(h.release)
	return h
}

func (h *held) release() { h.once.Do(func() { close(h.leave) }) }

func (h *held) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/held" {
		h.came <- struct{}{}
		<-h.leave
	}
	w.WriteHeader(http.StatusNoContent)
}

// TestConnectionsAreBounded opens as many connections as there may be, without and with TLS. A request on a further one
// gets a response with the reason, and its connection ends, until another one is closed. Those within the bound are
// served.
func TestConnectionsAreBounded(t *testing.T) {
	for name, secured := range map[string]bool{"plain": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				authority := certificatetest.NewAuthority(t)
				p, journal := openInMemory(t, func(s *process.Settings) {
					s.MaxConnections = 2
					if secured {
						s.Security = certificateFiles(t, authority, time.Now().Add(-time.Hour),
							time.Now().Add(1000*time.Hour))
						s.Security.ClientCA = ""
					}
				})
				dial := func() dialog {
					d := dialled(t, p)
					if secured {
						d = over(tls.Client(d.Conn, &tls.Config{
							InsecureSkipVerify: true, //nolint:gosec // whose certificate it is does not matter here
						}))
					}
					return d
				}
				handler := newHeld(t)
				serving(t, p, handler)
				served := []dialog{dial(), dial()}
				for _, d := range served {
					d.send(t, "/held")
					<-handler.came
				}
				for _, sent := range []string{
					simply(http.MethodGet, "/vehicle/7", ""),
					// What is not read to its end must not make the response be lost.
					simply(http.MethodPost, "/vehicle/7", strings.Repeat("x", 30<<10)),
				} {
					d := dial()
					response, text := d.exchanged(t, sent)
					wantProblem(t, response, text, problem.Overloaded, "connections")
					if !response.Close || response.Header.Get("Retry-After") != "1" ||
						response.Header.Get(problem.RequestIDHeader) != "r-7" {
						t.Error(response.Header)
					}
					d.wantEnd(t)
					_ = d.Close()
				}
				synctest.Wait()
				_, metrics := get(t, journal.adminURL(t)+"/metrics")
				if !strings.Contains(metrics, "\nexchange_connections 2\n") ||
					!strings.Contains(metrics, "\nexchange_connections_refused_total 2\n") {
					t.Errorf("two connections, and two that were refused, are not in the metrics:\n%s", metrics)
				}
				handler.release()
				for _, d := range served {
					if response := d.receive(t); response.StatusCode != http.StatusNoContent {
						t.Errorf("a connection within the bound gets %d", response.StatusCode)
					}
				}
				_ = served[0].Close()
				synctest.Wait()
				if response := dial().ask(t, "/"); response.StatusCode != http.StatusNoContent {
					t.Errorf("with room again: %d", response.StatusCode)
				}
			})
		})
	}
}

// TestRefusedConnectionsAreBounded opens many connections beyond the bound on which nothing is asked for. Few of them
// stay open to be told so.
func TestRefusedConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := openInMemory(t, func(s *process.Settings) { s.MaxConnections = 1 })
		serving(t, p, newHeld(t))
		dialled(t, p)
		var closed atomic.Int64
		for range 300 {
			d := dialled(t, p)
			go func() {
				if _, err := d.in.ReadByte(); err == io.EOF {
					closed.Add(1)
				}
			}()
		}
		synctest.Wait()
		if count := closed.Load(); count != 300-256 {
			t.Errorf("%d of 300 connections beyond the bound are closed", count)
		}
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
