package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"insurance.example/exchange/deploy/proof/bench/process"
)

// Slice is what a server did in one slice of time. Latencies and other times are in seconds.
type Slice struct {
	Requests, Errors    int
	PerSecond, P50, P99 float64
	// CPU is the time of cores that its processes used, in user and kernel mode.
	CPU float64
	// Objects and Bytes are what was allocated on Go's heap; 0 where that is not measured.
	Objects, Bytes float64
	// Written is how many bytes were written to disks.
	Written float64
	// Awaited is the time after the last response until what the requests lead to was done; 0 if they lead to nothing.
	Awaited float64
}

// Micros returns the microseconds of a core that a request took.
func (s Slice) Micros() float64 { return s.CPU * 1e6 / float64(s.Requests) }

// Allocations returns how many objects were allocated for a request, and Kilobytes their size.
func (s Slice) Allocations() float64 { return s.Objects / float64(s.Requests) }
func (s Slice) Kilobytes() float64   { return s.Bytes / 1024 / float64(s.Requests) }

// Amount is how much is asked for in a slice: for some time, or a number of requests.
type Amount struct {
	Connections int
	Duration    time.Duration
	Requests    int // in place of the duration, if greater than 0
}

// Server is one side of a row: a client of it, and the processes that handle its requests.
type Server struct {
	*Client
	Processes []process.ID
	// Admins are the addresses of the metrics of the processes; none if they have none. Allocations are not measured
	// then.
	Admins []string
	// scraping is what it costs to ask them for what they have used. Calibrate measures it.
	scraping used
}

// used is what processes have used since their starts: seconds of a core, objects and bytes that were allocated on
// Go's heap, and bytes that were written to disks.
type used struct{ cpu, objects, bytes, written float64 }

func (u used) minus(other used, times float64) used {
	return used{
		u.cpu - times*other.cpu, u.objects - times*other.objects, u.bytes - times*other.bytes,
		u.written - times*other.written,
	}
}

// The metrics of Go that count allocations.
const (
	objectsAllocated = "go_memstats_mallocs_total"
	bytesAllocated   = "go_memstats_alloc_bytes_total"
)

// used returns what the processes have used.
func (s *Server) used(ctx context.Context) (used, error) {
	var total used
	for _, admin := range s.Admins {
		of, err := process.Scrape(ctx, admin, objectsAllocated, bytesAllocated)
		if err != nil {
			return total, err
		}
		total.objects += of.Sum(objectsAllocated, nil)
		total.bytes += of.Sum(bytesAllocated, nil)
	}
	for _, process := range s.Processes {
		total.cpu += process.CPUSeconds()
		total.written += process.Written()
	}
	return total, nil
}

// Calibrate measures what it costs the processes to say what they have used: with thousands of series, as much as a
// hundred requests.
func (s *Server) Calibrate(ctx context.Context) error {
	first, err := s.used(ctx)
	if err != nil {
		return err
	}
	const scrapes = 4
	last := first
	for range scrapes {
		if last, err = s.used(ctx); err != nil {
			return err
		}
	}
	cost := last.minus(first, 1)
	s.scraping = used{cost.cpu / scrapes, cost.objects / scrapes, cost.bytes / scrapes, 0}
	return nil
}

// Measure drives a row and returns what the server did and used, without what it used to say so, if calibrated. What
// the requests lead to after their responses is awaited and counts as well.
func (s *Server) Measure(ctx context.Context, r *Row, much Amount) (Slice, error) {
	before, err := s.used(ctx)
	if err != nil {
		return Slice{}, err
	}
	o := s.Callers(much.Connections).Drive(ctx, Plan{Duration: much.Duration, Requests: much.Requests}, r)
	if ctx.Err() != nil {
		return Slice{}, errors.New("interrupted")
	}
	done := Slice{
		Requests: len(o.Samples), Errors: len(o.Samples) - o.Count((*Sample).Served),
		PerSecond: float64(len(o.Samples)) / o.Lasted.Seconds(),
		P50:       o.P(0.5, Any).Seconds(), P99: o.P(0.99, Any).Seconds(),
	}
	asked := 1
	if r.Await != nil && len(s.Admins) > 0 {
		ended := time.Now()
		polls, err := r.Await(ctx, s)
		if err != nil {
			return Slice{}, fmt.Errorf("%s: %w", r.Name, err)
		}
		asked += polls
		done.Awaited = time.Since(ended).Seconds()
	}
	after, err := s.used(ctx)
	if err != nil {
		return Slice{}, err
	}
	whole := after.minus(before, 1).minus(s.scraping, float64(asked))
	done.CPU, done.Objects, done.Bytes, done.Written = whole.cpu, whole.objects, whole.bytes, whole.written
	return done, nil
}
