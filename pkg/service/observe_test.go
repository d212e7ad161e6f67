package service_test

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
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/service"
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
	b.Engine = service.NewEngine(service.EngineConfig{
		Log: service.NewLog(b.journal, "json", level), Metrics: b.registry, Timeout: time.Minute, LargestBody: 10,
	})
	return b
}

func (b bench) ask(method, path string, body io.Reader, header http.Header) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, body)
	for name, values := range header {
		request.Header[name] = values
	}
	answer := httptest.NewRecorder()
	b.ServeHTTP(answer, request)
	return answer
}

func TestRequestsAreNamed(t *testing.T) {
	b := engine(slog.LevelInfo)
	var seen *request.Names
	b.GET("/vehicle/:id", func(c *gin.Context) { seen = request.NamesFrom(c.Request.Context()) })
	answer := b.ask(http.MethodGet, "/vehicle/7", nil, http.Header{"X-Request-Id": {"order-7"}})
	if got := answer.Header().Get("X-Request-Id"); got != "order-7" || seen.ID != "order-7" {
		t.Errorf("answer names %q, context %q", got, seen.ID)
	}
	answer = b.ask(http.MethodGet, "/vehicle/7", nil, nil)
	if id, err := uuid.Parse(answer.Header().Get("X-Request-Id")); err != nil || seen.ID != id.String() {
		t.Errorf("answer names %q, context %q", answer.Header().Get("X-Request-Id"), seen.ID)
	}
}

func TestRequestsHaveTheShorterTime(t *testing.T) {
	b := engine(slog.LevelInfo)
	var left time.Duration
	b.GET("/", func(c *gin.Context) {
		deadline, _ := c.Request.Context().Deadline()
		left = time.Until(deadline)
	})
	b.ask(http.MethodGet, "/", nil, nil)
	if left < 30*time.Second || left > time.Minute {
		t.Errorf("%v left, want about the minute configured", left)
	}
	b.ask(http.MethodGet, "/", nil, http.Header{request.TimeoutHeader: {"5000"}})
	if left > 5*time.Second {
		t.Errorf("%v left, want the 5 s of the header at most", left)
	}
}

func TestLargeBodies(t *testing.T) {
	b := engine(slog.LevelInfo)
	var reading error
	b.POST("/", func(c *gin.Context) { _, reading = io.ReadAll(c.Request.Body) })
	if answer := b.ask(http.MethodPost, "/", strings.NewReader("0123456789"), nil); answer.Code != http.StatusOK || reading != nil {
		t.Errorf("ten bytes: status %d, error %v", answer.Code, reading)
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

func TestPanicsAreLoggedOnceAndAnswered(t *testing.T) {
	b := engine(slog.LevelDebug)
	b.GET("/", func(*gin.Context) { panic("broken") })
	answer := b.ask(http.MethodGet, "/", nil, http.Header{"X-Request-Id": {"order-7"}})
	if answer.Code != http.StatusInternalServerError || !strings.Contains(answer.Body.String(), `"instance":"order-7"`) || strings.Contains(answer.Body.String(), "broken") {
		t.Errorf("answer %d %s", answer.Code, answer.Body)
	}
	lines := b.journal.lines()
	if len(lines) != 1 || lines[0]["level"] != "ERROR" || lines[0]["cause"] != "broken" || lines[0]["request"] != "order-7" ||
		!strings.Contains(lines[0]["stack"].(string), "observe_test.go") {
		t.Errorf("log %v, want one line with the stack", lines)
	}
}

func TestPanicInTheMiddleOfAnAnswerCutsIt(t *testing.T) {
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
			service.Relay(c, "/vehicle/{id}")
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
		case level != "" && (len(lines) != 1 || lines[0]["level"] != level || lines[0]["cause"] == nil || lines[0]["request"] == ""):
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
	b.GET("/relayed", func(c *gin.Context) { service.Relay(c, "/claim/{id}"); c.Status(http.StatusTeapot) })
	for _, path := range []string{"/vehicle/7", "/vehicle/8", "/unknown/1", "/unknown/2", "/relayed"} {
		b.ask(http.MethodGet, path, nil, nil)
	}
	b.ask("BREW", "/unknown", nil, nil)
	want := `
# HELP exchange_http_requests_total Requests answered, by route template and class of status.
# TYPE exchange_http_requests_total counter
exchange_http_requests_total{class="2xx",method="GET",route="/vehicle/:id"} 2
exchange_http_requests_total{class="4xx",method="GET",route="/claim/{id}"} 1
exchange_http_requests_total{class="4xx",method="GET",route="unmatched"} 2
exchange_http_requests_total{class="4xx",method="other",route="unmatched"} 1
`
	if err := testutil.GatherAndCompare(b.registry, strings.NewReader(want), "exchange_http_requests_total"); err != nil {
		t.Error(err)
	}
	if n, err := testutil.GatherAndCount(b.registry, "exchange_http_request_seconds"); err != nil || n != 4 {
		t.Errorf("%d histograms, error %v", n, err)
	}
}

func TestUnknownPathsAreProblems(t *testing.T) {
	b := engine(slog.LevelInfo)
	b.GET("/vehicle", func(*gin.Context) {})
	for _, path := range []string{"/", "/vehicle/", "/vehicles"} {
		if answer := b.ask(http.MethodGet, path, nil, nil); answer.Code != http.StatusNotFound || answer.Header().Get("Content-Type") != problem.ContentType {
			t.Errorf("%s: %d %v", path, answer.Code, answer.Header())
		}
	}
}

func BenchmarkEngine(b *testing.B) {
	e := engine(slog.LevelInfo)
	e.GET("/vehicle/:id", func(c *gin.Context) { c.Status(http.StatusOK) })
	request := httptest.NewRequest(http.MethodGet, "/vehicle/7", nil)
	request.Body = http.NoBody
	answer := httptest.NewRecorder()
	b.ReportAllocs()
	for b.Loop() {
		e.ServeHTTP(answer, request)
	}
}
