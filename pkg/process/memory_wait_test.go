package process_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

// TestOneCallerIsServedManyRequestsAtOnce has one caller send more requests at once than it may have pages for, and
// read none of the responses for a while. Those that wait take no memory, and those whose responses are on their way
// no more than these: each is served, and none is refused.
func TestOneCallerIsServedManyRequestsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const requests, inWork = 110, 24 // of 64 pages, 32 are one caller's, and a quarter of them is left
		p, journal := openInMemory(t, func(s *process.Settings) {
			s.WorkMemory, s.OverloadRequests, s.OverloadLatency = 64, 1024, time.Hour
		})
		engine := p.Engine("coverage")
		engine.Use(process.Guard(func(c *gin.Context) {
			c.Request = c.Request.WithContext(request.WithCaller(c.Request.Context(), request.Caller{Subject: "ada"}))
		}, p.Admission("coverage", "coverage", false)))
		text := strings.Repeat("x", 80<<10) // more than is on its way without a reader
		goOn := make(chan struct{})
		engine.GET("/vehicle", func(c *gin.Context) {
			<-goOn
			c.String(http.StatusOK, text)
		})
		serving(t, p, engine)
		var all []dialog
		for range requests {
			d := dialled(t, p)
			d.send(t, "/vehicle")
			all = append(all, d)
		}
		inUse := func(bytes int) {
			t.Helper()
			synctest.Wait()
			_, metrics := get(t, journal.adminURL(t)+"/metrics")
			found := regexp.MustCompile(`\nexchange_work_bytes (\S+)`).FindStringSubmatch(metrics)
			if got, err := strconv.ParseFloat(found[1], 64); err != nil || got != float64(bytes) {
				t.Errorf("%s bytes are in work, want %d", found[1], bytes)
			}
		}
		inUse(inWork << 20)
		close(goOn)
		inUse(requests * len(text))
		for _, d := range all {
			if response := d.receive(t); response.StatusCode != http.StatusOK {
				t.Errorf("status %d", response.StatusCode)
			}
		}
		inUse(0)
	})
}
