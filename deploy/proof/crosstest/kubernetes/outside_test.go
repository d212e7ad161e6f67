package kubernetes_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kfake"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/proof/crosstest/database"
	"insurance.example/exchange/deploy/proof/standins/documentdb"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

// outside is what an exchange in production finds outside of its cluster: servers that stand in for MongoDB and
// Kafka, which speak TLS and ask for a login, and the keys of an identity provider. They are at an address of this
// machine that the pods reach, and end with the test.
type outside struct {
	authority *certificatetest.Authority
	// mongodb is host:port, and so is each of brokers. MongoDB has a user for each service, Kafka the user exchange.
	mongodb       string
	passwords     map[string]string // of MongoDB's users
	brokers       []string
	kafkaPassword string
	// signer signs tokens with the keys in the folder keys. keySet is the URL at which their public halves are.
	keySet, keys string
	signer       *auth.Signer
}

// user is the name of the exchange in Kafka.
const user = "exchange"

func startOutside(t *testing.T, host string) *outside {
	t.Helper()
	o := &outside{
		authority: certificatetest.NewAuthority(t), passwords: map[string]string{}, kafkaPassword: uuid.NewString(),
		keys: t.TempDir(),
	}
	certificate, key := o.authority.Issue(host)
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	secured := &tls.Config{Certificates: []tls.Certificate{pair}}
	o.startMongoDB(t, host, secured)
	o.startKafka(t, host, secured)
	o.startIdentityProvider(t, host)
	return o
}

// startMongoDB starts what stands in for MongoDB. It speaks no TLS itself, so that something else does in front of it.
func (o *outside) startMongoDB(t *testing.T, host string, secured *tls.Config) {
	t.Helper()
	server, err := documentdb.Start(t.Context(), database.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	reached := options.Client().ApplyURI(server.URI())
	client, err := mongo.Connect(reached)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range internalapi.Services() {
		o.passwords[name] = uuid.NewString()
		// The stand-in knows no roles for a database.
		if err := client.Database("admin").RunCommand(t.Context(), bson.D{
			{Key: "createUser", Value: name}, {Key: "pwd", Value: o.passwords[name]},
			{Key: "roles", Value: bson.A{
				bson.D{{Key: "role", Value: "readWriteAnyDatabase"}, {Key: "db", Value: "admin"}},
				bson.D{{Key: "role", Value: "clusterAdmin"}, {Key: "db", Value: "admin"}},
			}},
		}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.Disconnect(t.Context()); err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", net.JoinHostPort(host, "0"), secured)
	if err != nil {
		t.Fatal(err)
	}
	o.mongodb = listener.Addr().String()
	passOn(t, listener, reached.Hosts[0])
}

// passOn passes connections on to another address until the end of the test.
func passOn(t *testing.T, listener net.Listener, to string) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	serve := func(from net.Conn) {
		target, err := new(net.Dialer).DialContext(ctx, "tcp", to)
		if err != nil {
			_ = from.Close()
			return
		}
		end := sync.OnceFunc(func() { _, _ = from.Close(), target.Close() })
		defer context.AfterFunc(ctx, end)()
		defer end()
		all.Go(func() {
			defer end()
			_, _ = io.Copy(target, from)
		})
		_, _ = io.Copy(from, target)
	}
	all.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { serve(from) })
		}
	})
	t.Cleanup(func() {
		cancel()
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
	})
}

// startKafka starts what stands in for Kafka: three brokers.
func (o *outside) startKafka(t *testing.T, host string, secured *tls.Config) {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.TLS(secured),
		kfake.ListenFn(func(network, _ string) (net.Listener, error) {
			return net.Listen(network, net.JoinHostPort(host, "0"))
		}),
		kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", user, o.kafkaPassword))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	o.brokers = cluster.ListenAddrs()
}

// startIdentityProvider serves the keys of tokens, as an identity provider does.
func (o *outside) startIdentityProvider(t *testing.T, host string) {
	t.Helper()
	var err error
	if o.signer, err = auth.OpenSigner(o.keys); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(o.signer.JWKS())
	}))
	_ = server.Listener.Close()
	if server.Listener, err = net.Listen("tcp", net.JoinHostPort(host, "0")); err != nil {
		t.Fatal(err)
	}
	server.Start()
	t.Cleanup(server.Close)
	o.keySet = server.URL
}
