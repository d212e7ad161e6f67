// Package mongodb starts MongoDB for tests, or what stands in for it.
package mongodb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ory/dockertest/v3"
	"github.com/ory/dockertest/v3/docker"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// variable says what the tests run against.
const variable = "CROSSTEST_MONGO"

// Deployment is MongoDB, or what stands in for it.
type Deployment struct {
	// URI has no database.
	URI string
	// Oplog is true if the deployment is a replica set.
	Oplog bool
	// Stop ends it.
	Stop func() error
}

// Start starts an empty MongoDB in a container. With CROSSTEST_MONGO=standin it starts the server of
// deploy/proof/standins/documentdb in its place.
func Start() (Deployment, error) {
	switch kind := os.Getenv(variable); kind {
	case "standin":
		return startStandin()
	case "":
		return startContainer()
	default:
		return Deployment{}, fmt.Errorf("%s is %q; it is empty for MongoDB in a container, or standin",
			variable, kind)
	}
}

// lifetime is the time in seconds after which a container ends by itself, in case its tests were killed.
const lifetime = 30 * 60

// startContainer starts MongoDB as a replica set of one node, which has everything that a larger one has.
func startContainer() (Deployment, error) {
	pool, err := dockertest.NewPool("")
	if err == nil {
		err = pool.Client.Ping()
	}
	if err != nil {
		return Deployment{}, fmt.Errorf("no Docker engine: %w; start one, or set %s=standin as root on Debian", err,
			variable)
	}
	pool.MaxWait = 2 * time.Minute
	const port = "27017/tcp"
	container, err := pool.RunWithOptions(&dockertest.RunOptions{
		Repository: "mongo", Tag: "8", Cmd: []string{"--replSet", "rs0", "--bind_ip_all"}, ExposedPorts: []string{port},
	}, func(host *docker.HostConfig) { host.AutoRemove = true })
	if err != nil {
		return Deployment{}, fmt.Errorf("start the image mongo:8: %w", err)
	}
	d := Deployment{
		// The node's name in the replica set is that within its container, so the client does not ask for it.
		URI:   "mongodb://" + container.GetHostPort(port) + "/?directConnection=true",
		Oplog: true,
		Stop:  func() error { return pool.Purge(container) },
	}
	if err := container.Expire(lifetime); err != nil {
		return d, errors.Join(err, d.Stop())
	}
	if err := pool.Retry(func() error { return initiate(d.URI) }); err != nil {
		return d, errors.Join(fmt.Errorf("make a replica set of mongo:8: %w", err), d.Stop())
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
