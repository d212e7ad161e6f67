package process

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"insurance.example/exchange/pkg/patience"
)

// checkTimeout bounds one readiness check.
const checkTimeout = 2 * time.Second

// health holds whether the process is ready for requests.
type health struct {
	serving atomic.Bool
	mu      sync.Mutex
	checks  map[string]func(context.Context) error
}

// add adds a readiness check, which fails while the process cannot serve.
func (h *health) add(name string, check func(context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.checks == nil {
		h.checks = map[string]func(context.Context) error{}
	}
	h.checks[name] = check
}

// Degraded wraps the error of a readiness check that does not make the process unfit for requests: /readyz shows it,
// and the process is ready. It returns nil if err is nil.
func Degraded(err error) error {
	if err == nil {
		return nil
	}
	return degraded{err}
}

type degraded struct{ error }

func (d degraded) Unwrap() error { return d.error }

// report is the body of /readyz. Checks holds "ok" or what is wrong, by the name of the check.
type report struct {
	Ready  bool              `json:"ready"`
	Checks map[string]string `json:"checks"`
}

func (h *health) report(ctx context.Context) report {
	ctx, cancel := context.WithTimeout(ctx, patience.Times(checkTimeout))
	defer cancel()
	h.mu.Lock()
	checks := maps.Clone(h.checks)
	h.mu.Unlock()
	type outcome struct {
		name string
		err  error
	}
	outcomes := make(chan outcome, len(checks)) // it has room for all, so that a late check can end
	r := report{Ready: h.serving.Load(), Checks: map[string]string{"process": "ok"}}
	if !r.Ready {
		r.Checks["process"] = "starting or stopping"
	}
	for name, check := range checks {
		r.Checks[name] = "no result in time"
		go func() { outcomes <- outcome{name, check(ctx)} }()
	}
	for missing := len(checks); missing > 0; missing-- {
		select {
		case o := <-outcomes:
			r.Checks[o.name] = "ok"
			var lesser degraded
			switch {
			case errors.As(o.err, &lesser):
				r.Checks[o.name] = "degraded: " + o.err.Error()
			case o.err != nil:
				r.Checks[o.name], r.Ready = o.err.Error(), false
			}
		case <-ctx.Done():
			r.Ready = false
			return r
		}
	}
	return r
}
