package process_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

var waitingMetric = regexp.MustCompile(`\nexchange_(?:admission_waiting\{[^}]*\}|requests_unread) (\d+)`)

// TestACalmCallerDoesNotWaitForAGreedyOne has one caller keep the only slot of a process and send 20 more requests,
// each on a connection of its own. The request of another caller comes last and is served before most of them.
func TestACalmCallerDoesNotWaitForAGreedyOne(t *testing.T) {
	p, journal := open(t, func(s *process.Settings) {
		s.OverloadRequests, s.OverloadLatency, s.RequestTimeout = 1, time.Hour, time.Hour
	})
	engine, admit := p.Entrance("gateway", 0), p.Admission("gateway", "coverage", false)
	var mu sync.Mutex
	var served []string
	arrived, goOn := make(chan struct{}), make(chan struct{})
	engine.GET("/vehicle/:id", func(c *gin.Context) {
		caller := c.GetHeader("Caller")
		if refused := admit(c, request.Caller{Subject: caller}); refused != nil {
			process.Refuse(c, refused)
			return
		}
		if c.Param("id") == "slow" {
			mu.Lock()
			served = append(served, caller)
			mu.Unlock()
			arrived <- struct{}{}
			<-goOn
		}
		c.Status(http.StatusNoContent)
	})
	serving(t, p, engine)
	const greedy = 20
	ask := func(d dialog, caller, id string) int {
		response, _ := d.exchanged(t,
			fmt.Sprintf("GET /vehicle/%s HTTP/1.1\r\nHost: exchange\r\nCaller: %s\r\n\r\n", id, caller))
		return response.StatusCode
	}
	waiting := func() (count int) {
		_, metrics := get(t, journal.adminURL(t)+"/metrics")
		for _, found := range waitingMetric.FindAllStringSubmatch(metrics, -1) {
			n, err := strconv.Atoi(found[1])
			if err != nil {
				t.Fatal(err)
			}
			count += n
		}
		return count
	}
	var all sync.WaitGroup
	send := func(d dialog, caller string, thenWait int) {
		all.Go(func() {
			if status := ask(d, caller, "slow"); status != http.StatusNoContent {
				t.Errorf("%s: status %d", caller, status)
			}
		})
		eventually(t, func() bool { return waiting() == thenWait })
	}
	var connections []dialog
	for n := range greedy + 2 {
		connections = append(connections, dialled(t, p))
		caller := "greedy"
		if n == greedy+1 {
			caller = "calm"
		}
		ask(connections[n], caller, "quick") // so that the connection has proved who it is of
	}
	send(connections[0], "greedy", 0)
	<-arrived
	for n := range greedy {
		send(connections[n+1], "greedy", n+1)
	}
	send(connections[greedy+1], "calm", greedy+1)
	for n := range greedy + 1 {
		goOn <- struct{}{}
		<-arrived
		// Those that were let in together are on their way to the queue.
		eventually(t, func() bool { return waiting() == greedy-n })
	}
	goOn <- struct{}{}
	all.Wait()
	for n, caller := range served {
		if caller == "calm" && n > greedy/2 {
			t.Errorf("the calm caller is served after %d requests: %v", n, served)
		}
	}
	if len(served) != greedy+2 {
		t.Errorf("%d are served", len(served))
	}
}
