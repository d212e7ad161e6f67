package process_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

// TestACalmCallerDoesNotWaitForAGreedyOne has one caller keep the only slot of a process and send 20 more requests,
// each on a connection of its own. The request of another caller comes last and is served before most of them.
func TestACalmCallerDoesNotWaitForAGreedyOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := openInMemory(t, func(s *process.Settings) { s.OverloadRequests, s.OverloadLatency = 1, time.Hour })
		engine, admit := p.Entrance("gateway"), p.Admission("gateway", "coverage", false)
		var served []string // one at a time is in work
		engine.GET("/vehicle", func(c *gin.Context) {
			caller := c.GetHeader("Caller")
			if refused := admit(c, request.Caller{Subject: caller}); refused != nil {
				process.Refuse(c, refused)
				return
			}
			served = append(served, caller)
			time.Sleep(time.Millisecond)
			c.Status(http.StatusNoContent)
		})
		serving(t, p, engine)
		synctest.Wait()
		const greedy = 20
		var all sync.WaitGroup
		for n := range greedy + 2 {
			caller := "greedy"
			if n == greedy+1 {
				caller = "calm"
			}
			d := dialled(t, p)
			all.Go(func() {
				response, text := d.exchanged(t,
					fmt.Sprintf("GET /vehicle HTTP/1.1\r\nHost: exchange\r\nCaller: %s\r\n\r\n", caller))
				if response.StatusCode != http.StatusNoContent {
					t.Errorf("%s: status %d %s", caller, response.StatusCode, text)
				}
			})
			synctest.Wait()
		}
		all.Wait()
		for n, caller := range served {
			if caller == "calm" && n > 2 {
				t.Errorf("the calm caller is served after %d requests: %v", n, served)
			}
		}
		if len(served) != greedy+2 {
			t.Errorf("%d are served", len(served))
		}
	})
}
