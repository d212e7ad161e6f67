package process

import (
	"context"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"insurance.example/exchange/pkg/admission"
)

// lookout sends the probes of a backlog while the process serves. A probe is a byte in a pipe: the system says that
// it is there together with the requests that come at the same time, and the goroutine that reads it has its turn
// among those that read them.
type lookout struct {
	passed func()                  // is called with each probe that comes back
	to     atomic.Pointer[os.File] // nil unless somebody reads the other end
}

// newBacklog returns the backlog of the process.
func (p *Process) newBacklog(target time.Duration) *admission.Backlog {
	l := &lookout{}
	backlog := admission.NewBacklog(admission.BacklogConfig{Target: target, Now: time.Now, Probe: l.send})
	l.passed = backlog.Passed
	p.Background("lookout for waiting requests", l.run)
	promauto.With(p.Registry).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_wait_seconds", Help: "How long requests wait until the process reads them.",
	}, func() float64 { return backlog.Wait().Seconds() })
	return backlog
}

// send sends a probe. It reports false if it cannot.
func (l *lookout) send() bool {
	to := l.to.Load()
	if to == nil {
		return false
	}
	_, err := to.Write([]byte{0})
	return err == nil
}

// run reads the probes until ctx ends. The only other error is that there is no pipe.
func (l *lookout) run(ctx context.Context) error {
	from, to, err := os.Pipe()
	if err != nil {
		return err
	}
	l.to.Store(to)
	defer func() {
		l.to.Store(nil)
		_ = to.Close()
		l.passed() // what was sent and not read
	}()
	defer context.AfterFunc(ctx, func() { _ = from.Close() })()
	var probe [1]byte
	for {
		if _, err := from.Read(probe[:]); err != nil {
			return err
		}
		l.passed()
	}
}
