package mongostore

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
)

// withoutKeys is the projection of every read: the whole record except its keys.
var withoutKeys = bson.D{{Key: keysField, Value: 0}}

// inOrder sorts by id.
var inOrder = bson.D{{Key: idField, Value: 1}}

type collection struct {
	spec docstore.Spec
	docs *mongo.Collection
	// history holds the former versions of the documents.
	history *mongo.Collection
}

func (c *collection) Insert(ctx context.Context, doc docstore.Document) error {
	if err := c.spec.CheckWrite(doc, nil); err != nil {
		return err
	}
	if _, err := c.docs.InsertOne(ctx, recordOf(c.spec, doc, 1)); err != nil {
		return c.refusal(ctx, doc, true, err)
	}
	return nil
}

func (c *collection) Get(ctx context.Context, id uuid.UUID) (docstore.Document, error) {
	var r record
	err := c.docs.FindOne(ctx, bson.D{{Key: idField, Value: binary(id)}}, options.FindOne().SetProjection(withoutKeys)).Decode(&r)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return docstore.Document{}, docstore.ErrNotFound
	}
	if err != nil {
		return docstore.Document{}, unavailable(ctx, err)
	}
	return r.document(), nil
}

func (c *collection) Replace(ctx context.Context, doc docstore.Document, former *docstore.Former) error {
	if err := c.spec.CheckWrite(doc, former); err != nil {
		return err
	}
	if err := c.keepFormer(ctx, doc.ID, former); err != nil {
		return err
	}
	// MongoDB replaces one document atomically. If another replace came first, it evaluates the filter again.
	result, err := c.docs.ReplaceOne(ctx, version(doc.ID, doc.Version), recordOf(c.spec, doc, doc.Version+1))
	if err != nil {
		return c.refusal(ctx, doc, false, err)
	}
	if result.MatchedCount == 0 {
		return docstore.ErrStale
	}
	return nil
}

func (c *collection) Find(ctx context.Context, q docstore.Query) ([]docstore.Document, error) {
	if err := c.spec.CheckQuery(q); err != nil {
		return nil, unavailable(ctx, err)
	}
	page := options.Find().SetSkip(int64(q.Skip))
	if lead, ok := c.spec.Driving(q); ok {
		page.SetHint(indexName(lead))
	}
	return c.list(ctx, filter(c.spec, q), q.Limit, page)
}

func (c *collection) Unsent(ctx context.Context, after uuid.UUID, limit int) ([]docstore.Document, error) {
	marked := bson.D{{Key: unsentField, Value: true}, {Key: idField, Value: bson.D{{Key: "$gt", Value: binary(after)}}}}
	return c.list(ctx, marked, limit, options.Find().SetHint(unsentIndex))
}

// list returns up to limit documents in order of id, in one batch.
func (c *collection) list(
	ctx context.Context, filter bson.D, limit int, page *options.FindOptionsBuilder,
) ([]docstore.Document, error) {
	page.SetSort(inOrder).SetLimit(int64(limit)).SetBatchSize(int32(limit)).SetProjection(withoutKeys)
	cursor, err := c.docs.Find(ctx, filter, page)
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	var records []record
	if err := cursor.All(ctx, &records); err != nil {
		return nil, unavailable(ctx, err)
	}
	docs := make([]docstore.Document, len(records))
	for i, r := range records {
		docs[i] = r.document()
	}
	return docs, nil
}

func (c *collection) Sent(ctx context.Context, refs []docstore.Ref) error {
	if len(refs) == 0 {
		return nil
	}
	writes := make([]mongo.WriteModel, 0, len(refs))
	for _, ref := range refs {
		writes = append(writes, mongo.NewUpdateOneModel().SetFilter(version(ref.ID, ref.Version)).
			SetUpdate(bson.D{{Key: "$set", Value: bson.D{{Key: unsentField, Value: false}}}}))
	}
	if _, err := c.docs.BulkWrite(ctx, writes, options.BulkWrite().SetOrdered(false)); err != nil {
		return unavailable(ctx, err)
	}
	return nil
}

// version selects a document if it still is at this version.
func version(id uuid.UUID, v int64) bson.D {
	return bson.D{{Key: idField, Value: binary(id)}, {Key: versionField, Value: v}}
}

// filter returns the conditions of a query. All are comparisons with strings. In MongoDB only strings satisfy such a
// comparison, so neither an absent field matches nor the id that stands for an absent unique key.
func filter(spec docstore.Spec, q docstore.Query) bson.D {
	var conditions bson.A
	add := func(field, operator string, value any) {
		conditions = append(conditions, bson.D{{Key: field, Value: bson.D{{Key: operator, Value: value}}}})
	}
	for _, index := range spec.Indexes {
		if value, ok := q.Equal[index.Name]; ok {
			add(keyField(index.Name), "$eq", value)
		}
	}
	for _, r := range q.Ranges {
		// Without any bound this condition still leaves out the documents that have no value.
		add(keyField(r.Index), "$gte", r.From)
		if r.To != "" {
			add(keyField(r.Index), "$lte", r.To)
		}
	}
	if q.After != uuid.Nil {
		add(idField, "$gt", binary(q.After))
	}
	if conditions == nil {
		return bson.D{}
	}
	return bson.D{{Key: "$and", Value: conditions}}
}
