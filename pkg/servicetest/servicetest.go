// Package servicetest runs one service whole in a test: behind its production constructor, on a real store in a
// temporary folder, with its neighbours stubbed and a clock that the test holds.
package servicetest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/service"
)

const secret = "the-secret-of-one-test-run"

// Clock is the time of a service under test.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// At makes a clock that stands at an instant, RFC 3339.
func At(t *testing.T, instant string) *Clock {
	t.Helper()
	now, err := time.Parse(time.RFC3339, instant)
	if err != nil {
		t.Fatal(err)
	}
	return &Clock{now: now}
}

// Now answers the present instant.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass lets time pass.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Options say what surrounds the service.
type Options struct {
	// Clock is its time; the real one where nil.
	Clock *Clock
	// Peers stub the services that it calls.
	Peers map[string]http.Handler
	// Flags are settings as on the command line.
	Flags []string
}

// Service is a service under test.
type Service struct {
	t       *testing.T
	handler http.Handler
	header  http.Header
}

// Start starts a service; it ends with the test.
func Start(t *testing.T, d service.Definition, o Options) *Service {
	t.Helper()
	var settings service.Settings
	flags := pflag.NewFlagSet(d.Name, pflag.ContinueOnError)
	settings.Register(flags)
	if d.Flags != nil {
		d.Flags(flags)
	}
	if err := flags.Parse(append(o.Flags, "--credential", secret)); err != nil {
		t.Fatal(err)
	}
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), d.Name+".db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	credentials, err := request.NewCredentials(settings.Secrets)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now
	if o.Clock != nil {
		now = o.Clock.Now
	}
	process := service.NewProcess(settings, slog.New(slog.DiscardHandler))
	handler, err := process.Start(t.Context(), d, service.Links{
		Store: store, Now: now,
		Dial: func(name string) (*peer.Client, error) {
			stub := o.Peers[name]
			if stub == nil {
				stub = http.NotFoundHandler()
			}
			return peer.New(peer.Config{
				Name: name, Address: "http://" + name, Transport: peer.Handler(stub), Credentials: credentials,
			})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{t: t, handler: handler, header: http.Header{}}
	credentials.Identify(s.header, request.Caller{Subject: "tester", Scopes: []string{"std.admin", "std.developer"}})
	return s
}

// Answer is what the service answered.
type Answer struct {
	Status int
	Header http.Header
	Text   string
	// Body is the answer as an object; nil if it is none.
	Body map[string]any
}

// Do sends a request as the gateway would, with pairs of further headers.
func (s *Service) Do(method, path, body string, header ...string) Answer {
	s.t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	request := httptest.NewRequestWithContext(context.Background(), method, path, content)
	for name, values := range s.header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, request)
	a := Answer{Status: recorder.Code, Header: recorder.Header(), Text: recorder.Body.String()}
	_ = json.Unmarshal(recorder.Body.Bytes(), &a.Body) // a list is no object
	return a
}

// Must sends a request that is to be answered with a status.
func (s *Service) Must(status int, method, path, body string, header ...string) Answer {
	s.t.Helper()
	a := s.Do(method, path, body, header...)
	if a.Status != status {
		s.t.Fatalf("%s %s %s: status %d, want %d: %s", method, path, body, a.Status, status, a.Text)
	}
	return a
}

// Create posts a record and answers its id.
func (s *Service) Create(resource, body string) string {
	s.t.Helper()
	id, _ := s.Must(http.StatusCreated, http.MethodPost, "/"+resource, body).Body["id"].(string)
	return id
}

// Member answers a member of the answer that is a string; empty if it is none.
func (a Answer) Member(name string) string {
	text, _ := a.Body[name].(string)
	return text
}
