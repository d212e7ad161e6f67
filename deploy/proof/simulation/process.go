package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/process"
)

// host is a place that runs one replica of a service: one process after another.
type host struct {
	world *world
	// service is the name of the service, name that of the host.
	service, name string
	program       *program
	// replicas returns the hosts of a simulated service; none for any other service.
	replicas func(service string) []*host
	// stubs take the place of the services that are not.
	stubs map[string]http.Handler
	store docstore.Store
	now   func() time.Time
	// current is the process that runs now, or that crashed last. number counts them.
	current *replica
	number  int
	// restart is when a crashed process is started again.
	restart time.Time
}

// replica is one run of a service, until it crashes.
type replica struct {
	// silent is the time until which calls of other services get no response, nor an error.
	silent time.Time
	world  *world
	// timeout is how long a request may take.
	timeout time.Duration
	label   string
	// ctx ends with the process.
	ctx    context.Context
	cancel context.CancelFunc
	dead   atomic.Bool
	engine *gin.Engine
	// headerOf returns the header of a request under a context.
	headerOf func(context.Context) http.Header
}

// start starts a process with the service's loops.
func (h *host) start() error {
	h.number++
	p := &replica{
		world: h.world, label: fmt.Sprintf("%s.%d", h.name, h.number), headerOf: h.program.headerOf,
		timeout: h.program.settings.RequestTimeout,
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	instance, err := h.program.start(p.ctx, process.Links{
		Store: database{p, h.store}, Now: h.now, Peer: h.peers(p),
	})
	if err != nil {
		return err
	}
	p.engine = instance.Handler.(*gin.Engine)
	for _, name := range slices.Sorted(maps.Keys(instance.Background)) {
		ctx := as(p.ctx, name)
		go func() {
			// The loops begin at different instants, so that their timers end at different instants.
			for p.ctx.Err() == nil {
				if _, err := call(ctx, p, "begin", asIs, func() (struct{}, error) {
					return struct{}{}, nil
				}); err == nil {
					_ = instance.Background[name](ctx) // it returns when the process ends
				}
			}
		}()
	}
	h.current = p
	return nil
}

// crash ends the process. Its memory is lost; some of the operations that it has sent happen nevertheless.
func (h *host) crash(restart time.Time) {
	p := h.current
	h.restart = restart
	p.dead.Store(true)
	p.cancel()
	h.world.note("%s: crashes", p.label)
}

// await waits for a while. It returns false if the process crashes meanwhile.
func (p *replica) await(while time.Duration) bool {
	select {
	case <-time.After(while):
		return true
	case <-p.ctx.Done():
		return false
	}
}

// answer is the response that a caller gets.
type answer struct {
	status int
	// tag is the entity tag of the record.
	tag, body string
}

// member returns a member of the response that is a string; empty if there is none.
func (a answer) member(name string) string {
	var members map[string]any
	_ = json.Unmarshal([]byte(a.body), &members) // a response that is no object has no members
	text, _ := members[name].(string)
	return text
}

// post posts a body as send does.
func (p *replica) post(ctx context.Context, what, path, body string, header ...string) (got answer, heard bool) {
	return p.send(ctx, what, http.MethodPost, path, body, header...)
}

// send sends a request to a process; what describes it in the history. heard is false if no response comes.
func (p *replica) send(
	ctx context.Context, what, method, path, body string, header ...string,
) (got answer, heard bool) {
	arrived := false
	_, err := call(ctx, p, what, asIs, func() (struct{}, error) {
		arrived = true
		return struct{}{}, nil
	})
	if !arrived || p.dead.Load() {
		return answer{}, false
	}
	sent := p.headerOf(ctx)
	for i := 0; i+1 < len(header); i += 2 {
		sent.Set(header[i], header[i+1])
	}
	began := time.Now()
	response := p.serve(as(p.ctx, actor(ctx)), method, path, body, sent)
	if took := time.Since(began); took > p.timeout+time.Second {
		p.world.late = append(p.world.late, fmt.Sprintf("%s took %s, although a request may take %s", what, took,
			p.timeout))
	}
	if err != nil || p.dead.Load() {
		return answer{}, false
	}
	return answer{response.Code, response.Header().Get("ETag"), response.Body.String()}, true
}

// serve has the service handle a request.
func (p *replica) serve(ctx context.Context, method, path, body string, header http.Header) *httptest.ResponseRecorder {
	r, err := http.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	if err != nil {
		panic(err) // a path of the simulation is wrong
	}
	r.Header = header
	recorder := httptest.NewRecorder()
	// Gin's own ServeHTTP takes its context from a pool. The pool keeps the engine, and with it all memory of the
	// process, until garbage was collected twice.
	c := gin.CreateTestContextOnly(recorder, p.engine)
	c.Request = r
	p.engine.HandleContext(c)
	return recorder
}
