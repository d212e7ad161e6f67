// Package servicetest runs one whole service in a test: from its definition, on a real store in a temporary folder,
// with stubs for the services that it calls and a clock that the test sets.
package servicetest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/kafka/cluster"
	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/wait"
)

const secret = "the-secret-of-one-test-run"

// Clock is the clock of a service under test. It stands still until the test moves it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// At returns a clock that shows an instant, given in the form of RFC 3339.
func At(t *testing.T, instant string) *Clock {
	t.Helper()
	now, err := time.Parse(time.RFC3339, instant)
	if err != nil {
		t.Fatal(err)
	}
	return &Clock{now: now}
}

// Now returns the instant that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass moves the clock forward.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Options describe what the service runs with.
type Options struct {
	// Clock is its clock; the real time if nil.
	Clock *Clock
	// Peers holds stubs of the services that it calls, by name. One that is missing responds with 404.
	Peers map[string]http.Handler
	// Flags holds settings as on the command line.
	Flags []string
	// Store is its store, so that several services can share one; a new one in a temporary folder if nil.
	Store docstore.Store
	// Kafka says how to reach Kafka, if the service is to have it.
	Kafka cluster.Settings
}

// Service is a service under test.
type Service struct {
	t       testing.TB
	handler http.Handler
	header  http.Header
	// Metrics holds the metrics of the service.
	Metrics prometheus.Gatherer
	// Ready holds the readiness checks of the service by name.
	Ready map[string]func(context.Context) error
	// Stop ends the loops of the service and waits for their end.
	Stop func()
}

// Main runs the tests of a package whose code takes services that respond late for ones that are away: on a busy
// machine all of them do.
func Main(m *testing.M) {
	patience.Set(60)
	os.Exit(m.Run())
}

// OpenStore opens a store in a temporary folder, which is closed when the test ends.
func OpenStore(t testing.TB) docstore.Store {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// Start starts a service and its loops, which end with the test. All that it opens is closed then, so that it can run
// in a bubble of testing/synctest.
func Start(t testing.TB, d process.Definition, o Options) *Service {
	t.Helper()
	var settings process.Settings
	flags := pflag.NewFlagSet(d.Name, pflag.ContinueOnError)
	settings.Register(flags)
	if d.Flags != nil {
		d.Flags(flags)
	}
	// On a busy machine a request takes longer than any caller would wait.
	patient := []string{"--request-timeout", wait.Longest.String(), "--credential", secret}
	if err := flags.Parse(append(patient, o.Flags...)); err != nil {
		t.Fatal(err)
	}
	store := o.Store
	if store == nil {
		store = OpenStore(t)
	}
	credentials, err := request.NewCredentials(settings.Secrets)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now
	if o.Clock != nil {
		now = o.Clock.Now
	}
	running := process.NewProcess(settings, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		running.Await(ended)
	})
	instance := &process.Instance{}
	create := d.New
	d.New = func(ctx context.Context, deps process.Deps) (*process.Instance, error) {
		made, err := create(ctx, deps)
		if err == nil {
			instance = made
		}
		return made, err
	}
	handler, err := running.Start(t.Context(), d, process.Links{
		Store: store, Now: now, Kafka: o.Kafka,
		Peer: func(name string) (peer.Config, error) {
			stub := o.Peers[name]
			if stub == nil {
				stub = http.NotFoundHandler()
			}
			return peer.Config{Address: "http://" + name, Handler: stub}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{t: t, handler: handler, header: http.Header{}, Metrics: running.Registry, Ready: instance.Ready}
	s.run(instance.Background)
	credentials.Identify(s.header, request.Caller{Subject: "tester", Scopes: []string{"std.admin", "std.developer"}})
	return s
}

// As returns the service as it gets requests in the name of an organisation, where organisations share the exchange.
func (s *Service) As(organisation string) *Service {
	as := *s
	as.header = s.header.Clone()
	as.header.Set(request.OrganisationHeader, organisation)
	return &as
}

// Metric returns the value of a gauge or counter that has one series, and whether the service shows it.
func (s *Service) Metric(name string) (value float64, shown bool) {
	s.t.Helper()
	families, err := s.Metrics.Gather()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			m := family.GetMetric()[0]
			return m.GetCounter().GetValue() + m.GetGauge().GetValue(), true
		}
	}
	return 0, false
}

// run runs loops until the test or the service ends.
func (s *Service) run(loops map[string]func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for name, loop := range loops {
		group.Go(func() {
			if err := loop(ctx); err != nil || ctx.Err() == nil {
				s.t.Errorf("loop %s has ended: %v", name, err)
			}
		})
	}
	s.Stop = sync.OnceFunc(func() {
		cancel()
		group.Wait()
	})
	s.t.Cleanup(s.Stop)
}

// Response is a response of the service.
type Response struct {
	Status int
	Header http.Header
	Text   string
	// Body is the response as a JSON object; nil if it is not one.
	Body map[string]any
}

// Do sends a request as the gateway would. header holds further headers, each as a name and a value.
func (s *Service) Do(method, path, body string, header ...string) Response {
	s.t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	request := httptest.NewRequestWithContext(context.Background(), method, path, content)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	return s.Serve(request)
}

// Serve sends a request as the gateway would, with the headers that it has.
func (s *Service) Serve(request *http.Request) Response {
	for name, values := range s.header {
		if request.Header[name] == nil {
			request.Header[name] = values
		}
	}
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, request)
	response := Response{Status: recorder.Code, Header: recorder.Header(), Text: recorder.Body.String()}
	_ = json.Unmarshal(recorder.Body.Bytes(), &response.Body) // a list is no object
	return response
}

// Must sends a request and ends the test unless the response has the status.
func (s *Service) Must(status int, method, path, body string, header ...string) Response {
	s.t.Helper()
	response := s.Do(method, path, body, header...)
	if response.Status != status {
		s.t.Fatalf("%s %s %s: status %d, want %d: %s", method, path, body, response.Status, status, response.Text)
	}
	return response
}

// Create posts a record and returns its id.
func (s *Service) Create(resource, body string) string {
	s.t.Helper()
	id, _ := s.Must(http.StatusCreated, http.MethodPost, "/"+resource, body).Body["id"].(string)
	return id
}

// Member returns a member of the response that is a string; empty if it is not one.
func (r Response) Member(name string) string {
	text, _ := r.Body[name].(string)
	return text
}
