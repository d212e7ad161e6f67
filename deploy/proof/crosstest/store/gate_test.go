package store_test

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"testing"
)

// gate is an address in front of MongoDB, which can go away and come back. It speaks TLS if it has a configuration
// for that.
type gate struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	state gateState
	// changed is closed when the state changes.
	changed chan struct{}
	open    map[net.Conn]bool
}

type gateState int

const (
	passing gateState = iota
	// refusing closes every connection.
	refusing
	// hanging accepts connections, and keeps everything that comes over them.
	hanging
)

// newGate returns a gate that passes everything on, and its connection string.
func newGate(t *testing.T, secured *tls.Config) (*gate, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{listener: listener, target: address(t), changed: make(chan struct{}), open: map[net.Conn]bool{}}
	if secured != nil {
		g.listener = tls.NewListener(listener, secured)
	}
	var serving sync.WaitGroup
	serving.Go(g.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		g.set(refusing)
		serving.Wait()
	})
	return g, "mongodb://" + listener.Addr().String() + "/?directConnection=true"
}

// set changes what becomes of connections, of those that are open too.
func (g *gate) set(state gateState) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state = state
	close(g.changed)
	g.changed = make(chan struct{})
	if state == refusing {
		for conn := range g.open {
			_ = conn.Close()
		}
	}
}

func (g *gate) accept() {
	var links sync.WaitGroup
	defer links.Wait()
	for {
		client, err := g.listener.Accept()
		if err != nil {
			return
		}
		links.Go(func() { g.serve(client) })
	}
}

func (g *gate) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", g.target)
	if err != nil {
		return
	}
	defer server.Close()
	g.mu.Lock()
	refused := g.state == refusing
	g.open[client], g.open[server] = true, true
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.open, client)
		delete(g.open, server)
	}()
	if refused {
		return
	}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			defer client.Close()
			defer server.Close()
			_, _ = io.Copy(&held{g, way[1]}, way[0])
		})
	}
	both.Wait()
}

// held is a connection that takes nothing while its gate hangs.
type held struct {
	gate *gate
	net.Conn
}

func (h *held) Write(p []byte) (int, error) {
	for {
		h.gate.mu.Lock()
		state, changed := h.gate.state, h.gate.changed
		h.gate.mu.Unlock()
		if state != hanging {
			return h.Conn.Write(p)
		}
		<-changed
	}
}

// ReadFrom is not that of the connection, which would pass by Write.
func (h *held) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{h}, r)
}
