package load

import (
	"context"
	"fmt"
	"time"

	"insurance.example/exchange/deploy/proof/bench/process"
)

// Server is one side of a row: a client of it, and the processes that handle its requests.
type Server struct {
	*Client
	Processes []*process.Child
	// Admins are the addresses of the metrics of the processes; none if they have none. Allocations are not measured
	// then.
	Admins []string
	// scraping is what it costs to ask them for what they have used. calibrate measures it.
	scraping used
}

// used is what processes have used since their starts: seconds of a core, and objects and bytes that were allocated
// on Go's heap.
type used struct{ cpu, objects, bytes float64 }

func (u used) minus(other used, times float64) used {
	return used{u.cpu - times*other.cpu, u.objects - times*other.objects, u.bytes - times*other.bytes}
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
	s.scraping = used{cost.cpu / scrapes, cost.objects / scrapes, cost.bytes / scrapes}
	return nil
}

// Measure drives a row and returns what the server did and used, without what it used to say so, if calibrated. What
// the requests lead to after their responses is awaited and counts as well.
func (s *Server) Measure(ctx context.Context, r *Row, much Amount) (Slice, error) {
	before, err := s.used(ctx)
	if err != nil {
		return Slice{}, err
	}
	done := s.drive(ctx, r, much)
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
	done.CPU, done.Objects, done.Bytes = whole.cpu, whole.objects, whole.bytes
	return done, nil
}
