package process_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

// serving starts a process with a handler, and ends it with the test.
func serving(t *testing.T, p *process.Process, handler http.Handler) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, handler) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// dialers make connections of HTTP/1 to a process without and with TLS.
func dialers(t *testing.T, handler http.HandlerFunc) map[string]func(t *testing.T) dialog {
	t.Helper()
	return dialersOf(t, open, func(*process.Process) http.Handler { return handler })
}

// dialersOf is dialers for processes that a function opens, with changed settings. handler returns the handler of each
// of the two processes.
func dialersOf(
	t *testing.T, open func(*testing.T, func(*process.Settings)) (*process.Process, *journal),
	handler func(*process.Process) http.Handler, change ...func(*process.Settings),
) map[string]func(t *testing.T) dialog {
	t.Helper()
	plain, _ := open(t, func(s *process.Settings) {
		for _, one := range change {
			one(s)
		}
	})
	serving(t, plain, handler(plain))
	authority := certificatetest.NewAuthority(t)
	secured, _ := open(t, func(s *process.Settings) {
		for _, one := range change {
			one(s)
		}
		s.Security = certificateFiles(t, authority, time.Now().Add(-time.Hour), time.Now().Add(1000*time.Hour))
		s.Security.ClientCA = ""
	})
	serving(t, secured, handler(secured))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(authority.PEM))
	return map[string]func(t *testing.T) dialog{
		"plain": func(t *testing.T) dialog { return dialled(t, plain) },
		"TLS": func(t *testing.T) dialog {
			raw := dialled(t, secured)
			conn := tls.Client(raw.Conn,
				&tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: []string{"http/1.1"}})
			return dialog{conn, bufio.NewReader(conn)}
		},
	}
}

// exchanged sends a text and returns the response with its body.
func (d dialog) exchanged(t *testing.T, text string) (*http.Response, string) {
	t.Helper()
	if _, err := io.WriteString(d, text); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(d.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// wantEnd fails unless the other end closes the connection.
func (d dialog) wantEnd(t *testing.T) {
	t.Helper()
	if err := d.SetReadDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if b, err := d.in.ReadByte(); err == nil || errors.Is(err, net.ErrClosed) {
		t.Errorf("the connection goes on: %q, %v", b, err)
	}
}

// TestRefusalsOfTheServerAreProblems sends what net/http does not give to a handler, on a new connection and on one
// that has had a response.
func TestRefusalsOfTheServerAreProblems(t *testing.T) {
	// As much as is read of a header, and no more: a connection that is closed while something is unread loses the
	// response.
	endless := "GET / HTTP/1.1\r\nHost: a\r\nLong: "
	endless += strings.Repeat("x", 36<<10-len(endless))
	for name, dial := range dialers(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "the handler's own", http.StatusBadRequest)
	}) {
		for _, c := range []struct {
			sent string
			kind problem.Kind
			says string
		}{
			{"GET / HTTP/1.1\r\n\r\n", problem.MalformedRequest, "missing required Host header"},
			{"nonsense\r\n\r\n", problem.MalformedRequest, "cannot be read"},
			{"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", problem.MalformedRequest,
				"cannot be read"},
			{"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", problem.TransferCoding, "chunked"},
			{"GET / HTTP/3.0\r\nHost: a\r\n\r\n", problem.Version, "HTTP/1.1 or HTTP/2"},
			{"GET / HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\n\r\n", problem.Expectation, "100-continue"},
			{endless, problem.HeaderTooLarge, "32 KiB"},
		} {
			for _, before := range []int{0, 2} {
				if before > 0 && c.kind == problem.HeaderTooLarge {
					continue // there it depends on the pieces that come how much is read
				}
				t.Run(fmt.Sprintf("%s, %s, after %d responses", name, c.kind.Slug(), before), func(t *testing.T) {
					d := dial(t)
					for range before {
						if response, text := d.exchanged(t,
							"GET / HTTP/1.1\r\nHost: a\r\n\r\n"); response.StatusCode != http.StatusBadRequest ||
							text != "the handler's own\n" || response.Close {
							t.Fatalf("what a handler responds became %v %s", response, text)
						}
					}
					response, text := d.exchanged(t, c.sent)
					wantProblem(t, response, text, c.kind, c.says)
					if !response.Close {
						t.Error("the response does not say that the connection ends")
					}
					d.wantEnd(t)
				})
			}
		}
	}
}

