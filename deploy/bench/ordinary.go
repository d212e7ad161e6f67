package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// ordinaryRate is how many ordinary requests are made in a second, whether or not the earlier ones have their responses.
const ordinaryRate = 200

// ordinary makes the requests of those who use the exchange while others are hostile: reads, and every fourth a write.
type ordinary struct {
	client *client
	book   *book
}

func newOrdinary(c *client, b *book) *ordinary {
	http := *c
	// A request must not wait for the response to another.
	http.http = &fasthttp.HostClient{
		Addr: c.http.Addr, MaxConns: 4096, MaxIdleConnDuration: time.Minute, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
	}
	return &ordinary{client: &http, book: b}
}

// run makes requests for some time and waits for their responses.
func (o *ordinary) run(ctx context.Context, d time.Duration) (reads, writes latencies) {
	var mu sync.Mutex
	var waiting sync.WaitGroup
	tick := time.NewTicker(time.Second / ordinaryRate)
	defer tick.Stop()
	began := time.Now()
	for n := uint64(0); ; n++ {
		due := began.Add(time.Duration(n) * time.Second / ordinaryRate)
		for time.Now().Before(due) && ctx.Err() == nil {
			<-tick.C
		}
		if due.Sub(began) >= d || ctx.Err() != nil {
			break
		}
		waiting.Go(func() {
			to, want := o.next(n)
			status := o.send(to)
			took := time.Since(due)
			mu.Lock()
			defer mu.Unlock()
			of := &reads
			if to.method == http.MethodPost {
				of = &writes
			}
			of.all = append(of.all, took)
			if status != want {
				of.failed++
			}
		})
	}
	waiting.Wait()
	return reads, writes
}

// next returns the nth request and the status that it is to have.
func (o *ordinary) next(n uint64) (to call, status int) {
	switch n % 4 {
	case 0:
		return call{http.MethodPost, "/vehicle", newVehicle()}, http.StatusCreated
	case 1:
		return call{http.MethodGet, "/claim?policyNumber=" + pick(o.book.policies, n), nil}, http.StatusOK
	default:
		return call{http.MethodGet, "/vehicle/" + pick(o.book.vehicles, n), nil}, http.StatusOK
	}
}

// send returns the status of the response, 0 if there is none.
func (o *ordinary) send(to call) int {
	var request fasthttp.Request
	var response fasthttp.Response
	if err := o.client.send(to, &request, &response); err != nil {
		return 0
	}
	return response.StatusCode()
}
