package mongostore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/internal/floor"
)

// Store is a database of a MongoDB deployment.
type Store struct {
	client   *mongo.Client
	database *mongo.Database
	// timeout bounds one operation of a collection.
	timeout time.Duration

	// readOnly says that the store only reads: it makes no index, and gives no document a key.
	readOnly bool

	// clock is the time of the database, which says how old the id of a new document may be.
	clock *floor.Clock

	// log is the log of changes.
	log *changeLog
}

// Collection makes sure that the collection has an index for each index of the spec. Documents that were stored
// before an index was added to the spec get their keys first; see docstore.Spec. It refuses a collection whose
// documents an early release wrote.
func (s *Store) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	if err := spec.Validate(); err != nil {
		return nil, unavailable(ctx, refusal{err})
	}
	c := s.collection(spec)
	if s.readOnly {
		return s.opened(ctx, c)
	}
	for _, step := range []func(context.Context) error{
		c.checkForm, c.checkMigrated, c.ensureIndexes, c.ensureHistory, s.log.make,
		s.migration(c).run,
	} {
		if err := step(ctx); err != nil {
			return nil, unavailable(ctx, err)
		}
	}
	if !spec.Unlogged {
		s.log.add(c)
	}
	return docstore.Decorate(c, within(s.timeout)), nil
}

// opened returns a collection that only reads what a store has made before.
func (s *Store) opened(ctx context.Context, c *collection) (docstore.Collection, error) {
	err := c.checkForm(ctx)
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	if c.spec.Keys != nil {
		some, err := s.migration(c).some(ctx)
		if err == nil && some {
			err = fmt.Errorf("an earlier release has written records of %s that have no keys of the indexes of this "+
				"one; start a replica of this release, or use the one that wrote them", c.spec.Name)
		}
		if err != nil {
			return nil, unavailable(ctx, err)
		}
	}
	reads := within(s.timeout)
	return docstore.Decorate(c, func(
		ctx context.Context, call docstore.Call, do func(context.Context) error,
	) error {
		if call.Writes() {
			return unavailable(ctx, errReadOnly)
		}
		return reads(ctx, call, do)
	}), nil
}

var errReadOnly = errors.New("mongostore: the database is only read")

// collection returns the collection of a spec, whether it is there or not.
func (s *Store) collection(spec docstore.Spec) *collection {
	return &collection{
		spec: spec, docs: s.database.Collection(spec.Name), clock: s.clock, timeout: s.timeout,
		readOnly:     s.readOnly,
		log:          s.log,
		reservations: s.database.Collection(spec.Name + reservationsSuffix),
		history:      s.database.Collection(spec.Name + historySuffix),
		stamps:       s.database.Collection(spec.Name + stampsSuffix), stamp: stampOf(spec),
	}
}

// migration returns what gives the documents of a collection their keys.
func (s *Store) migration(c *collection) migration {
	return migration{c, s.timeout, bson.NewObjectID().Hex()}
}

// Close ends the work in the background, and closes the connections after the operations in progress have ended.
func (s *Store) Close() error {
	s.log.end()
	return s.client.Disconnect(context.Background())
}

// unavailable returns the error for every failure that has no error of its own in package docstore. It adds the error
// of the context, because the driver does not always say that it was the caller's context that ended.
func unavailable(ctx context.Context, cause error) error {
	switch ended := ctx.Err(); {
	case ended != nil && !errors.Is(cause, ended):
		return fmt.Errorf("%w: %w: %w", docstore.ErrUnavailable, ended, cause)
	case errors.Is(cause, docstore.ErrUnavailable):
		return cause
	}
	return fmt.Errorf("%w: %w", docstore.ErrUnavailable, cause)
}

// within returns what ends each call of a collection within a time, and refuses those of nobody. A server that accepts
// connections and does not respond would keep the call until the context of the whole request ends.
func within(
	timeout time.Duration,
) func(context.Context, docstore.Call, func(context.Context) error) error {
	return func(ctx context.Context, call docstore.Call, do func(context.Context) error) error {
		if err := call.Organisation.Check(); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return do(ctx)
	}
}
