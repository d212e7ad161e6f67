package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/bus/cluster"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/service"
)

// secret is the credential that the processes know each other by.
const secret = "the-secret-of-a-simulated-exchange"

// host is a place where a replica of a service runs: one process after another.
type host struct {
	world   *world
	name    string
	service func() rest.Service
	flags   []string
	peers   map[string]http.Handler
	store   docstore.Store
	brokers *brokers
	now     func() time.Time
	// current is the process that runs now, or that crashed last. number counts them.
	current *process
	number  int
	// restart is when a crashed process is started again.
	restart time.Time
}

// process is one run of a service, until it crashes.
type process struct {
	// deaf is until when the process does not hear that it was expelled from the group.
	deaf  time.Time
	world *world
	label string
	// ctx ends with the process.
	ctx     context.Context
	cancel  context.CancelFunc
	dead    atomic.Bool
	handler http.Handler
	header  http.Header
}

// start starts a process with the service's loops.
func (h *host) start() error {
	h.number++
	p := &process{world: h.world, label: fmt.Sprintf("%s.%d", h.name, h.number), header: http.Header{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	definition := h.service().Definition()
	var settings service.Settings
	flags := pflag.NewFlagSet(h.name, pflag.ContinueOnError)
	settings.Register(flags)
	definition.Flags(flags)
	if err := flags.Parse(append([]string{"--credential", secret}, h.flags...)); err != nil {
		return err
	}
	credentials, err := request.NewCredentials(settings.Secrets)
	if err != nil {
		return err
	}
	credentials.Identify(p.header, request.Caller{Subject: "caller", Scopes: []string{"std.admin", "std.developer"}})

	var loops map[string]func(context.Context) error
	create := definition.New
	definition.New = func(ctx context.Context, deps service.Deps) (*service.Instance, error) {
		instance, err := create(ctx, deps)
		if err == nil {
			loops = instance.Background
		}
		return instance, err
	}
	p.handler, err = service.NewProcess(settings, slog.New(slog.DiscardHandler)).Start(p.ctx, definition, service.Links{
		Store: database{p, h.store}, Now: h.now,
		Kafka: cluster.Settings{Brokers: []string{"simulated:9092"}, Broker: connection{h.brokers, p}},
		Peer: func(name string) (peer.Config, error) {
			return peer.Config{Address: "http://" + name, Transport: peer.Handler(h.peers[name])}, nil
		},
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(loops)) {
		ctx := as(p.ctx, name)
		go func() {
			// The loops do not begin at the same instant, so that their timers do not end at the same.
			for p.ctx.Err() == nil {
				if _, err := call(ctx, p, "begin", false, asIs, func() (struct{}, error) { return struct{}{}, nil }); err == nil {
					_ = loops[name](ctx) // it returns when the process ends
				}
			}
		}()
	}
	h.current = p
	return nil
}

// crash ends the process: its memory is lost, and of what it has sent some happens nevertheless.
func (h *host) crash(restart time.Time) {
	p := h.current
	h.restart = restart
	p.dead.Store(true)
	p.cancel()
	h.world.note("%s: crashes", p.label)
	for _, m := range slices.Clone(h.brokers.group.members) {
		if m.process == p {
			h.brokers.group.miss(m)
		}
	}
}

// answer is what a caller hears.
type answer struct {
	status int
	body   string
}

// member returns a member of the response that is a text; empty if there is none.
func (a answer) member(name string) string {
	var members map[string]any
	_ = json.Unmarshal([]byte(a.body), &members) // a response that is no object has no members
	text, _ := members[name].(string)
	return text
}

// post posts a body, which the history calls what, to a process. heard is false if the caller does not learn what became of it.
func (p *process) post(ctx context.Context, what, path, body string, header ...string) (got answer, heard bool) {
	arrived := false
	_, err := call(ctx, p, what, false, asIs, func() (struct{}, error) {
		arrived = true
		return struct{}{}, nil
	})
	if !arrived || p.dead.Load() {
		return answer{}, false
	}
	r := httptest.NewRequestWithContext(as(p.ctx, actor(ctx)), http.MethodPost, path, strings.NewReader(body))
	maps.Copy(r.Header, p.header)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	p.handler.ServeHTTP(recorder, r)
	if err != nil || p.dead.Load() {
		return answer{}, false
	}
	return answer{recorder.Code, recorder.Body.String()}, true
}
