package process_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

// journal is a log that tests read, one JSON object a line.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

func (j *journal) lines() []map[string]any {
	j.mu.Lock()
	defer j.mu.Unlock()
	var lines []map[string]any
	for decoder := json.NewDecoder(bytes.NewReader(j.text.Bytes())); ; {
		var line map[string]any
		if decoder.Decode(&line) != nil {
			return lines
		}
		lines = append(lines, line)
	}
}

type bench struct {
	*gin.Engine
	journal  *journal
	registry *prometheus.Registry
}

func engine(level slog.Level) bench {
	b := bench{journal: &journal{}, registry: prometheus.NewRegistry()}
	b.Engine = process.NewEngine(process.EngineConfig{
		Log: process.NewLog(b.journal, "json", level), Metrics: b.registry, Timeout: time.Minute, LargestBody: 10,
	})
	return b
}

func (b bench) ask(method, path string, body io.Reader, header http.Header) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, body)
	for name, values := range header {
		request.Header[name] = values
	}
	response := httptest.NewRecorder()
	b.ServeHTTP(response, request)
	return response
}

func TestRequestsAreNamed(t *testing.T) {
	b := engine(slog.LevelInfo)
	var seen *request.Names
	b.GET("/vehicle/:id", func(c *gin.Context) { seen = request.NamesFrom(c.Request.Context()) })
	response := b.ask(http.MethodGet, "/vehicle/7", nil, http.Header{"X-Request-Id": {"order-7"}})
	if got := response.Header().Get("X-Request-Id"); got != "order-7" || seen.ID != "order-7" {
		t.Errorf("response names %q, context %q", got, seen.ID)
	}
	response = b.ask(http.MethodGet, "/vehicle/7", nil, nil)
	if id, err := uuid.Parse(response.Header().Get("X-Request-Id")); err != nil || seen.ID != id.String() {
		t.Errorf("response names %q, context %q", response.Header().Get("X-Request-Id"), seen.ID)
	}
}

func TestRequestsHaveTheShorterTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := engine(slog.LevelInfo)
		var left time.Duration
		b.GET("/", func(c *gin.Context) {
			deadline, _ := c.Request.Context().Deadline()
			left = time.Until(deadline)
		})
		b.ask(http.MethodGet, "/", nil, nil)
		if left != time.Minute {
			t.Errorf("%v left, want the minute configured", left)
		}
		b.ask(http.MethodGet, "/", nil, http.Header{request.TimeoutHeader: {"5000"}})
		if left != 5*time.Second {
			t.Errorf("%v left, want the 5 s of the header", left)
		}
	})
}

// TestPartOfARequestKeepsItsNamesAndTime has another service of the process make a request as part of its own: the
// context says what headers say else.
func TestPartOfARequestKeepsItsNamesAndTime(t *testing.T) {
	b := engine(slog.LevelInfo)
	var seen *request.Names
	var until time.Time
	b.GET("/", func(c *gin.Context) {
		seen = request.NamesFrom(c.Request.Context())
		until, _ = c.Request.Context().Deadline()
	})
	whole, end := context.WithTimeout(t.Context(), time.Hour)
	defer end()
	part := httptest.NewRequestWithContext(request.WithNames(whole, &request.Names{ID: "order-7"}),
		http.MethodGet, "/", nil)
	part.Header = http.Header{"X-Request-Id": {"order-8"}, request.TimeoutHeader: {"5000"}}
	response := httptest.NewRecorder()
	b.ServeHTTP(response, part)
	if got := response.Header().Get("X-Request-Id"); got != "order-7" || seen.ID != "order-7" {
		t.Errorf("response names %q, context %q", got, seen.ID)
	}
	if want, _ := whole.Deadline(); !until.Equal(want) {
		t.Errorf("the part ends at %v, the whole at %v", until, want)
	}
}

func TestLargeBodies(t *testing.T) {
	b := engine(slog.LevelInfo)
	var reading error
	b.POST("/", func(c *gin.Context) { _, reading = io.ReadAll(c.Request.Body) })
	if response := b.ask(http.MethodPost, "/", strings.NewReader("0123456789"), nil); response.Code != http.StatusOK ||
		reading != nil {
		t.Errorf("ten bytes: status %d, error %v", response.Code, reading)
	}
	for name, body := range map[string]io.Reader{
		"eleven bytes":                   strings.NewReader("0123456789a"),
		"eleven bytes of unknown length": io.MultiReader(strings.NewReader("0123456789a")),
	} {
		var tooLarge *http.MaxBytesError
		b.ask(http.MethodPost, "/", body, nil)
		if !errors.As(reading, &tooLarge) || tooLarge.Limit != 10 {
			t.Errorf("%s: error %v", name, reading)
		}
	}
}

