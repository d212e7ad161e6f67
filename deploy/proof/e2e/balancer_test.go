package e2e_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// balancer accepts connections for several processes, as a Service of Kubernetes does: each connection goes to one of
// those that were ready when it was last looked, and stays there. It looks every 250 ms.
type balancer struct {
	logf      func(format string, args ...any)
	listener  net.Listener
	processes []string
	ready     map[string]*atomic.Bool
	turn      atomic.Int64
	work      sync.WaitGroup
}

// newBalancer returns a balancer for processes of an exchange, which ends with the test.
func newBalancer(t *testing.T, e *trial.Exchange, processes ...string) *balancer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{logf: t.Logf, listener: listener, processes: processes, ready: map[string]*atomic.Bool{}}
	ctx, stop := context.WithCancel(context.Background())
	for _, process := range processes {
		b.ready[process] = &atomic.Bool{}
		b.work.Go(func() { b.probe(ctx, e, process) })
	}
	b.work.Go(func() { b.accept(ctx, e) })
	t.Cleanup(func() {
		stop()
		_ = listener.Close()
		b.work.Wait()
	})
	b.await(t)
	return b
}

// await returns when every process was ready when it was last looked, as a rollout of Kubernetes waits before it stops
// the next one.
func (b *balancer) await(t *testing.T) {
	t.Helper()
	wait.Until(t, func() error {
		for _, process := range b.processes {
			if !b.ready[process].Load() {
				return errors.New(process + " is not ready")
			}
		}
		return nil
	})
}

// probe looks whether a process is ready, until ctx ends.
func (b *balancer) probe(ctx context.Context, e *trial.Exchange, process string) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		b.ready[process].Store(isReady(ctx, e, process))
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

func isReady(ctx context.Context, e *trial.Exchange, process string) bool {
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

// accept passes connections on, and closes one for which no process is ready.
func (b *balancer) accept(ctx context.Context, e *trial.Exchange) {
	for {
		connection, err := b.listener.Accept()
		if err != nil {
			return
		}
		if process, ok := b.choose(); ok {
			b.work.Go(func() { b.pass(ctx, connection, process, e.Address(process)) })
		} else {
			b.logf("no process is ready: a connection is closed")
			_ = connection.Close()
		}
	}
}

// choose returns the processes that are ready in turn; ok is false if there is none.
func (b *balancer) choose() (process string, ok bool) {
	for range b.processes {
		process = b.processes[int(b.turn.Add(1))%len(b.processes)]
		if b.ready[process].Load() {
			return process, true
		}
	}
	return "", false
}

// pass copies what both ends of a connection send, until one of them closes it or ctx ends.
func (b *balancer) pass(ctx context.Context, connection net.Conn, process, to string) {
	defer connection.Close()
	onward, err := net.Dial("tcp", to)
	if err != nil {
		b.logf("%s was ready when it was last looked: %v", process, err)
		return
	}
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
