package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
)

// unsentIndex is the name of the index of the outbox.
const unsentIndex = "unsent"

// fillBatch is the number of documents that get a missing value in one bulk write.
const fillBatch = 500

// indexName returns the name of an index. A unique index and a plain one have different names, because MongoDB refuses to
// turn one into the other under the same name.
func indexName(index docstore.Index) string {
	if index.Unique {
		return "unique_" + index.Name
	}
	return "by_" + index.Name
}

// ensureIndexes creates the indexes that are missing.
func (c *collection) ensureIndexes(ctx context.Context) error {
	has, err := indexNames(ctx, c.docs)
	if err != nil {
		return err
	}
	var models []mongo.IndexModel
	if !has[unsentIndex] {
		models = append(models, mongo.IndexModel{
			Keys:    bson.D{{Key: unsentField, Value: 1}, {Key: idField, Value: 1}},
			Options: options.Index().SetName(unsentIndex),
		})
	}
	for _, index := range c.spec.Indexes {
		if has[indexName(index)] {
			continue
		}
		keys := bson.D{{Key: keyField(index.Name), Value: 1}}
		if index.Unique {
			if err := c.fill(ctx, index); err != nil {
				return fmt.Errorf("prepare %s for its unique index %s: %w", c.spec.Name, index.Name, err)
			}
		} else {
			// The id comes second, so that the documents with one value are found in order of id.
			keys = append(keys, bson.E{Key: idField, Value: 1})
		}
		models = append(models, mongo.IndexModel{
			Keys:    keys,
			Options: options.Index().SetName(indexName(index)).SetUnique(index.Unique),
		})
	}
	if len(models) == 0 {
		return nil
	}
	_, err = c.docs.Indexes().CreateMany(ctx, models)
	return err
}

// indexNames returns the names of the indexes that a collection has.
func indexNames(ctx context.Context, of *mongo.Collection) (map[string]bool, error) {
	specifications, err := of.Indexes().ListSpecifications(ctx)
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool, len(specifications))
	for _, s := range specifications {
		names[s.Name] = true
	}
	return names, nil
}

// fill prepares a collection for a new unique index. The documents that were stored before the index was in the spec get
// the value that stands for an absent key.
func (c *collection) fill(ctx context.Context, index docstore.Index) error {
	field := keyField(index.Name)
	missing := bson.D{{Key: field, Value: bson.D{{Key: "$exists", Value: false}}}}
	for {
		var records []record
		cursor, err := c.docs.Find(ctx, missing,
			options.Find().SetLimit(fillBatch).SetProjection(bson.D{{Key: idField, Value: 1}}))
		if err != nil {
			return err
		}
		if err := cursor.All(ctx, &records); err != nil {
			return err
		}
		if len(records) == 0 {
			return nil
		}
		writes := make([]mongo.WriteModel, 0, len(records))
		for _, r := range records {
			// The condition is repeated, because the document may have been replaced meanwhile.
			filter := append(bson.D{{Key: idField, Value: r.ID}}, missing...)
			set := bson.D{{Key: "$set", Value: bson.D{{Key: field, Value: r.ID}}}}
			writes = append(writes, mongo.NewUpdateOneModel().SetFilter(filter).SetUpdate(set))
		}
		if _, err := c.docs.BulkWrite(ctx, writes); err != nil {
			return err
		}
	}
}