func wantProblem(t *testing.T, response *http.Response, text string, kind problem.Kind, says string) {
	t.Helper()
	var is struct {
		Type, Title, Detail, Instance string
		Status                        int
	}
	if err := json.Unmarshal([]byte(text), &is); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if response.StatusCode != kind.Status() || response.Header.Get("Content-Type") != problem.ContentType ||
		is.Type != problem.URI(kind) ||
		is.Title != kind.Title() || is.Status != kind.Status() || !strings.Contains(is.Detail, says) ||
		is.Instance == "" || is.Instance != response.Header.Get(problem.RequestIDHeader) {
		t.Errorf("%v\n%s", response, text)
	}
}

func TestPlainHTTPWhereTLSIsServed(t *testing.T) {
	p, _ := open(t, func(s *process.Settings) {
		s.Security = certificateFiles(t, certificatetest.NewAuthority(t), time.Now().Add(-time.Hour),
			time.Now().Add(1000*time.Hour))
	})
	serving(t, p, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a handler was called") }))
	response, text := dialled(t, p).exchanged(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	wantProblem(t, response, text, problem.MalformedRequest, "HTTPS")
}

// TestLengthSaidTwiceEndsTheConnection sends bodies whose length somebody in between may understand otherwise. They
// are handled as RFC 9112 says, and then the connection is closed; others leave it open.
func TestLengthSaidTwiceEndsTheConnection(t *testing.T) {
	const chunks = "4\r\nbody\r\n0\r\n\r\n"
	header := func(lines ...string) string {
		return "POST / " + strings.Join(append(lines, "\r\n"), "\r\n")
	}
	for name, dial := range dialers(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %v", body, err)
	}) {
		for what, c := range map[string]struct {
			sent string
			ends bool
			want string
		}{
			"both": {
				header("HTTP/1.1", "Host: a", "Content-Length: 4", "Transfer-Encoding: chunked") + chunks,
				true, "body <nil>",
			},
			"both, the other order": {
				header("HTTP/1.1", "transfer-encoding:chunked", "Host: a", "CONTENT-LENGTH: 9") + chunks,
				true, "body <nil>",
			},
			"chunked in HTTP/1.0": {
				header("HTTP/1.0", "Host: a", "Connection: keep-alive", "Transfer-Encoding: chunked"), true, " <nil>",
			},
			"chunked": {
				header("HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") + chunks, false, "body <nil>",
			},
			"a length": {header("HTTP/1.1", "Host: a", "Content-Length: 4") + "body", false, "body <nil>"},
			"a length in HTTP/1.0": {
				header("HTTP/1.0", "Host: a", "Connection: keep-alive", "Content-Length: 4") + "body",
				false, "body <nil>",
			},
			"neither": {
				header("HTTP/1.1", "Host: a", "X-Content-Length: 4", "X-Transfer-Encoding: chunked"), false, " <nil>",
			},
			"one in the body": {
				header("HTTP/1.1", "Host: a", "Content-Length: 27") + "\nTransfer-Encoding: chunked", false,
				"\nTransfer-Encoding: chunked <nil>",
			},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				d := dial(t)
				for range 2 {
					d.ask(t, "/")
				}
				response, text := d.exchanged(t, c.sent)
				if response.StatusCode != http.StatusOK || text != c.want || response.Close != c.ends {
					t.Errorf("Connection: close: %v; %d %q, want %q", response.Close, response.StatusCode, text, c.want)
				}
				if c.ends {
					d.wantEnd(t)
				} else {
					d.ask(t, "/")
				}
			})
		}
	}
}

// TestHeaderInPiecesIsUnderstood sends a header byte by byte, so that the names are read in pieces.
func TestHeaderInPiecesIsUnderstood(t *testing.T) {
	p, _ := open(t, nil)
	serving(t, p, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	d := dialled(t, p)
	text := "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
	for i := range text {
		if _, err := io.WriteString(d, text[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if response := d.receive(t); !response.Close {
		t.Error("the connection goes on")
	}
}
