package store_test

import (
	"net"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// wireAction is what becomes of a command. The zero wireAction passes it on, and its reply back.
type wireAction struct {
	// Delay is the time before it is passed on.
	Delay time.Duration
	// CutRequest closes the connection in place of passing it on: the server never sees it.
	CutRequest bool
	// CutReply closes the connection once the server has replied: the client never hears of it.
	CutReply bool
	// Reply, if set, is sent back in place of passing the command on.
	Reply bson.D
	// Add is added to the server's reply.
	Add bson.D
	// Then, if set, runs after the rest has been done.
	Then func()
}

// wireProxy is a server that passes commands on to another.
type wireProxy struct {
	target   string
	listener net.Listener

	mu      sync.Mutex
	decide  func(wireCommand) wireAction
	refuses bool
	open    map[net.Conn]bool
	running sync.WaitGroup
}

// startWire starts a proxy in front of the server at an address ("127.0.0.1:27017"). It ends with the test. decide,
// which may be nil, is asked about each command, by several goroutines at once.
func startWire(t *testing.T, target string, decide func(wireCommand) wireAction) *wireProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &wireProxy{target: target, listener: listener, decide: decide, open: map[net.Conn]bool{}}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		p.RefuseConnections(true)
		p.running.Wait()
	})
	return p
}

// URI returns the connection string of the proxy. The client asks for no other server of the deployment, so that every
// command comes by.
func (p *wireProxy) URI() string {
	return "mongodb://" + p.listener.Addr().String() + "/?directConnection=true"
}

// Decide changes what is asked about each command.
func (p *wireProxy) Decide(decide func(wireCommand) wireAction) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decide = decide
}

// RefuseConnections closes the open connections and, until it is called with false, every new one.
func (p *wireProxy) RefuseConnections(refuses bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuses = refuses
	if refuses {
		for conn := range p.open {
			_ = conn.Close()
		}
	}
}

func (p *wireProxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.serve(client) })
	}
}

// serve passes on what comes over one connection, until either side closes it.
func (p *wireProxy) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	if !p.keep(client, server) {
		return
	}
	defer p.drop(client, server)
	link := &link{proxy: p, client: client, server: server, replies: map[int32]wireAction{}}
	var both sync.WaitGroup
	both.Go(link.requests)
	both.Go(link.responses)
	both.Wait()
}

// keep notes open connections; it returns false if the proxy refuses them.
func (p *wireProxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		p.open[conn] = true
	}
	return !p.refuses
}

func (p *wireProxy) drop(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		delete(p.open, conn)
	}
}

// ask returns what is to become of a command. A command of the driver's own passes.
func (p *wireProxy) ask(c wireCommand) wireAction {
	p.mu.Lock()
	decide := p.decide
	p.mu.Unlock()
	if decide == nil || c.own() {
		return wireAction{}
	}
	return decide(c)
}
