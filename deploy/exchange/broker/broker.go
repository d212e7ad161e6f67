// Package broker is a Kafka broker for one process on one machine: it speaks the Kafka protocol on a loopback address
// and keeps its log in a directory. The services use it as they would use any other broker.
//
// It holds little in memory, an index entry of about 100 bytes for each batch in the log, and keeps of its log only
// what some group has yet to read.
package broker

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// minSessionTimeout is the shortest session that a member of a group may ask for. It is lower than in a real cluster,
// so that the process can be killed and started again without much of a wait.
const minSessionTimeout = time.Second

// Options says where a broker is reached and where it keeps its data.
type Options struct {
	// Listen is the address to listen on, which is also the one that clients are told; 127.0.0.1 and a free port if not
	// set.
	Listen string
	// DataDir is made if it is missing. One broker at a time may use it.
	DataDir string
	Log     *slog.Logger
}

// Broker is a running broker.
type Broker struct {
	cluster *kfake.Cluster
	log     *slog.Logger
	stop    context.CancelFunc
	trimmer sync.WaitGroup
}

// Start starts a broker with what its directory holds.
func Start(options Options) (*Broker, error) {
	listen := options.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	if err := os.MkdirAll(options.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("broker: data directory: %w", err)
	}
	cluster, err := kfake.NewCluster(
		kfake.NumBrokers(1),
		kfake.ClusterID("local"),
		kfake.ListenFn(func(network, _ string) (net.Listener, error) { return net.Listen(network, listen) }),
		kfake.DataDir(options.DataDir),
		// What is acknowledged is on disk.
		kfake.SyncWrites(),
		kfake.GroupMinSessionTimeout(minSessionTimeout),
		kfake.BrokerConfigs(map[string]string{
			// Nothing goes by age or size: the trimmer knows what is still to be read.
			"log.retention.ms":    "-1",
			"log.retention.bytes": "-1",
			// A segment and its index are given back as one, so small ones are.
			"log.segment.bytes":       "1048576",
			"state.log.compact.bytes": "1048576",
		}),
		kfake.WithLogger(logger{options.Log}),
	)
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	b := &Broker{cluster: cluster, log: options.Log, stop: stop}
	b.trimmer.Go(func() { b.trimUntil(ctx) })
	return b, nil
}

// Addr is the address that the broker listens on, host:port.
func (b *Broker) Addr() string { return b.cluster.ListenAddrs()[0] }

// Close stops the broker after the requests under way, and brings its files up to date.
func (b *Broker) Close() {
	b.stop()
	b.trimmer.Wait()
	b.cluster.Close()
}
