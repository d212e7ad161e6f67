package mongostore

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/internal/backfill"
)

// stampsSuffix ends the name of the collection that says what the stamps of a collection stand for.
const stampsSuffix = ".stamps"

// stampRecord is what a stamp stands for. It is written once.
type stampRecord struct {
	Stamp  string   `bson:"_id"`
	Labels []string `bson:"indexes"`
}

// logLabel stands, among the labels of a stamp, for the mark of the log of changes. No index has such a name.
const logLabel = "(log)"

// labels returns what the stamp of a collection stands for.
func labels(spec docstore.Spec) []string {
	return backfill.Union(backfill.Labels(spec), []string{logLabel})
}

// keepStamps keeps what the collection's own stamp stands for, and what documents without a stamp have, which an
// earlier release wrote: the keys of all plain indexes that are there before this release has created any, and all
// unique values.
func (c *collection) keepStamps(ctx context.Context) error {
	if err := c.keepStamp(ctx, c.stamp, labels(c.spec)); err != nil {
		return err
	}
	// The order matters if replicas start at once: a replica that sees an index which another has created finds what
	// the other has stored before that.
	there, err := c.docs.Indexes().ListSpecifications(ctx)
	if err != nil {
		return err
	}
	held := docstore.Spec{Name: c.spec.Name}
	for _, index := range c.spec.Indexes {
		named := func(s mongo.IndexSpecification) bool { return s.Name == indexName(index) }
		if index.Unique || slices.ContainsFunc(there, named) {
			index.Form = "" // which form the values have that are there, nobody has kept
			held.Indexes = append(held.Indexes, index)
		}
	}
	return c.keepStamp(ctx, backfill.Unstamped, backfill.Labels(held))
}

// keepStamp keeps what a stamp stands for, unless it is known.
func (c *collection) keepStamp(ctx context.Context, stamp string, labels []string) error {
	return retried(ctx, func() error {
		_, err := c.stamps.UpdateOne(ctx, bson.D{{Key: idField, Value: stamp}},
			bson.D{{Key: "$setOnInsert",
				Value: bson.D{{Key: "indexes", Value: labels}}}}, options.UpdateOne().SetUpsert(true))
		if mongo.IsDuplicateKeyError(err) {
			return nil // another replica came first, with the same
		}
		return err
	})
}

func (s stale) Labels(ctx context.Context, stamp string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	var found stampRecord
	err := decode(s.stamps.FindOne(ctx, bson.D{{Key: idField, Value: stamp}}), &found)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	return found.Labels, nil
}
