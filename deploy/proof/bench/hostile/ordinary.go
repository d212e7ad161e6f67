package hostile

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/records"
)

// ordinaryRate is how many ordinary requests are made in a second, whether or not the earlier ones have their
// responses.
const ordinaryRate = 200

// ordinary makes the requests of those who use the exchange while others are hostile: reads, and every fourth a write.
type ordinary struct {
	client *load.Client
	book   *records.Book
}

func newOrdinary(c *load.Client, b *records.Book) *ordinary {
	http := *c
	// A request must not wait for the response to another.
	http.HTTP = &fasthttp.HostClient{
		Addr: c.HTTP.Addr, MaxConns: 4096, MaxIdleConnDuration: time.Minute, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
	}
	return &ordinary{client: &http, book: b}
}

// run makes requests for some time and waits for their responses.
func (o *ordinary) run(ctx context.Context, d time.Duration) (reads, writes load.Latencies) {
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
			if to.Method == http.MethodPost {
				of = &writes
			}
			of.All = append(of.All, took)
			if status != want {
				of.Failed++
			}
		})
	}
	waiting.Wait()
	return reads, writes
}

// next returns the nth request and the status that it is to have.
func (o *ordinary) next(n uint64) (to load.Call, status int) {
	switch n % 4 {
	case 0:
		return load.Call{Method: http.MethodPost, Path: "/vehicle", Body: records.NewVehicle()}, http.StatusCreated
	case 1:
		return load.Call{Method: http.MethodGet, Path: "/claim?policyNumber=" + load.Pick(o.book.Policies, n)}, http.StatusOK
	default:
		return load.Call{Method: http.MethodGet, Path: "/vehicle/" + load.Pick(o.book.Vehicles, n)}, http.StatusOK
	}
}

// send returns the status of the response, 0 if there is none.
func (o *ordinary) send(to load.Call) int {
	var request fasthttp.Request
	var response fasthttp.Response
	if err := o.client.Send(to, &request, &response); err != nil {
		return 0
	}
	return response.StatusCode()
}
