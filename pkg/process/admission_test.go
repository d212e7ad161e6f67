package process_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/process"
)

// limited returns a router whose limiter admits one request at a time, for which no other one waits long.
func limited() (limitedBench, *load.Limiter) {
	b := bench{journal: &journal{}, registry: prometheus.NewRegistry()}
	log := process.NewLog(b.journal, "json", slog.LevelInfo)
	l := load.NewLimiter(load.LimiterConfig{Wait: time.Millisecond, Most: 1, MostWaiting: 10, Log: log})
	b.Engine = process.NewEngine(process.EngineConfig{Log: log, Metrics: b.registry, Timeout: time.Minute,
		LargestBody: 10, Door: load.Door{Budget: load.NewBudget(8 * load.Page)}})
	return limitedBench{b, process.Guard(func(*gin.Context) {}, process.Admit(l))}, l
}

// limitedBench is a bench with the guard of its routes.
type limitedBench struct {
	bench
	guard gin.HandlerFunc
}

// TestServiceRefusesBeyondItsLimit keeps a service as busy as it may be. Requests are refused, and what another
// service asks for on behalf of a request that was admitted there is not.
func TestServiceRefusesBeyondItsLimit(t *testing.T) {
	b, l := limited()
	arrived, goOn := make(chan struct{}), make(chan struct{})
	b.Use(b.guard)
	b.GET("/vehicle", func(c *gin.Context) { c.Status(http.StatusOK) })
	b.POST("/vehicle", func(c *gin.Context) { _, _ = c.GetRawData() })
	b.GET("/internal/vehicle/:id", func(c *gin.Context) { c.String(http.StatusOK, "{}") })
	b.GET("/vehicle/:id", func(c *gin.Context) {
		if c.Param("id") == "slow" {
			arrived <- struct{}{}
			<-goOn
		}
		c.String(http.StatusOK, "{}")
	})
	ended := make(chan int)
	go func() { ended <- b.ask(http.MethodGet, "/vehicle/slow", nil, nil).Code }()
	<-arrived
	body := strings.NewReader("{}")
	for path, method := range map[string]string{"/vehicle/7": http.MethodGet, "/vehicle": http.MethodGet,
		"/vehicle?": http.MethodPost} {
		got := b.ask(method, path, body, nil)
		if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "" ||
			!strings.Contains(got.Body.String(), `"/problems/overloaded"`) {
			t.Errorf("%s %s: status %d, %v, %s", method, path, got.Code, got.Header(), got.Body)
		}
	}
	if body.Len() != 2 {
		t.Error("the body of a refused request is read")
	}
	if got := b.ask(http.MethodGet, "/internal/vehicle/7", nil, nil); got.Code != http.StatusOK {
		t.Errorf("an internal request gets %d %s", got.Code, got.Body)
	}
	if state := l.State(); state.Overloaded != 3 || state.ShareUsedUp != 0 || state.Admitted != 1 {
		t.Errorf("counted %+v", state)
	}
	goOn <- struct{}{}
	if status := <-ended; status != http.StatusOK {
		t.Errorf("the request that kept it busy gets %d", status)
	}
	if got := b.ask(http.MethodPost, "/vehicle", body, nil); got.Code != http.StatusOK || body.Len() != 0 {
		t.Errorf("afterwards: status %d, %d bytes not read", got.Code, body.Len())
	}
	// A line for all refusals, and none for each.
	if lines := b.journal.lines(); len(lines) != 1 || lines[0]["level"] != "WARN" {
		t.Errorf("the log has %v", lines)
	}
}

// TestSlowReadersKeepNobodyOut has a caller that does not read the response to the only request that may be in work.
func TestSlowReadersKeepNobodyOut(t *testing.T) {
	b, l := limited()
	b.Use(b.guard)
	b.GET("/vehicle/:id", func(c *gin.Context) { c.String(http.StatusOK, "{}") })
	stuck := &stuckResponse{
		ResponseRecorder: httptest.NewRecorder(), written: make(chan struct{}), goOn: make(chan struct{}),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.ServeHTTP(stuck, httptest.NewRequest(http.MethodGet, "/vehicle/7", nil))
	}()
	<-stuck.written
	if got := b.ask(http.MethodGet, "/vehicle/8", nil, nil); got.Code != http.StatusOK {
		t.Errorf("another request gets %d while a response is not read", got.Code)
	}
	close(stuck.goOn)
	<-ended
	if inWork := l.State().InWork; inWork != 0 {
		t.Errorf("%d are in work after the end", inWork)
	}
}

// stuckResponse is a response that nobody reads until goOn is closed.
type stuckResponse struct {
	*httptest.ResponseRecorder
	written, goOn chan struct{}
}

func (r *stuckResponse) Write(content []byte) (int, error) {
	close(r.written)
	<-r.goOn
	return r.ResponseRecorder.Write(content)
}

// WriteString writes as Write does.
func (r *stuckResponse) WriteString(content string) (int, error) { return r.Write([]byte(content)) }
