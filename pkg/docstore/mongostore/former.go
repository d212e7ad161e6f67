package mongostore

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore/internal/bsonjson"
)

// formerRecord is a former version of a document as MongoDB holds it, in a collection of its own. Its _id makes sure that it
// is written once.
type formerRecord struct {
	ID    formerID      `bson:"_id"`
	Key   string        `bson:"key,omitempty"`
	Body  bsonjson.Text `bson:"body"`
	State bsonjson.Text `bson:"state,omitempty"`
}

type formerID struct {
	Document bson.Binary `bson:"doc"`
	Version  int64       `bson:"v"`
}

// The names of a former version's fields in filters and indexes.
const (
	formerDocumentField = "_id.doc"
	formerVersionField  = "_id.v"
	formerKeyField      = "key"
	formerBodyField     = "body"
)

// historyName is the name of the collection of the former versions. No collection of a spec may have such a name.
func historyName(collection string) string { return collection + "_history" }

// The names of the indexes of former versions: by version, and by version among those with a key.
const (
	formersIndex   = "by_version"
	formerKeyIndex = "by_key"
)

// ensureHistory creates the indexes of the former versions that are missing.
func (c *collection) ensureHistory(ctx context.Context) error {
	has, err := indexNames(ctx, c.history)
	if err != nil {
		return err
	}
	var models []mongo.IndexModel
	for name, fields := range map[string][]string{
		formersIndex:   {formerDocumentField, formerVersionField},
		formerKeyIndex: {formerDocumentField, formerKeyField, formerVersionField},
	} {
		if has[name] {
			continue
		}
		var keys bson.D
		for _, field := range fields {
			keys = append(keys, bson.E{Key: field, Value: 1})
		}
		models = append(models, mongo.IndexModel{Keys: keys, Options: options.Index().SetName(name)})
	}
	if len(models) == 0 {
		return nil
	}
	_, err = c.history.Indexes().CreateMany(ctx, models)
	return err
}

// keepFormer writes a former version, if there is one to be kept. It comes before the replacement: if that does not follow,
// the former version is still what the document was.
func (c *collection) keepFormer(ctx context.Context, id uuid.UUID, former *docstore.Former) error {
	if former == nil {
		return nil
	}
	_, err := c.history.InsertOne(ctx, formerRecord{
		ID: formerID{binary(id), former.Version}, Key: former.Key, Body: former.Body, State: former.State,
	})
	if err != nil && !mongo.IsDuplicateKeyError(err) {
		return unavailable(ctx, err)
	}
	return nil
}

func (c *collection) Former(ctx context.Context, id uuid.UUID, version int64) (docstore.Former, error) {
	return c.oneFormer(ctx, bson.D{{Key: idField, Value: formerID{binary(id), version}}}, options.FindOne())
}

func (c *collection) FormerByKey(ctx context.Context, id uuid.UUID, key string) (docstore.Former, error) {
	return c.oneFormer(ctx,
		bson.D{{Key: formerDocumentField, Value: binary(id)}, {Key: formerKeyField, Value: key}},
		options.FindOne().SetSort(bson.D{{Key: formerVersionField, Value: -1}}).SetProjection(bson.D{{Key: formerBodyField, Value: 0}}))
}

func (c *collection) oneFormer(ctx context.Context, filter bson.D, which *options.FindOneOptionsBuilder) (docstore.Former, error) {
	var r formerRecord
	err := c.history.FindOne(ctx, filter, which).Decode(&r)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return docstore.Former{}, docstore.ErrNotFound
	}
	if err != nil {
		return docstore.Former{}, unavailable(ctx, err)
	}
	return r.former(), nil
}

func (c *collection) Formers(ctx context.Context, id uuid.UUID, after int64, limit int) ([]docstore.Former, error) {
	if limit < 1 {
		return nil, unavailable(ctx, errors.New("a page of former versions needs a limit"))
	}
	filter := bson.D{
		{Key: formerDocumentField, Value: binary(id)},
		{Key: formerVersionField, Value: bson.D{{Key: "$gt", Value: after}}},
	}
	cursor, err := c.history.Find(ctx, filter, options.Find().SetSort(bson.D{{Key: formerVersionField, Value: 1}}).
		SetLimit(int64(limit)).SetBatchSize(int32(limit)).SetProjection(bson.D{{Key: formerBodyField, Value: 0}}))
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	var records []formerRecord
	if err := cursor.All(ctx, &records); err != nil {
		return nil, unavailable(ctx, err)
	}
	formers := make([]docstore.Former, len(records))
	for i, r := range records {
		formers[i] = r.former()
	}
	return formers, nil
}

// former returns the record as readers get it.
func (r formerRecord) former() docstore.Former {
	return docstore.Former{Version: r.ID.Version, Key: r.Key, Body: r.Body, State: r.State}
}
