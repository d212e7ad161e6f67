package trial

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/pkg/wait"
)

// balancers accept connections for the replicas of processes, as a Service of Kubernetes does: each connection goes to
// a replica that was ready when it was last looked, and stays there. They look every 250 ms.
type balancers struct {
	ctx  context.Context
	end  context.CancelFunc
	work sync.WaitGroup
	// ready says of the processes whether they were ready.
	ready map[string]*atomic.Bool
}

// way leads to a process: to its own address, or to that of what stands before it.
type way struct {
	process, address string
	ready            *atomic.Bool
}

// Balance returns the URL at which connections go to the given processes, until the exchange ends.
func (e *Exchange) Balance(processes ...string) (string, error) {
	var ways []way
	for _, process := range processes {
		ways = append(ways, way{process: process, address: e.Address(process)})
	}
	return e.balance(ways)
}

func (e *Exchange) balance(ways []way) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	b := &e.balancers
	if b.ready == nil {
		b.ctx, b.end = context.WithCancel(context.Background())
		b.ready = map[string]*atomic.Bool{}
	}
	context.AfterFunc(b.ctx, func() { _ = listener.Close() })
	for i := range ways {
		process := ways[i].process
		if b.ready[process] == nil {
			ready := &atomic.Bool{}
			ready.Store(e.isReady(b.ctx, process))
			b.ready[process] = ready
			b.work.Go(func() { e.probe(process, ready) })
		}
		ways[i].ready = b.ready[process]
	}
	b.work.Go(func() { b.accept(listener, ways) })
	return e.scheme() + listener.Addr().String(), nil
}

// AwaitReplicas returns when every process that connections are balanced over was ready when it was last looked, as a
// rollout of Kubernetes waits before it stops the next one.
func (e *Exchange) AwaitReplicas(t testing.TB) {
	t.Helper()
	wait.Until(t, func() error {
		for process, ready := range e.balancers.ready {
			if !ready.Load() {
				return errors.New(process + " is not ready")
			}
		}
		return nil
	})
}

// probe looks whether a process is ready, until the balancers end.
func (e *Exchange) probe(process string, ready *atomic.Bool) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for ctx := e.balancers.ctx; ctx.Err() == nil; {
		ready.Store(e.isReady(ctx, process))
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

func (e *Exchange) isReady(ctx context.Context, process string) bool {
	admin, err := e.AdminAddress(process)
	if err != nil {
		return false
	}
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(ask)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// close closes all connections and returns when nothing is left.
func (b *balancers) close() {
	if b.end != nil {
		b.end()
		b.work.Wait()
	}
}

// accept passes connections on, in turn to those of the ways whose process is ready, and closes one if none is.
func (b *balancers) accept(listener net.Listener, ways []way) {
	for turn := 0; ; turn++ {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		if onward := dial(slices.Concat(ways[turn%len(ways):], ways[:turn%len(ways)])); onward != nil {
			b.work.Go(func() { pass(b.ctx, connection, onward) })
		} else {
			_ = connection.Close()
		}
	}
}

// dial connects to the first process that is ready; it returns nil if none is.
func dial(ways []way) net.Conn {
	for _, w := range ways {
		if !w.ready.Load() {
			continue
		}
		if connection, err := net.Dial("tcp", w.address); err == nil {
			return connection
		}
	}
	return nil
}

// pass copies what both ends of a connection send, until one of them closes it or ctx ends.
func pass(ctx context.Context, connection, onward net.Conn) {
	defer connection.Close()
	defer onward.Close()
	defer context.AfterFunc(ctx, func() {
		_ = connection.Close()
		_ = onward.Close()
	})()
	var both sync.WaitGroup
	for from, to := range map[net.Conn]net.Conn{connection: onward, onward: connection} {
		both.Go(func() {
			_, _ = io.Copy(to, from)
			_ = to.(*net.TCPConn).CloseWrite()
		})
	}
	both.Wait()
}
