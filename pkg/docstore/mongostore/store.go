// Package mongostore keeps documents in MongoDB. It is the store for production. It uses no transactions, change streams or
// TTL indexes, so that it works alike on a replica set, on a sharded cluster and on servers that speak MongoDB's protocol
// without all of its features. README.md describes the shape of a document, how values are kept unique, the indexes, the
// read and write concerns, and how it is sharded.
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
// has responded. The store sets its read and write concerns itself and ignores those in the uri, because its guarantees
// depend on them. Every error wraps docstore.ErrUnavailable, also that of a uri that cannot be parsed.
func Open(ctx context.Context, uri, database string) (*Store, error) {
	// A write is acknowledged once a majority has it in its journal, so that no failover undoes it. A read goes to the
	// primary and sees only such writes, so that it sees all those that were acknowledged before it.
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
// spec later holds the documents that are stored from then on; the earlier ones count as without a value. It refuses a
// collection whose documents an early release wrote.
func (s *Store) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	if err := spec.Validate(); err != nil {
		return nil, unavailable(ctx, err)
	}
	c := &collection{
		spec: spec, docs: s.database.Collection(spec.Name),
		claims: s.database.Collection(spec.Name + claimsSuffix), history: s.database.Collection(spec.Name + historySuffix),
	}
	for _, step := range []func(context.Context) error{c.checkForm, c.ensureIndexes, c.ensureHistory} {
		if err := step(ctx); err != nil {
			return nil, unavailable(ctx, err)
		}
	}
	return c, nil
}

// Ping returns nil if the primary responds. Its errors wrap docstore.ErrUnavailable.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.client.Ping(ctx, readpref.Primary()); err != nil {
		return unavailable(ctx, err)
	}
	return nil
}

// Close closes the connections after the operations in progress have ended.
func (s *Store) Close() error {
	return s.client.Disconnect(context.Background())
}

// unavailable returns the error for every failure that has no error of its own in package docstore. It adds the error of
// the context, because the driver does not always say that it was the caller's context that ended.
func unavailable(ctx context.Context, cause error) error {
	if ended := ctx.Err(); ended != nil && !errors.Is(cause, ended) {
		return fmt.Errorf("%w: %w: %w", docstore.ErrUnavailable, ended, cause)
	}
	return fmt.Errorf("%w: %w", docstore.ErrUnavailable, cause)
}
