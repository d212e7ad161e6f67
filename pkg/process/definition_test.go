package process_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/process/stores"
	"insurance.example/exchange/pkg/request"
)

type term struct {
	Holder string `json:"holder"`
	Of     string `json:"of"`
}

// coverage is a service whose response names the caller and the request id.
func coverage() process.Definition {
	return process.Definition{
		Name: "coverage",
		New: func(_ context.Context, deps process.Deps) (*process.Instance, error) {
			engine := deps.Engine()
			engine.GET("/internal/policies/:number", deps.Guard, func(c *gin.Context) {
				ctx := c.Request.Context()
				c.JSON(http.StatusOK, term{Holder: request.CallerFrom(ctx).Subject, Of: request.NamesFrom(ctx).ID})
			})
			return &process.Instance{
				Handler: engine,
				Background: map[string]func(context.Context) error{"relay": func(ctx context.Context) error {
					<-ctx.Done()
					return nil
				}},
			}, nil
		},
	}
}

// claims asks coverage.
func claims() process.Definition {
	var window time.Duration
	return process.Definition{
		Name: "claims", Summary: "Claims of the exchange", Peers: []string{"coverage"},
		Flags: func(flags *pflag.FlagSet) { flags.DurationVar(&window, "late-notification", 0, "reporting window") },
		New: func(ctx context.Context, deps process.Deps) (*process.Instance, error) {
			if deps.Peer("parties") != nil {
				return nil, errors.New("a peer that was not declared")
			}
			if err := deps.Store.Ping(ctx); err != nil {
				return nil, err
			}
			claims, err := deps.Store.Collection(ctx, docstore.Spec{Name: "claims"})
			if err != nil {
				return nil, err
			}
			id := uuid.Must(uuid.NewV7())
			doc := docstore.Document{ID: id, Body: []byte(`{}`)}
			if err := claims.Insert(ctx, organisation.Sole(), doc); err != nil {
				return nil, err
			}
			if _, err := claims.Get(ctx, organisation.Sole(), uuid.New()); !errors.Is(err, docstore.ErrNotFound) {
				return nil, errors.New("a document that nobody stored")
			}
			deps.Log.Info("late notification", "window", window.String())
			engine := deps.Engine()
			engine.GET("/claim", deps.Guard, func(c *gin.Context) {
				found, _, err := peer.Get[term](c.Request.Context(), deps.Peer("coverage"), "/internal/policies/M1")
				if err != nil {
					_ = c.Error(err)
					return
				}
				c.JSON(http.StatusOK, found)
			})
			return &process.Instance{Handler: engine,
				Ready: map[string]func(context.Context) error{"rules": func(context.Context) error {
					return nil
				}}}, nil
		},
	}
}

// identified makes a request as the gateway would.
func identified(t *testing.T, url string) *http.Request {
	t.Helper()
	asked, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := request.NewCredentials([]string{"a-secret-of-the-exchange"})
	if err != nil {
		t.Fatal(err)
	}
	credentials.Identify(asked.Header, request.Caller{Subject: "broker-1"})
	asked.Header.Set("X-Request-Id", "order-7")
	return asked
}

const fromCoverage = `{"holder":"broker-1","of":"order-7"}`

func TestServicesShareAProcess(t *testing.T) {
	p, journal := open(t, nil)
	store, err := stores.Open(t.Context(), process.StoreSettings{
		URL: process.StoreURL("sqlite:" + filepath.Join(t.TempDir(), "exchange.db")),
	}, "exchange", p.Log)
	if err != nil {
		t.Fatal(err)
	}
	p.AddStore("exchange", store)
	handlers := map[string]http.Handler{}
	links := process.Links{
		Store: store, Now: time.Now,
		Peer: func(name string) (peer.Config, error) {
			late := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handlers[name].ServeHTTP(w, r) })
			return peer.Config{Address: "http://" + name, Handler: late}, nil
		},
	}
	for _, definition := range []process.Definition{claims(), coverage()} {
		if handlers[definition.Name], err = p.Start(t.Context(), definition, links); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, handlers["claims"]) }()
	response, err := http.DefaultClient.Do(identified(t, "http://"+p.Address()+"/claim"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); string(body) != fromCoverage {
		t.Errorf("response %s, want %s", body, fromCoverage)
	}
	_, metrics := get(t, journal.adminURL(t)+"/metrics")
	for _, name := range []string{"claims", "coverage"} {
		if !strings.Contains(metrics, `http_requests_in_flight{service="`+name+`"}`) {
			t.Errorf("no request of %s in the metrics", name)
		}
	}
	for _, want := range []string{
		`http_request_duration_seconds_count{code="200",method="GET",route="/internal/policies/{number}",service="coverage"} 1`,
		`peer_request_duration_seconds_count{code="200",method="GET",peer="coverage",service="claims"} 1`,
		`store_operation_duration_seconds_count{collection="claims",operation="insert",outcome="ok",service="claims"} 1`,
		`store_operation_duration_seconds_count{collection="claims",operation="get",outcome="ok",service="claims"} 1`,
		`store_records_without_key{collection="claims",service="claims"} 0`,
		`exchange_build_info{commit="`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	_, ready := get(t, journal.adminURL(t)+"/readyz")
	for _, check := range []string{"claims rules", "exchange store", "claims migrations"} {
		if !strings.Contains(ready, `"`+check+`":"ok"`) {
			t.Errorf("readiness %s, want %s in it", ready, check)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestServiceAlone runs the command of one service against another over HTTP.
func TestServiceAlone(t *testing.T) {
	p, _ := open(t, nil)
	handler, err := p.Start(t.Context(), coverage(), process.Links{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	other := httptest.NewServer(handler)
	defer other.Close()

	ctx, stop := context.WithCancel(t.Context())
	stderr, logs := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- claims().Program(stores.Open).Execute(ctx, []string{
			"--addr", "127.0.0.1:0", "--admin-addr", "", "--store", "sqlite:" + filepath.Join(t.TempDir(), "claims.db"),
			"--credential", "a-secret-of-the-exchange", "--peer", "coverage=" + other.URL,
		}, []string{"EXCHANGE_LATE_NOTIFICATION=72h", "EXCHANGE_DRAIN_DELAY=0s"}, io.Discard, logs)
		logs.Close()
	}()
	address, window := "", false
	for lines := bufio.NewScanner(stderr); address == "" && lines.Scan(); {
		window = window || strings.Contains(lines.Text(), `"window":"72h0m0s"`)
		if _, rest, ok := strings.Cut(lines.Text(), `"msg":"listening","address":"`); ok {
			address, _, _ = strings.Cut(rest, `"`)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	if !window {
		t.Error("the service did not see its own setting")
	}
	response, err := http.DefaultClient.Do(identified(t, "http://"+address+"/claim"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); string(body) != fromCoverage {
		t.Errorf("response %s, want %s", body, fromCoverage)
	}
	if status, _ := get(t, "http://"+address+"/claim"); status != http.StatusUnauthorized {
		t.Errorf("without the gateway's credential: %d", status)
	}
	stop()
	if status := <-ended; status != 0 {
		t.Errorf("exit status %d", status)
	}
}

func TestStartNamesWhatIsMissing(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "claims.db")
	for want, args := range map[string][]string{
		"setting credential": {"--peer", "coverage=http://coverage"},
		"setting peer":       {"--credential", "a-secret-of-the-exchange"},
		"setting store":      {"--store", "postgres://db"},
		"setting mongo-ca":   {"--store", "mongodb://127.0.0.1:1", "--mongo-ca", "/none"},
		"setting admin-addr": {"--admin-addr", "nowhere"},
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
