package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/retry"
	"insurance.example/exchange/pkg/tracing"
)

const (
	// workers is how many attempts are made at the same time. An attempt mostly waits for its write, and a store
	// commits together what is written at the same time: with fewer, more names would become due than are done; with
	// 32, a request waited half as long again for its own write, among those of the attempts.
	workers = 8
	// Apart is the least time between the beginnings of two attempts at what has one name. Who asks meanwhile waits
	// for it, and all who wait are served by one attempt.
	Apart = 900 * time.Millisecond
	// share is how many times as long as an attempt took the next one is apart from it, at most mostApart, so that
	// what takes long leaves time to the rest.
	share     = 10
	mostApart = 30 * time.Second
	// firstRetry is the pause after a failure. It doubles with each further one, up to mostRetry.
	firstRetry = time.Second
	mostRetry  = 15 * time.Second
	// mostNames bounds how many names are due, done or rested from at a time. The sweep finds the others.
	mostNames = 10_000
	// mostFailing is from how many names on whose last attempt has failed these are given up when they have rested, so
	// that there is room for others. The sweep finds them again.
	mostFailing = mostNames / 2
	// mostTraces bounds the traces in which an attempt is recorded.
	mostTraces = 64
	// grace is how long what is in hand may take when the outbox is stopped.
	grace = 2 * time.Second
)

// Config configures an Outbox. All fields but Tracer are required.
type Config struct {
	// Name names the work in metrics and in the log.
	Name string
	// Collection holds the documents with the unsent marks.
	Collection docstore.Collection
	// Of returns the name of what a document leads to, and the trace in which it was stored (traceparent), empty for
	// none.
	Of func(docstore.Document) (name, parent string)
	// Do does what a name stands for. It returns the documents whose marks it makes superfluous. It is called for
	// different names at once, and again after an error.
	Do func(ctx context.Context, name string) ([]docstore.Ref, error)
	// Tracer records what is done; nil if nothing is.
	Tracer  trace.Tracer
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Outbox does what documents lead to. It is safe for concurrent use.
type Outbox struct {
	config  Config
	metrics metrics
	// doing is the state of Do, reading that of the sweep, and removing that of the removal of marks.
	doing, reading, removing retry.Condition
	// ready are the tasks that a worker can begin. It has room for all.
	ready chan *task
	// after is the document after which the next round of the sweep begins.
	after uuid.UUID

	mu    sync.Mutex
	tasks map[string]*task
	// marked are the documents whose marks are to be removed.
	marked []docstore.Ref
	// failing counts the tasks whose last attempt has failed.
	failing int
}

// task is what has one name, from when it is asked for until nobody has asked again.
type task struct {
	name string
	// due says that it was asked for since the last attempt began.
	due bool
	// failures counts the attempts that have failed since the last one that has not.
	failures int
	// traces are those in which it was asked for (traceparents).
	traces []string
}

// New returns an outbox, which does nothing until Run is called. It panics if config.Metrics already has one of the
// same name.
func New(config Config) *Outbox {
	config.Log = config.Log.With("topic", config.Name)
	condition := func(bad, good string) retry.Condition {
		return retry.Condition{Log: config.Log, Bad: bad, Good: good}
	}
	return &Outbox{
		config: config, metrics: newMetrics(config.Metrics, config.Name),
		doing: condition("what documents lead to fails and is tried again",
			"nothing that documents lead to fails any more"),
		reading:  condition("unsent documents cannot be read", "unsent documents are read again"),
		removing: condition("unsent marks are not being removed", "unsent marks are being removed again"),
		ready:    make(chan *task, mostNames), tasks: make(map[string]*task),
	}
}

// Due asks for what has a name, in a trace unless parent is empty. It does not wait. It reports whether there was
// room; if not, the sweep finds the document that asks.
func (o *Outbox) Due(name, parent string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.tasks[name]
	if t == nil {
		if len(o.tasks) == mostNames {
			o.metrics.left.Inc()
			return false
		}
		t = &task{name: name}
		o.tasks[name] = t
		o.metrics.names.Set(float64(len(o.tasks)))
		o.ready <- t
	}
	t.due = true
	if parent != "" && len(t.traces) < mostTraces {
		t.traces = append(t.traces, parent)
	}
	return true
}

// Check returns why what is due is not being done, or nil.
func (o *Outbox) Check() error { return o.doing.Check() }

// Run does what is due until ctx ends, and then finishes what is in hand, for at most 2 s. It always returns nil.
func (o *Outbox) Run(ctx context.Context) error {
	hand, cancel := retry.WithGrace(ctx, grace)
	defer cancel()
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for {
				select {
				case t := <-o.ready:
					o.attempt(hand, t)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	o.sweepUntil(ctx)
	working.Wait()
	o.removeMarks(hand)
	return nil
}

// attempt does a task once, and has it rest.
func (o *Outbox) attempt(ctx context.Context, t *task) {
	o.mu.Lock()
	t.due = false
	traces := t.traces
	t.traces = nil
	o.mu.Unlock()
	began := time.Now()
	refs, err := o.do(ctx, t.name, traces)
	o.metrics.observe(began, err)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		o.marked = append(o.marked, refs...)
	}
	o.note(ctx, t, err)
	took := time.Since(began)
	rest := max(Apart-took, min(share*took, mostApart))
	if err != nil {
		rest = min(firstRetry<<min(t.failures-1, 8), mostRetry)
		t.due, t.traces = true, traces
	}
	time.AfterFunc(rest, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if t.failures > 0 && o.failing > mostFailing {
			t.due = false
			o.failing--
		}
		if t.due {
			o.ready <- t
			return
		}
		delete(o.tasks, t.name)
		o.metrics.names.Set(float64(len(o.tasks)))
	})
}

// note counts the failures of a task, and logs the first failure of any and when none fails any more.
func (o *Outbox) note(ctx context.Context, t *task, err error) {
	switch {
	case err != nil && t.failures == 0:
		o.failing++
	case err == nil && t.failures > 0:
		o.failing--
	}
	t.failures++
	if err == nil {
		t.failures = 0
	}
	o.metrics.failing.Set(float64(o.failing))
	if ctx.Err() == nil && (err != nil || o.failing == 0) {
		o.doing.Report(err)
	}
}

// do calls Do in the first of some traces, to which the spans in the others link. A panic is an error.
func (o *Outbox) do(ctx context.Context, name string, traces []string) (refs []docstore.Ref, err error) {
	ctx, spans := tracing.Together(ctx, o.config.Tracer, "process "+o.config.Name, traces)
	defer func() {
		if cause := recover(); cause != nil {
			o.config.Log.Error("panic", "panic", cause, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", cause)
		}
		for _, span := range spans {
			if err != nil {
				tracing.Fail(span, "tried again")
			}
			span.End()
		}
	}()
	return o.config.Do(ctx, name)
}
