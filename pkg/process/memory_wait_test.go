package process_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

var (
	admittedWaiting = regexp.MustCompile(`\nexchange_admission_waiting\{[^}]*\} (\d+)`)
	workMetric      = regexp.MustCompile(`\nexchange_work_bytes (\S+)`)
)

// TestWhoWaitsHasNoMemory has one caller send more requests at once than it may have pages for. Those that wait take
// none, so that each is served when its turn comes, and none is refused.
func TestWhoWaitsHasNoMemory(t *testing.T) {
	const requests, inWork = 100, 24 // of 64 pages, 32 are one caller's, and a quarter of them is left
	p, journal := open(t, func(s *process.Settings) {
		s.WorkMemory, s.OverloadRequests = 64, 1024
		s.OverloadLatency, s.RequestTimeout = time.Hour, time.Hour
	})
	engine := p.Engine("coverage")
	engine.Use(process.Guard(func(c *gin.Context) {
		c.Request = c.Request.WithContext(request.WithCaller(c.Request.Context(), request.Caller{Subject: "ada"}))
	}, p.Admission("coverage", "coverage", false)))
	arrived, goOn := make(chan struct{}), make(chan struct{})
	engine.GET("/vehicle", func(c *gin.Context) {
		arrived <- struct{}{}
		<-goOn
		c.Status(http.StatusNoContent)
	})
	serving(t, p, p.Entrance("gateway", 0))
	value := func(metric *regexp.Regexp) float64 {
		_, text := get(t, journal.adminURL(t)+"/metrics")
		found := metric.FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("no metric %v", metric)
		}
		n, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var all sync.WaitGroup
	for range requests {
		all.Go(func() {
			r := httptest.NewRecorder()
			engine.ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/vehicle", nil))
			if r.Code != http.StatusNoContent {
				t.Errorf("status %d: %s", r.Code, r.Body)
			}
		})
	}
	for range inWork {
		<-arrived
	}
	eventually(t, func() bool { return value(admittedWaiting) == requests-inWork })
	if work := value(workMetric); work != inWork<<20 {
		t.Errorf("%v bytes are in work, want a page for each of %d", work, inWork)
	}
	for range requests - inWork {
		goOn <- struct{}{}
		<-arrived
	}
	for range inWork {
		goOn <- struct{}{}
	}
	all.Wait()
}
