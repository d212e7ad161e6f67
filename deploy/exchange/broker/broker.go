// Package broker is a Kafka broker within a process. It speaks the protocol of Kafka on one address and keeps its log
// in a folder. The services use it as they would use any other broker.
//
// It needs little memory, about 100 bytes for each batch in the log. It deletes from its log what all groups have read.
package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/scram"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/kafka/cluster"
)

// minSessionTimeout is the shortest session that a member of a group may ask for. It is shorter than in a real
// cluster, so that a process which was killed and started again need not wait for long.
const minSessionTimeout = time.Second

// Options describes where a broker listens and where it keeps its data.
type Options struct {
	// Listen is the address to listen on, which clients are told as well; 127.0.0.1 and a free port if it is empty.
	Listen string
	// DataDir is the folder of the log, which is created if it is missing. One broker at a time can use it.
	DataDir string
	// Secret has clients prove with SASL that they know the password in the folder, which is made at the first start.
	// Who else reaches the address can neither publish nor read.
	Secret bool
	Log    *slog.Logger
}

// Broker is a running broker.
type Broker struct {
	cluster *kfake.Cluster
	// settings say how clients reach the broker, and sasl is what they prove themselves with, nil for nothing.
	settings cluster.Settings
	sasl     sasl.Mechanism
	lock     *flock.Flock
	log      *slog.Logger
	stop     context.CancelFunc
	trimmer  sync.WaitGroup
}

// Start starts a broker with the log in its folder. It fails with ErrInUse if another broker uses the folder.
func Start(options Options) (*Broker, error) {
	listen := options.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	lock, err := openFolder(options.DataDir)
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	b := &Broker{lock: lock, log: options.Log}
	known, err := b.secure(options)
	if err != nil {
		return nil, fmt.Errorf("broker: %w", errors.Join(err, lock.Unlock()))
	}
	b.cluster, err = kfake.NewCluster(append(known,
		kfake.NumBrokers(1),
		kfake.ClusterID("local"),
		kfake.ListenFn(func(network, _ string) (net.Listener, error) {
			listener, err := net.Listen(network, listen)
			return guarded{listener, options.Log}, err
		}),
		kfake.DataDir(options.DataDir),
		// Whatever is acknowledged is on the disk.
		kfake.SyncWrites(),
		kfake.GroupMinSessionTimeout(minSessionTimeout),
		kfake.BrokerConfigs(map[string]string{
			// Nothing is deleted by its age or size. The trimmer deletes what was read.
			"log.retention.ms":    "-1",
			"log.retention.bytes": "-1",
			// Segments are deleted as a whole, and with them their index in memory, so they are small.
			"log.segment.bytes":       "1048576",
			"state.log.compact.bytes": "1048576",
		}),
		kfake.WithLogger(logger{options.Log}),
	)...)
	if err != nil {
		return nil, fmt.Errorf("broker: %w", errors.Join(err, lock.Unlock()))
	}
	b.settings.Brokers = []string{b.Addr()}
	if err := writeAddress(options.DataDir, b.Addr()); err != nil {
		b.cluster.Close()
		return nil, fmt.Errorf("broker: %w", errors.Join(err, lock.Unlock()))
	}
	ctx, stop := context.WithCancel(context.Background())
	b.stop = stop
	b.trimmer.Go(func() { b.trimUntil(ctx) })
	return b, nil
}

// Addr returns the address that the broker listens on, as host:port.
func (b *Broker) Addr() string { return b.cluster.ListenAddrs()[0] }

// Settings says how a client of this machine reaches the broker.
func (b *Broker) Settings() cluster.Settings { return b.settings }

// user is the name by which clients prove that they know the password.
const user = "exchange"

// secure returns what has the broker ask for the password in its folder, if it is to.
func (b *Broker) secure(options Options) ([]kfake.Opt, error) {
	if !options.Secret {
		return nil, nil
	}
	password, err := passwordIn(options.DataDir)
	if err != nil {
		return nil, err
	}
	b.settings = secured(options.DataDir)
	b.sasl, err = scram.Mechanism(scram.SHA256, user, password)
	return []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", user, password)}, err
}

// Close stops the broker after the requests under way, writes its files, and releases its folder.
func (b *Broker) Close() {
	b.stop()
	b.trimmer.Wait()
	b.cluster.Close()
	if err := b.lock.Unlock(); err != nil {
		b.log.Warn("the lock of the broker's folder is not released", "cause", err)
	}
}
