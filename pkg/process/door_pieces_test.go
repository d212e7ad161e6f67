package process_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestPipelinedRequestsPassTheDoor sends two requests in a piece, while there is no place. Both have their responses,
// in their order.
func TestPipelinedRequestsPassTheDoor(t *testing.T) {
	p, _ := open(t, nil)
	e := entranceOf(p, 1)
	serving(t, p, e)
	defer e.fill(t)()
	d := dialled(t, p)
	for range 2 {
		if _, err := io.WriteString(d, simply(http.MethodPost, "/vehicle/7", "{}")+simply(http.MethodGet, "/elsewhere", "")); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
			if response := d.receive(t); response.StatusCode != want {
				t.Errorf("status %d, want %d", response.StatusCode, want)
			}
		}
	}
	if n := e.handled.Load(); n != 4 {
		t.Errorf("the handler has %d of 4 requests", n)
	}
}

// TestBodyBehindAPipelinedRequestPassesTheDoor sends, behind a whole request, the header of another one whose body is
// a text like a request.
func TestBodyBehindAPipelinedRequestPassesTheDoor(t *testing.T) {
	p, _ := open(t, nil)
	e := entranceOf(p, 1)
	serving(t, p, e)
	defer e.fill(t)()
	d := dialled(t, p)
	body := simply(http.MethodGet, "/vehicle/8", "")
	header, _, _ := strings.Cut(simply(http.MethodPost, "/elsewhere", body), body)
	if response, text := d.exchanged(t, simply(http.MethodPost, "/vehicle/7", "{}")+header); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the first gets %d %s", response.StatusCode, text)
	}
	if response, text := d.exchanged(t, body); response.StatusCode != http.StatusOK || text != "POST /elsewhere "+body+" <nil>" {
		t.Errorf("the second gets %d %s", response.StatusCode, text)
	}
}

// TestRequestInPiecesPassesTheDoor sends a request of which only the header is there at first. It is whole when its
// body is, so that the next one can be refused at the door.
func TestRequestInPiecesPassesTheDoor(t *testing.T) {
	p, _ := open(t, nil)
	e := entranceOf(p, 1)
	arrived := make(chan struct{})
	e.work = func(*http.Request) { close(arrived) }
	serving(t, p, e)
	d := dialled(t, p)
	header, body, _ := strings.Cut(simply(http.MethodPost, "/vehicle/7", `{"a":"GET /vehicle/8"}`), "{")
	if _, err := io.WriteString(d, header); err != nil {
		t.Fatal(err)
	}
	<-arrived
	if response, text := d.exchanged(t, "{"+body); response.StatusCode != http.StatusOK || !strings.Contains(text, body) {
		t.Errorf("status %d %s", response.StatusCode, text)
	}
	eventually(t, func() bool { return e.limiter.State().InWork == 0 })
	defer e.fill(t)()
	d.exchanged(t, simply(http.MethodGet, "/vehicle/8", ""))
	if n := e.handled.Load(); n != 1 {
		t.Errorf("the handler has %d requests, want 1", n)
	}
}

// TestWhatComesEarlyIsNotCut sends requests while the handler works on those before, when net/http reads as well. One
// is refused at the door; of the other, what is behind its first byte looks like such a request.
func TestWhatComesEarlyIsNotCut(t *testing.T) {
	p, _ := open(t, nil)
	e := entranceOf(p, 1)
	arrived, goOn := make(chan struct{}), make(chan struct{})
	e.work = func(r *http.Request) {
		if r.Method == http.MethodGet {
			arrived <- struct{}{}
			<-goOn
		}
	}
	serving(t, p, e)
	defer e.fill(t)()
	for range 10 {
		d := dialled(t, p)
		for _, early := range []struct {
			sent    string
			status  int
			handled int64
		}{
			{simply(http.MethodGet, "/vehicle/7", ""), http.StatusServiceUnavailable, 0},
			{"X" + simply(http.MethodGet, "/elsewhere", ""), http.StatusOK, 1},
		} {
			before := e.handled.Load() + 1
			d.send(t, "/elsewhere")
			<-arrived
			if _, err := io.WriteString(d, early.sent); err != nil {
				t.Fatal(err)
			}
			goOn <- struct{}{}
			if response := d.receive(t); response.StatusCode != http.StatusOK {
				t.Fatalf("the request that is worked on gets %d", response.StatusCode)
			}
			if response := d.receive(t); response.StatusCode != early.status || e.handled.Load() != before+early.handled {
				t.Fatalf("the early one gets %d, and the handler has %d", response.StatusCode, e.handled.Load()-before)
			}
		}
	}
}
