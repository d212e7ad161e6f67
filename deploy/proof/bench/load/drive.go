package load

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"fortio.org/fortio/periodic"
	"fortio.org/log"
	"github.com/valyala/fasthttp"
)

// Slice is what a server did in one slice of time. Latencies and other times are in seconds.
type Slice struct {
	Requests  int64   `json:"requests"`
	Errors    int64   `json:"errors"`
	PerSecond float64 `json:"requestsPerSecond"`
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	// CPU is the time of cores that its processes used, in user and kernel mode.
	CPU float64 `json:"cpu"`
	// Objects and Bytes are what was allocated on the heap; 0 where that is not measured.
	Objects float64 `json:"allocations,omitzero"`
	Bytes   float64 `json:"allocatedBytes,omitzero"`
	// Written is how many bytes were written to disks; 0 where that is not measured.
	Written float64 `json:"written,omitzero"`
	// Awaited is the time after the last response until what the requests lead to was done; 0 if they lead to nothing.
	Awaited float64 `json:"awaited,omitzero"`
}

// Amount is how much is asked for in a slice: for some time, or a number of requests.
type Amount struct {
	Connections int
	Duration    time.Duration
	Requests    int64 // in place of the duration, if greater than 0
}

// The load generator tells of each run, among what is printed.
func init() { log.SetLogLevelQuiet(log.Error) }

// drive makes the calls of a row over all connections, or does what takes their place. Each connection sends its next
// call as soon as it has the response to the last.
func (c *Client) drive(ctx context.Context, r *Row, much Amount) Slice {
	var failed atomic.Int64
	stopper := periodic.NewAborter()
	defer context.AfterFunc(ctx, func() { stopper.Abort(false) })()
	runner := periodic.NewPeriodicRunner(&periodic.RunnerOptions{
		NumThreads: much.Connections, QPS: -1, Duration: much.Duration, Exactly: much.Requests, Stop: stopper,
		Percentiles: []float64{50, 99}, Resolution: latencyStep, Out: io.Discard,
	})
	for i := range runner.Options().Runners {
		runner.Options().Runners[i] = &worker{client: c, row: r, failed: &failed}
	}
	results := runner.Run()
	latencies := results.DurationHistogram
	s := Slice{Requests: latencies.Count, Errors: failed.Load(), PerSecond: results.ActualQPS}
	for _, p := range latencies.Percentiles {
		switch p.Percentile {
		case 50:
			s.P50 = p.Value
		case 99:
			s.P99 = p.Value
		}
	}
	return s
}

// latencyStep is the resolution of the least latencies, in seconds.
const latencyStep = 0.00001

// worker is one connection's share of the load.
type worker struct {
	client   *Client
	row      *Row
	failed   *atomic.Int64
	request  fasthttp.Request
	response fasthttp.Response
}

// Run makes one request; the load generator times it.
func (w *worker) Run(ctx context.Context, _ periodic.ThreadID) (ok bool, details string) {
	if w.row.Perform != nil {
		ok = w.row.Perform(ctx, w.row.count.Add(1)) == nil
	} else {
		err := w.client.Send(w.row.Next(), &w.request, &w.response)
		ok = err == nil && w.response.StatusCode() == w.row.Status
	}
	if !ok {
		w.failed.Add(1)
	}
	return ok, ""
}
