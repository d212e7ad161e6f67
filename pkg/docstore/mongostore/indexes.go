package mongostore

import (
	"context"
	"errors"
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
	models := []mongo.IndexModel{{
		Keys: bson.D{{Key: unsentField, Value: 1}, {Key: idField, Value: 1}},
		// Only the documents that have the mark are in the index, which at any time are few.
		Options: options.Index().SetName(unsentIndex).SetPartialFilterExpression(bson.D{{Key: unsentField,
			Value: true}}),
	}, {
		Keys: bson.D{{Key: ownerField, Value: 1}, {Key: idField, Value: 1}},
		// Only the documents that have an owner are in the index.
		Options: options.Index().SetName(ownerIndex).SetPartialFilterExpression(bson.D{{Key: ownerField,
			Value: bson.D{{Key: "$gte", Value: ""}}}}),
	}, {
		// It also holds the documents without a stamp.
		Keys:    bson.D{{Key: stampField, Value: 1}, {Key: idField, Value: 1}},
		Options: options.Index().SetName(stampIndex),
	}, {
		Keys:    bson.D{{Key: markField, Value: 1}, {Key: idField, Value: 1}},
		Options: options.Index().SetName(markIndex).SetPartialFilterExpression(marked),
	}}
	for _, index := range c.spec.Indexes {
		if index.Unique {
			continue
		}
		models = append(models, indexModel(index))
	}
	return retried(ctx, func() error {
		_, err := c.docs.Indexes().CreateMany(ctx, models)
		return err
	})
}

// indexModel returns what an index of the spec that is not unique is in MongoDB.
func indexModel(index docstore.Index) mongo.IndexModel {
	field := keyField(index.Name)
	// The id comes second, so that the documents with one value are found in order of id.
	keys := bson.D{{Key: field, Value: 1}, {Key: idField, Value: 1}}
	// Every string is at least the empty one.
	holds := bson.D{{Key: field, Value: bson.D{{Key: "$gte", Value: ""}}}}
	return mongo.IndexModel{Keys: keys, Options: options.Index().SetName(indexName(index)).
		SetPartialFilterExpression(holds)}
}

// checkForm returns an error if the collection holds documents as early releases wrote them, which had no field w.
func (c *collection) checkForm(ctx context.Context) error {
	var any bson.Raw
	err := decode(c.docs.FindOne(ctx, bson.D{}, options.FindOne().SetProjection(bson.D{{Key: writeField, Value: 1}})),
		&any)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil
	}
	if err != nil {
		return err
	}
	if any.Lookup(writeField).IsZero() {
		return refusal{fmt.Errorf("collection %s of database %s holds documents in the form of an early release, "+
			"which this one does not read: "+
			"start with an empty database", c.docs.Name(), c.docs.Database().Name())}
	}
	return nil
}
