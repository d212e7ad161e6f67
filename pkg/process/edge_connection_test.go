package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
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
	p, _ := open(t, nil)
	serving(t, p, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "the handler's own", http.StatusBadRequest)
	}))
	for _, c := range []struct {
		sent string
		kind problem.Kind
		says string
	}{
		{"GET / HTTP/1.1\r\n\r\n", problem.MalformedRequest, "missing required Host header"},
		{"nonsense\r\n\r\n", problem.MalformedRequest, "cannot be read"},
		// Its length is stated in two ways.
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
			t.Run(fmt.Sprintf("%s after %d responses", c.kind.Slug(), before), func(t *testing.T) {
				d := dialled(t, p)
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

// TestChunksComeBeforeALength sends a body with both. Its chunks count, as RFC 9112 says, and what follows them is the
// next request.
func TestChunksComeBeforeALength(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := openInMemory(t, nil)
		serving(t, p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %q %v", r.URL.Path, body, err)
		}))
		d := dialled(t, p)
		const chunks = "4\r\nbody\r\n0\r\n\r\n"
		for path, length := range map[string]int{"/short": 2, "/exact": 4, "/long": 90} {
			_, text := d.exchanged(t, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n"+
				"Transfer-Encoding: chunked\r\n\r\n%s", path, length, chunks))
			if want := path + ` "body" <nil>`; text != want {
				t.Errorf("%q, want %q", text, want)
			}
		}
	})
}
