// Package store_test holds mongostore against MongoDB itself: the suite of docstore/conformance, and what that suite
// cannot see from outside.
//
// The tests start MongoDB in a container. With CROSSTEST_MONGO=standin they start the server of
// deploy/proof/standins/documentdb in its place. They never skip.
package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/deploy/proof/standins/documentdb"
	"insurance.example/exchange/pkg/docstore/mongostore"
)

// deploymentVariable says what the tests run against.
const deploymentVariable = "CROSSTEST_MONGO"

// deployment is what the tests of this package run against.
type deployment struct {
	// uri has no database.
	uri  string
	stop func() error
}

// running is the deployment once a test has needed it.
var running *deployment

// shared starts the deployment at the first test that needs it.
var shared = sync.OnceValues(func() (deployment, error) {
	d, err := start()
	if err == nil {
		running = &d
	}
	return d, err
})

func TestMain(m *testing.M) {
	status := m.Run()
	if running != nil {
		if err := running.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop MongoDB:", err)
			status = 1
		}
	}
	os.Exit(status)
}

// unhurried returns a connection string that gives an operation a minute. The default is much less, which a machine
// that does much else may need for an operation on a large document.
func unhurried(t testing.TB, uri string) string {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("timeoutMS", "60000")
	u.RawQuery = query.Encode()
	return u.String()
}

// uri returns the connection string of the deployment, without a database, and with time for each operation.
func uri(t testing.TB) string {
	t.Helper()
	d, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return unhurried(t, d.uri)
}

// open opens a store on a new, empty database, whose name it returns. The caller closes the store.
func open(t testing.TB) (store *mongostore.Store, database string) {
	t.Helper()
	database = "exchange_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	store, err := mongostore.Open(t.Context(), uri(t), database)
	if err != nil {
		t.Fatal(err)
	}
	return store, database
}

// client returns a client of the deployment that knows nothing of the store.
func client(t testing.TB) *mongo.Client {
	t.Helper()
	c, err := mongo.Connect(options.Client().ApplyURI(uri(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Disconnect(context.Background()) })
	return c
}

func start() (deployment, error) {
	switch kind := os.Getenv(deploymentVariable); kind {
	case "standin":
		server, err := documentdb.Start(context.Background(), "")
		if err != nil {
			return deployment{}, err
		}
		return deployment{uri: server.URI(), stop: server.Close}, nil
	case "":
		return startContainer()
	default:
		return deployment{}, fmt.Errorf("%s is %q; it is empty for MongoDB in a container, or standin",
			deploymentVariable, kind)
	}
}

// lifetime is the time in seconds after which a container ends by itself, in case its tests were killed.
const lifetime = 30 * 60

// startContainer starts MongoDB as a replica set of one node, which has everything that a larger one has.
func startContainer() (deployment, error) {
	pool, err := dockertest.NewPool("")
	if err == nil {
		err = pool.Client.Ping()
	}
	if err != nil {
		return deployment{}, fmt.Errorf("no Docker engine: %w; start one, or set %s=standin as root on Debian", err,
			deploymentVariable)
	}
	pool.MaxWait = 2 * time.Minute
	const port = "27017/tcp"
	container, err := pool.RunWithOptions(&dockertest.RunOptions{
		Repository: "mongo", Tag: "8", Cmd: []string{"--replSet", "rs0", "--bind_ip_all"}, ExposedPorts: []string{port},
	}, func(host *docker.HostConfig) { host.AutoRemove = true })
	if err != nil {
		return deployment{}, fmt.Errorf("start the image mongo:8: %w", err)
	}
	d := deployment{
		// The node's name in the replica set is that within its container, so the client does not ask for it.
		uri:  "mongodb://" + container.GetHostPort(port) + "/?directConnection=true",
		stop: func() error { return pool.Purge(container) },
	}
	if err := container.Expire(lifetime); err != nil {
		return d, errors.Join(err, d.stop())
	}
	if err := pool.Retry(func() error { return initiate(d.uri) }); err != nil {
		return d, errors.Join(fmt.Errorf("make a replica set of mongo:8: %w", err), d.stop())
	}
	return d, nil
}

// initiate makes the node the primary of a replica set. It may be called again until it succeeds.
func initiate(uri string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return err
	}
	defer func() { _ = c.Disconnect(context.Background()) }()
	admin := c.Database("admin")
	err = admin.RunCommand(ctx, bson.D{{Key: "replSetInitiate", Value: bson.D{
		{Key: "_id", Value: "rs0"},
		{Key: "members", Value: bson.A{bson.D{{Key: "_id", Value: 0}, {Key: "host", Value: "127.0.0.1:27017"}}}},
	}}}).Err()
	const alreadyInitialized = 23
	if refused := (mongo.ServerError)(nil); err != nil &&
		(!errors.As(err, &refused) || !refused.HasErrorCode(alreadyInitialized)) {
		return err
	}
	var hello struct {
		Primary bool `bson:"isWritablePrimary"`
	}
	if err := admin.RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello); err != nil {
		return err
	}
	if !hello.Primary {
		return errors.New("the node is not the primary yet")
	}
	return nil
}
