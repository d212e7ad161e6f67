package bus_test

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/bus"
	"insurance.example/exchange/pkg/docstore"
)

// node is one broker of several, as the network sees it: it can be killed, or stop to respond while its connections
// stay.
type node struct {
	net.Listener
	frozen chan struct{}

	mu    sync.Mutex
	conns []net.Conn
}

func (n *node) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = append(n.conns, conn)
	return &nodeConn{conn, n}, nil
}

func (n *node) kill() {
	n.Close()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, conn := range n.conns {
		conn.Close()
	}
}

// nodeConn is a connection of a node. While the node is frozen, nothing comes in or goes out.
type nodeConn struct {
	net.Conn
	node *node
}

func (c *nodeConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	select {
	case <-c.node.frozen:
		var hold [1]byte
		for err == nil { // until the other side closes the connection
			_, err = c.Conn.Read(hold[:])
		}
		return 0, err
	default:
		return n, err
	}
}

func (c *nodeConn) Write(p []byte) (int, error) {
	select {
	case <-c.node.frozen:
		return len(p), nil
	default:
		return c.Conn.Write(p)
	}
}

// TestPublishingAndReceivingGoOnWithoutABroker takes one of three brokers away, the one that coordinates the group.
// The others lead its partitions at once, so the times that are logged are those of the clients. A real cluster needs
// time of its own to notice that a broker is gone.
func TestPublishingAndReceivingGoOnWithoutABroker(t *testing.T) {
	for how, takeAway := range map[string]func(*node){
		"killed": (*node).kill,
		"frozen": func(n *node) { close(n.frozen) },
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			var nodes []*node
			cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.GroupMinSessionTimeout(time.Second),
				kfake.ListenFn(func(network, address string) (net.Listener, error) {
					listener, err := net.Listen(network, address)
					n := &node{Listener: listener, frozen: make(chan struct{})}
					nodes = append(nodes, n)
					return n, err
				}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cluster.Close)
			// Close waits for no connection, so that those of a frozen broker do not hold it up.
			b := &broker{t: t, Cluster: cluster, addr: cluster.ListenAddrs()[0]}
			ready(b)
			three := bus.Cluster{Brokers: cluster.ListenAddrs(), ClientID: "test"}
			r := newRelay(b, func(c *bus.RelayConfig) { c.Cluster = three })
			running(t, r.Run)
			var seen register
			running(t, newConsumer(b, seen.handle, func(c *bus.ConsumerConfig) { c.Cluster = three }).Run)
			send := func(round int) {
				for i := range 100 {
					r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: fmt.Appendf(nil, "%d-%d", round, i)})
				}
			}
			send(0)
			eventually(t, "all are handled", func() bool { return seen.distinct() == 100 })

			gone := cluster.CoordinatorFor("premium")
			for partition := range int32(2) {
				if err := cluster.MoveTopicPartition("receipts", partition, gone); err != nil {
					t.Fatal(err)
				}
			}
			send(1)
			eventually(t, "all are handled by way of it", func() bool { return seen.distinct() == 200 })
			began := time.Now()
			takeAway(nodes[gone])
			if err := cluster.RemoveNode(gone); err != nil {
				t.Fatal(err)
			}
			send(2)
			eventually(t, "all are published", func() bool { return metric(t, r.metrics, "bus_relay_published_total") == 300 })
			t.Logf("%s: publishing went on after %v", how, time.Since(began).Round(time.Millisecond))
			eventually(t, "all are handled", func() bool { return seen.distinct() == 300 })
			t.Logf("%s: receiving went on after %v", how, time.Since(began).Round(time.Millisecond))
		})
	}
}