func TestPanicsAreLoggedOnceAndReturn500(t *testing.T) {
	b := engine(slog.LevelDebug)
	b.GET("/", func(*gin.Context) { panic("broken") })
	response := b.ask(http.MethodGet, "/", nil, http.Header{"X-Request-Id": {"order-7"}})
	if response.Code != http.StatusInternalServerError || !strings.Contains(response.Body.String(),
		`"instance":"order-7"`) || strings.Contains(response.Body.String(), "broken") {
		t.Errorf("response %d %s", response.Code, response.Body)
	}
	lines := b.journal.lines()
	if len(lines) != 1 || lines[0]["level"] != "ERROR" || lines[0]["cause"] != "broken" ||
		lines[0]["request"] != "order-7" ||
		!strings.Contains(lines[0]["stack"].(string), "observe_test.go") {
		t.Errorf("log %v, want one line with the stack", lines)
	}
}

func TestPanicDuringAResponseTruncatesIt(t *testing.T) {
	b := engine(slog.LevelInfo)
	b.GET("/", func(c *gin.Context) {
		_, _ = io.WriteString(c.Writer, "half")
		c.Writer.Flush()
		panic("broken")
	})
	server := httptest.NewServer(b)
	defer server.Close()
	response, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("body %q came to a regular end", text)
	}
}

func TestFailuresAreLoggedOnceWithTheirCause(t *testing.T) {
	b := engine(slog.LevelInfo)
	b.GET("/:kind", func(c *gin.Context) {
		var err error
		switch c.Param("kind") {
		case "outage":
			err = problem.Outage(errors.New("disk full"))
		case "internal":
			err = errors.New("odd record")
		case "missing":
			err = problem.New(problem.NotFound, "")
		case "relayed":
			process.Relay(c)
			c.Status(http.StatusServiceUnavailable)
			return
		}
		_ = c.Error(err)
		problem.Write(c.Writer, problem.From(err))
	})
	for kind, level := range map[string]string{"outage": "WARN", "internal": "ERROR", "missing": "", "relayed": ""} {
		before := len(b.journal.lines())
		b.ask(http.MethodGet, "/"+kind, nil, nil)
		lines := b.journal.lines()[before:]
		switch {
		case level == "" && len(lines) > 0:
			t.Errorf("%s: log %v, want none", kind, lines)
		case level != "" &&
			(len(lines) != 1 || lines[0]["level"] != level || lines[0]["cause"] == nil || lines[0]["request"] == ""):
			t.Errorf("%s: log %v, want one line of level %s with the cause", kind, lines, level)
		}
	}
}

func TestCallersWhoGoAwayAreNoFailure(t *testing.T) {
	b := engine(slog.LevelInfo)
	ctx, cancel := context.WithCancel(t.Context())
	b.GET("/", func(c *gin.Context) {
		cancel()
		<-c.Request.Context().Done()
		p := problem.Outage(c.Request.Context().Err())
		_ = c.Error(p)
		problem.Write(c.Writer, p)
	})
	b.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx))
	if lines := b.journal.lines(); len(lines) != 0 {
		t.Errorf("log %v", lines)
	}
}

func TestRequestsAreCounted(t *testing.T) {
	b := engine(slog.LevelInfo)
	b.GET("/vehicle/:id", func(*gin.Context) {})
	b.POST("/claim/:id", func(c *gin.Context) {
		process.SetRoute(c, "/claim/{id}:settle")
		c.Status(http.StatusTeapot)
	})
	b.GET("/claim/:id", func(c *gin.Context) { process.SetUnmatched(c); c.Status(799) })
	for _, path := range []string{"/vehicle/7", "/vehicle/8", "/unknown/1", "/unknown/2",
		"/vehicle/7%2F8", "/claim/7"} {
		b.ask(http.MethodGet, path, nil, nil)
	}
	b.ask(http.MethodPost, "/claim/7:settle", nil, nil)
	b.ask("BREW", "/unknown", nil, nil)
	b.ask("STEEP", "/unknown", nil, nil)
	for labels, want := range map[[3]string]uint64{
		{"GET", "/vehicle/{id}", "200"}:       2,
		{"GET", "unmatched", "404"}:           3,
		{"GET", "unmatched", "other"}:         1,
		{"POST", "/claim/{id}:settle", "418"}: 1,
		{"other", "unmatched", "404"}:         2,
	} {
		if got := b.requests(t)[labels]; got != want {
			t.Errorf("%v: %d requests, want %d", labels, got, want)
		}
	}
	if got := len(b.requests(t)); got != 5 {
		t.Errorf("%d series, want 5: %v", got, b.requests(t))
	}
}

