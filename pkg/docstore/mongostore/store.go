// Package mongostore keeps documents in MongoDB. It is the store for production. It uses no transactions, change streams or
// TTL indexes, so that it works alike on a replica set, on a sharded cluster and on servers that speak MongoDB's protocol
// without all of its features. README.md describes the shape of a document, how values are kept unique, the indexes, the
// read and write concerns, and how it is sharded.
package mongostore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"insurance.example/exchange/pkg/docstore"
)

// Store is a database of a MongoDB deployment.
type Store struct {
	client   *mongo.Client
	database *mongo.Database
	// timeout bounds one operation of a collection.
	timeout time.Duration
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
	return &bounded{collection: c, timeout: s.timeout}, nil
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
