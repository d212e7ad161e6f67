package mongostore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
)

// ShardKey says how a collection is divided among the shards of a cluster: by the hash of a field.
type ShardKey struct {
	Collection, Field string
	// Why says why this field.
	Why string
}

// ShardKeys returns how a database is divided that has collections of these specs. Every collection that grows with
// the records is among them. The others hold a few documents and stay on one shard.
func ShardKeys(specs []docstore.Spec) []ShardKey {
	var keys []ShardKey
	for _, spec := range specs {
		keys = append(keys,
			ShardKey{spec.Name, idField, "records: every read and write of one names its id"},
			ShardKey{spec.Name + reservationsSuffix, idField,
				"unique values: the _id is the value, so that one shard decides who has it"},
			ShardKey{spec.Name + historySuffix, documentField,
				"former versions: those of one record are read together"})
	}
	return append(keys, ShardKey{segmentsName, idField, "the log of changes: every read names the numbers of segments"})
}

// hashed is the kind of index by which a collection is divided.
const hashed = "hashed"

func (k ShardKey) pattern() bson.D { return bson.D{{Key: k.Field, Value: hashed}} }

// Commands returns the commands for mongosh that do what Router.Divide does.
func (k ShardKey) Commands(database string) []string {
	pattern := fmt.Sprintf(`{"%s": "%s"}`, k.Field, hashed)
	return []string{
		fmt.Sprintf("db.getSiblingDB(%q).getCollection(%q).createIndex(%s)", database, k.Collection, pattern),
		fmt.Sprintf("sh.shardCollection(%q, %s)", database+"."+k.Collection, pattern),
	}
}

// Router is a router (mongos) of a sharded cluster.
type Router struct {
	client *mongo.Client
	// timeout bounds one read.
	timeout time.Duration
}

// Router connects to a router. It refuses any other server. It returns the errors of Open.
func (o Options) Router(ctx context.Context) (*Router, error) {
	client, timeout, err := o.connect(ctx)
	if err != nil {
		return nil, err
	}
	r := &Router{client, timeout}
	if err := r.check(ctx); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// check returns an error unless the server is a router.
func (r *Router) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	var hello struct {
		Message string `bson:"msg"`
		Set     string `bson:"setName"`
	}
	if err := r.client.Database("admin").RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Decode(&hello); err != nil {
		return unavailable(ctx, err)
	}
	switch {
	case hello.Message == "isdbgrid":
		return nil
	case hello.Set != "":
		return refusal{fmt.Errorf("the server is a member of the replica set %s, and no router of a sharded cluster; "+
			"name the routers (mongos)", hello.Set)}
	default:
		return refusal{errors.New("the server is no router of a sharded cluster; name the routers (mongos)")}
	}
}

// Close closes the connections.
func (r *Router) Close() error { return r.client.Disconnect(context.Background()) }

// Divide divides a collection of a database as a key says, with the index that this needs. It changes nothing and
// returns false if the collection is divided so already, and fails if it is divided in another way. The index of a
// collection that has documents may take long; ctx bounds it.
func (r *Router) Divide(ctx context.Context, database string, key ShardKey) (bool, error) {
	namespace := database + "." + key.Collection
	if done, err := r.divided(ctx, namespace, key); done || err != nil {
		return false, err
	}
	admin := r.client.Database("admin")
	if err := admin.RunCommand(ctx, bson.D{{Key: "enableSharding", Value: database}}).Err(); err != nil {
		return false, r.failed(ctx, "enableSharding "+database, err)
	}
	// An empty collection would get it from the next command, and one with documents would be refused.
	index := mongo.IndexModel{Keys: key.pattern(), Options: options.Index().SetName(key.Field + "_" + hashed)}
	if _, err := r.client.Database(database).Collection(key.Collection).Indexes().CreateOne(ctx, index); err != nil {
		return false, r.failed(ctx, "createIndexes "+namespace, err)
	}
	command := bson.D{{Key: "shardCollection", Value: namespace}, {Key: "key", Value: key.pattern()}}
	if err := admin.RunCommand(ctx, command).Err(); err != nil {
		return false, r.failed(ctx, "shardCollection "+namespace, err)
	}
	return true, nil
}

// divided reports whether a collection is divided as a key says, and fails if it is in another way.
func (r *Router) divided(ctx context.Context, namespace string, key ShardKey) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	var is struct {
		Key     bson.D `bson:"key"`
		Dropped bool   `bson:"dropped"`
	}
	err := r.client.Database("config").Collection("collections").
		FindOne(ctx, bson.D{{Key: idField, Value: namespace}}).Decode(&is)
	switch {
	case errors.Is(err, mongo.ErrNoDocuments), err == nil && (is.Dropped || len(is.Key) == 0):
		return false, nil
	case err != nil:
		return false, r.failed(ctx, "config.collections", err)
	case len(is.Key) == 1 && is.Key[0] == key.pattern()[0]:
		return true, nil
	}
	return false, refusal{fmt.Errorf("%s is divided by %v, and the plan has %v; reshardCollection changes it",
		namespace, is.Key, key.pattern())}
}

// unauthorized is the code of MongoDB's refusal for want of a role.
const unauthorized = 13

// failed returns the error of a command that failed.
func (r *Router) failed(ctx context.Context, what string, err error) error {
	var answered mongo.ServerError
	switch {
	case errors.As(err, &answered) && answered.HasErrorCode(unauthorized):
		return refusal{fmt.Errorf("%s: the user may not do this; it needs the roles clusterManager, and dbAdmin on "+
			"the databases of the services: %w", what, err)}
	case errors.As(err, &answered) && !mongo.IsNetworkError(err) && !mongo.IsTimeout(err):
		return refusal{fmt.Errorf("%s: %w", what, err)}
	}
	return unavailable(ctx, fmt.Errorf("%s: %w", what, err))
}
