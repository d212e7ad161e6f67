package process_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/process"
)

// limited returns a router whose limiter admits one request at a time, for which no other one waits long.
func limited() (limitedBench, *load.Limiter) {
	b := bench{journal: &journal{}, registry: prometheus.NewRegistry()}
	log := process.NewLog(b.journal, "json", slog.LevelInfo)
	l := load.NewLimiter(load.LimiterConfig{Wait: time.Millisecond, Most: 1, MostWaiting: 10, Log: log,
		Metrics: b.registry})
	b.Engine = process.NewEngine(process.EngineConfig{Log: log, Metrics: b.registry, Timeout: time.Minute,
		LargestBody: 10, Budget: load.NewBudget(8 * load.Page)})
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
	b, _ := limited()
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
	scraped := httptest.NewRecorder()
	promhttp.HandlerFor(b.registry, promhttp.HandlerOpts{}).ServeHTTP(scraped,
		httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		"exchange_admission_admitted_total 1", `exchange_admission_refused_total{problem="overloaded"} 3`,
		`exchange_admission_refused_total{problem="share-used-up"} 0`, "exchange_admission_in_work 1",
		"exchange_admission_waiting 0", "exchange_admission_limit 1",
	} {
		if !strings.Contains(scraped.Body.String(), "\n"+line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
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

// TestABodyReadInPiecesCostsAPage has a handler read a body that it does not keep, and that is larger than the setting
// allows.
func TestABodyReadInPiecesCostsAPage(t *testing.T) {
	budget := load.NewBudget(8 * load.Page)
	engine := process.NewEngine(process.EngineConfig{Log: slog.New(slog.DiscardHandler),
		Metrics: prometheus.NewRegistry(), Timeout: time.Minute, LargestBody: 10, Budget: budget})
	limiter := load.NewLimiter(load.LimiterConfig{Wait: time.Minute, Most: 1})
	engine.POST("/file", process.Guard(func(*gin.Context) {}, process.Admit(limiter)), func(c *gin.Context) {
		process.Stream(c, load.Page)
		read, err := io.Copy(io.Discard, c.Request.Body)
		if used := budget.Used(); err != nil || read != load.Page || used != load.Page {
			t.Errorf("%d bytes are in work after %d were read, %v", used, read, err)
		}
	})
	engine.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/file",
		strings.NewReader(strings.Repeat("x", load.Page))))
	if budget.Used() != 0 {
		t.Errorf("%d bytes are in work at the end", budget.Used())
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
	if inWork := l.InWork(); inWork != 0 {
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
