package load

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// counted is a server with metrics that the test decides.
type counted struct {
	requests, scrapes, followed atomic.Int64
}

const (
	perRequest, perScrape, perFollowed = 7, 1000, 3
)

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/metrics" {
		c.requests.Add(1)
		return
	}
	objects := perRequest*c.requests.Load() + perScrape*c.scrapes.Add(1) + perFollowed*c.followed.Load()
	fmt.Fprintf(w, "# TYPE %[1]s counter\n%[1]s %[2]d\n# TYPE %[3]s counter\n%[3]s %[4]d\n", objectsAllocated, objects,
		bytesAllocated, 16*objects)
}

// TestOnlyRequestsAreCharged checks that a request is charged with what it and its consequences allocate, and not with
// what it costs to ask.
func TestOnlyRequestsAreCharged(t *testing.T) {
	var c counted
	at := httptest.NewServer(&c)
	defer at.Close()
	address := strings.TrimPrefix(at.URL, "http://")
	s := &Server{Client: Dial(address, "", 2), Admins: []string{address}}
	r := &Row{Name: "GET /", Status: http.StatusOK, Call: func(uint64) Call {
		return Call{Method: http.MethodGet,
			Path: "/"}
	}}
	if err := s.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := float64(perRequest)
	for _, await := range []func(context.Context, *Server) (int, error){nil,
		func(ctx context.Context, s *Server) (int, error) {
			c.followed.Store(c.requests.Load())
			_, err := s.used(ctx)
			return 1, err
		}} {
		c.requests.Store(0)
		if r.Await = await; await != nil {
			want += perFollowed
		}
		done, err := s.Measure(t.Context(), r, Amount{Connections: 2, Requests: 100})
		if err != nil {
			t.Fatal(err)
		}
		if done.Requests != 100 || done.Errors != 0 || done.Objects != 100*want || done.Bytes != 1600*want {
			t.Errorf("want %v objects of 16 bytes a request in %+v", want, done)
		}
		if (done.Awaited > 0) != (await != nil) {
			t.Errorf("awaited %v s", done.Awaited)
		}
	}
}

// TestLackOfMetricsIsAnError checks that what was not measured is not taken for 0.
func TestLackOfMetricsIsAnError(t *testing.T) {
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		fmt.Fprintln(w, "another 1")
	}))
	defer at.Close()
	address := strings.TrimPrefix(at.URL, "http://")
	s := &Server{Client: Dial(address, "", 1), Admins: []string{address}}
	if _, err := s.used(t.Context()); err == nil || !strings.Contains(err.Error(), objectsAllocated) {
		t.Errorf("error %v, want one that names %s", err, objectsAllocated)
	}
}
