package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
)

// The names of the index of the outbox, of that of the owners, of that of the stamps, of that of the marks for the log
// of changes, and of the one that every collection has.
const (
	ownerIndex  = "owned"
	unsentIndex = "unsent"
	stampIndex  = "stamp"
	markIndex   = "marked"
	idIndex     = "_id_"
)

// indexName returns the name of an index that is not unique. A unique index is the _id of the reservations.
func indexName(index docstore.Index) string { return "by_" + index.Name }

// ensureIndexes creates the indexes that are missing, and waits until they are built. It asks for all of them, also
// for those that a list would show: a list also shows an index that another replica is still building.
func (c *collection) ensureIndexes(ctx context.Context) error {
	models := []mongo.IndexModel{
		// Only the documents that have the mark are in the index, which at any time are few.
		indexModel(unsentIndex, valueAndID(unsentField), bson.D{{Key: unsentField, Value: true}}),
		// Only the documents that have an owner are in the index.
		indexModel(ownerIndex, valueAndID(ownerField), hasText(ownerField)),
		// It also holds the documents without a stamp.
		indexModel(stampIndex, valueAndID(stampField), nil),
		indexModel(markIndex, valueAndID(markField), marked),
	}
	for _, index := range c.spec.Indexes {
		if field := keyField(index.Name); !index.Unique {
			models = append(models, indexModel(indexName(index), valueAndID(field), hasText(field)))
		}
	}
	return createIndexes(ctx, c.docs, models...)
}

func createIndexes(ctx context.Context, in *mongo.Collection, models ...mongo.IndexModel) error {
	return retried(ctx, func() error {
		_, err := in.Indexes().CreateMany(ctx, models)
		return err
	})
}

// indexModel returns an index, which holds the documents that a condition selects; all of them for nil.
func indexModel(name string, keys, holds bson.D) mongo.IndexModel {
	how := options.Index().SetName(name)
	if holds != nil {
		how.SetPartialFilterExpression(holds)
	}
	return mongo.IndexModel{Keys: keys, Options: how}
}

// valueAndID are the keys of an index of a field. The id comes second, so that the documents with one value are found
// in order of id.
func valueAndID(field string) bson.D {
	return bson.D{{Key: field, Value: 1}, {Key: idField, Value: 1}}
}

// hasText is the condition that a field has a text: every one is at least the empty one.
func hasText(field string) bson.D {
	return bson.D{{Key: field, Value: bson.D{{Key: "$gte", Value: ""}}}}
}

// checkForm returns an error if the collection holds documents as early releases wrote them, which had no field w.
func (c *collection) checkForm(ctx context.Context) error {
	some, exists, err := one[record](ctx, c.docs, bson.D{},
		options.FindOne().SetProjection(bson.D{{Key: writeField, Value: 1}}))
	if err == nil && exists && some.Write.IsZero() {
		err = refusal{fmt.Errorf("collection %s of database %s holds documents in the form of an early release, "+
			"which this one does not read: "+
			"start with an empty database", c.docs.Name(), c.docs.Database().Name())}
	}
	return err
}
