package mongostore

import (
	"context"
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
)

// refusal turns the error of a write into one that docstore defines: a *docstore.DuplicateError if a unique index refused
// the document, and otherwise an error that wraps docstore.ErrUnavailable.
func (c *collection) refusal(ctx context.Context, doc docstore.Document, inserted bool, err error) error {
	if index, ok := namedIndex(err); ok {
		return &docstore.DuplicateError{Index: index}
	}
	// Not every server that speaks MongoDB's protocol names the index. So after any error
	// that came from a server, takenBy looks for another document that has one of the values. The index has already
	// refused the write; this only finds out which index it was.
	var answered mongo.ServerError
	if !errors.As(err, &answered) || ctx.Err() != nil {
		return unavailable(ctx, err)
	}
	index, taken, lookupErr := c.takenBy(ctx, doc, inserted)
	switch {
	case lookupErr != nil:
		return unavailable(ctx, errors.Join(err, lookupErr))
	case taken:
		return &docstore.DuplicateError{Index: index}
	}
	return unavailable(ctx, err)
}

// namedIndex returns the index that MongoDB names in a duplicate key error, whose keyPattern is {"k.policyNumber": 1}.
func namedIndex(err error) (string, bool) {
	var exception mongo.WriteException
	if !mongo.IsDuplicateKeyError(err) || !errors.As(err, &exception) {
		return "", false
	}
	for _, writeError := range exception.WriteErrors {
		pattern, ok := writeError.Raw.Lookup("keyPattern").DocumentOK()
		if !ok {
			continue
		}
		first, err := pattern.IndexErr(0)
		if err != nil {
			continue
		}
		if first.Key() == idField {
			return docstore.IDIndex, true
		}
		return strings.CutPrefix(first.Key(), keyField(""))
	}
	return "", false
}

// takenBy looks for another document that has a unique value of doc, or, if doc is being inserted, its id. It returns the
// index whose value is taken.
func (c *collection) takenBy(ctx context.Context, doc docstore.Document, inserted bool) (index string, taken bool, err error) {
	if inserted {
		if taken, err = c.exists(ctx, bson.D{{Key: idField, Value: binary(doc.ID)}}); taken || err != nil {
			return docstore.IDIndex, taken, err
		}
	}
	for _, index := range c.spec.Indexes {
		value, ok := doc.Keys[index.Name]
		if !ok || !index.Unique {
			continue
		}
		taken, err := c.exists(ctx, bson.D{
			{Key: keyField(index.Name), Value: value},
			{Key: idField, Value: bson.D{{Key: "$ne", Value: binary(doc.ID)}}},
		})
		if taken || err != nil {
			return index.Name, taken, err
		}
	}
	return "", false, nil
}

func (c *collection) exists(ctx context.Context, filter bson.D) (bool, error) {
	err := c.docs.FindOne(ctx, filter, options.FindOne().SetProjection(bson.D{{Key: idField, Value: 1}})).Err()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return false, nil
	}
	return err == nil, err
}
