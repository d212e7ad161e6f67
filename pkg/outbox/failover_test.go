package outbox_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/outbox"
	"insurance.example/exchange/pkg/servicetest/memory"
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

// TestPublishingAndReceivingGoOnWithoutABroker stops the one of three brokers that coordinates the group. The others
// become leaders of its partitions at once, so the logged times are the clients' own. A real cluster needs time to
// notice that a broker is gone.
func TestPublishingAndReceivingGoOnWithoutABroker(t *testing.T) {
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var network memory.Network
			withoutABroker(t, network.Listen, network.Dial, (*node).kill)
		})
	})
	// A client waits for the response of a frozen broker with a lock on the connection, for which others wait who use
	// it too. In a bubble the clock would stand still then.
	t.Run("frozen", func(t *testing.T) {
		t.Parallel()
		listen := func(address string) (net.Listener, error) { return net.Listen("tcp", address) }
		withoutABroker(t, listen, nil, func(n *node) { close(n.frozen) })
	})
}

func withoutABroker(
	t *testing.T, listen func(address string) (net.Listener, error),
	dial func(ctx context.Context, network, address string) (net.Conn, error), takeAway func(*node),
) {
	var nodes []*node
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.GroupMinSessionTimeout(time.Second),
		kfake.ListenFn(func(_, address string) (net.Listener, error) {
			listener, err := listen(address)
			n := &node{Listener: listener, frozen: make(chan struct{})}
			nodes = append(nodes, n)
			return n, err
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	// Close waits for no connection, so that those of a frozen broker do not hold it up.
	b := &kafkatest.Broker{T: t, Cluster: cluster, Address: cluster.ListenAddrs()[0]}
	b.MakeTopics()
	three := kafka.Cluster{Brokers: cluster.ListenAddrs(), ClientID: "test", Dial: dial}
	r := newRelay(b, func(c *outbox.RelayConfig) { c.Cluster = three })
	kafkatest.Running(t, r.Run)
	var seen register
	kafkatest.Running(t, newConsumer(t, three, 30*time.Second, seen.handle).Run)
	send := func(round int) {
		for i := range 100 {
			r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: fmt.Appendf(nil, "%d-%d", round, i)})
		}
	}
	send(0)
	kafkatest.Eventually(t, "all are handled", func() bool { return seen.distinct() == 100 })

	gone := cluster.CoordinatorFor("premium")
	for partition := range int32(2) {
		if err := cluster.MoveTopicPartition("receipts", partition, gone); err != nil {
			t.Fatal(err)
		}
	}
	send(1)
	kafkatest.Eventually(t, "all are handled by way of it", func() bool { return seen.distinct() == 200 })
	began := time.Now()
	takeAway(nodes[gone])
	if err := cluster.RemoveNode(gone); err != nil {
		t.Fatal(err)
	}
	send(2)
	kafkatest.Eventually(t, "all are published", func() bool {
		return kafkatest.Metric(t, r.metrics, "bus_relay_published_total") == 300
	})
	t.Logf("publishing went on after %v", time.Since(began).Round(time.Millisecond))
	kafkatest.Eventually(t, "all are handled", func() bool { return seen.distinct() == 300 })
	t.Logf("receiving went on after %v", time.Since(began).Round(time.Millisecond))
}