// requests reads the number of requests by method, route and code.
func (b bench) requests(t *testing.T) map[[3]string]uint64 {
	t.Helper()
	families, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[[3]string]uint64{}
	for _, family := range families {
		if family.GetName() != "http_request_duration_seconds" {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range metric.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			counts[[3]string{labels["method"], labels["route"], labels["code"]}] = metric.GetHistogram().
				GetSampleCount()
		}
	}
	return counts
}

func TestProblemsAndRequestsInFlightAreCounted(t *testing.T) {
	b := engine(slog.LevelInfo)
	var during float64
	b.GET("/missing", func(c *gin.Context) {
		during = b.value(t, "http_requests_in_flight")
		process.Refuse(c, problem.New(problem.NotFound, "").Because(errors.New("no such row")))
	})
	b.GET("/broken", func(*gin.Context) { panic("broken") })
	for _, path := range []string{"/missing", "/missing", "/nowhere", "/broken"} {
		b.ask(http.MethodGet, path, nil, nil)
	}
	want := `
# HELP http_problems_total Problem documents sent, by the last segment of their type.
# TYPE http_problems_total counter
http_problems_total{type="internal"} 1
http_problems_total{type="not-found"} 3
`
	if err := testutil.GatherAndCompare(b.registry, strings.NewReader(want), "http_problems_total"); err != nil {
		t.Error(err)
	}
	if after := b.value(t, "http_requests_in_flight"); during != 1 || after != 0 {
		t.Errorf("%v requests in flight during one and %v after, want 1 and 0", during, after)
	}
}

// value reads a gauge without labels.
func (b bench) value(t *testing.T, name string) float64 {
	t.Helper()
	families, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}

// TestEncodedSlashIsPartOfASegment: no route has such a segment, so the path is unknown, and does not become that of
// another operation.
func TestEncodedSlashIsPartOfASegment(t *testing.T) {
	b := engine(slog.LevelInfo)
	reached := false
	b.POST("/claim/:id/:sub", func(*gin.Context) { reached = true })
	for _, path := range []string{"/claim/7%2Fdocuments", "/claim/7%2fdocuments", "/claim%2F7/documents"} {
		if response := b.ask(http.MethodPost, path, nil, nil); response.Code != http.StatusNotFound ||
			response.Header().Get("Content-Type") != problem.ContentType {
			t.Errorf("%s: %d %v", path, response.Code, response.Header())
		}
	}
	if reached {
		t.Error("a handler was reached")
	}
	if b.ask(http.MethodPost, "/claim/a%20b/documents", nil, nil); !reached {
		t.Error("another encoded character does not reach the handler")
	}
}

func TestUnknownPathsAreProblems(t *testing.T) {
	b := engine(slog.LevelInfo)
	b.GET("/vehicle", func(*gin.Context) {})
	for _, path := range []string{"/", "/vehicle/", "/vehicles"} {
		if response := b.ask(http.MethodGet, path, nil, nil); response.Code != http.StatusNotFound ||
			response.Header().Get("Content-Type") != problem.ContentType {
			t.Errorf("%s: %d %v", path, response.Code, response.Header())
		}
	}
}

func BenchmarkEngine(b *testing.B) {
	e := engine(slog.LevelInfo)
	e.GET("/vehicle/:id", func(c *gin.Context) { c.Status(http.StatusOK) })
	request := httptest.NewRequest(http.MethodGet, "/vehicle/7", nil)
	request.Body = http.NoBody
	response := httptest.NewRecorder()
	b.ReportAllocs()
	for b.Loop() {
		e.ServeHTTP(response, request)
	}
}
