// Package mongostore keeps documents in MongoDB: the store of production. It asks for nothing that a sharded cluster, or
// a server that speaks MongoDB's protocol without all of its features, lacks: no transactions, change streams, TTL or
// partial indexes. README.md has the shape of a document, the indexes, the concerns and the sharding plan.
package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"insurance.example/exchange/pkg/docstore"
)

// Store is a database of a MongoDB deployment.
type Store struct {
	client   *mongo.Client
	database *mongo.Database
}

// Open connects to the deployment at uri ("mongodb://...") and returns the database of this name, once the deployment
// has answered. The concerns are the store's own, whatever the uri says: its guarantees rest on them. Errors:
// docstore.ErrUnavailable, also for a uri that cannot be read.
func Open(ctx context.Context, uri, database string) (*Store, error) {
	// A write is acknowledged once a majority has it in its journal, so no failover takes it back. A read sees only
	// such writes, and asks the primary, so it sees all those that were acknowledged before it.
	journaled := true
	client, err := mongo.Connect(options.Client().ApplyURI(uri).
		SetWriteConcern(&writeconcern.WriteConcern{W: writeconcern.WCMajority, Journal: &journaled}).
		SetReadConcern(readconcern.Majority()).
		SetReadPreference(readpref.Primary()))
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	s := &Store{client: client, database: client.Database(database)}
	if err := s.Ping(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Collection makes sure that the collection has an index for each index of the spec. An index that was added to the
// spec later holds the documents that are stored from then on; the earlier ones count as without a value.
func (s *Store) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	if err := spec.Validate(); err != nil {
		return nil, unavailable(ctx, err)
	}
	c := &collection{spec: spec, docs: s.database.Collection(spec.Name)}
	if err := c.ensureIndexes(ctx); err != nil {
		return nil, unavailable(ctx, err)
	}
	return c, nil
}

// Ping asks the primary for an answer.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.client.Ping(ctx, readpref.Primary()); err != nil {
		return unavailable(ctx, err)
	}
	return nil
}

// Close ends the connections, after the operations under way.
func (s *Store) Close() error {
	return s.client.Disconnect(context.Background())
}

// unavailable is the error of whatever the interface has no word for. The driver does not always say that it was the
// caller's context that ended.
func unavailable(ctx context.Context, cause error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(cause, ended) {
		return fmt.Errorf("%w: %w: %w", docstore.ErrUnavailable, ended, cause)
	}
	return fmt.Errorf("%w: %w", docstore.ErrUnavailable, cause)
}
