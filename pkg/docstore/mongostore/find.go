package mongostore

import (
	"bytes"
	"context"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/internal/floor"
	"insurance.example/exchange/pkg/organisation"
)

// The orders of ids.
var (
	inOrder  = bson.D{{Key: idField, Value: 1}}
	reversed = bson.D{{Key: idField, Value: -1}}
)

// order is the order of a query: how it sorts, the comparison with the id to begin after, and that with the last id.
// after is the id to begin after, also where the query begins with the first, and last one that no id comes after.
type order struct {
	sort          bson.D
	beyond, until string
	after, last   uuid.UUID
}

func orderOf(q docstore.Query) order {
	if !q.Descending {
		return order{inOrder, "$gt", "$lte", q.After, uuid.Max}
	}
	o := order{reversed, "$lt", "$gte", q.After, uuid.Nil}
	if q.After == uuid.Nil {
		o.after = uuid.Max
	}
	return o
}

func (c *collection) Find(ctx context.Context, who organisation.ID, q docstore.Query) ([]docstore.Document, error) {
	if err := c.spec.CheckQuery(q); err != nil {
		return nil, unavailable(ctx, err)
	}
	q = c.spec.Within(who, q)
	if c.readOnly {
		return c.search(ctx, who, q)
	}
	return floor.Find(ctx, c.clock, q, func() ([]docstore.Document, error) { return c.search(ctx, who, q) })
}

// search finds the documents of a query that the store can serve.
func (c *collection) search(
	ctx context.Context, who organisation.ID, q docstore.Query,
) ([]docstore.Document, error) {
	page := options.Find().SetSkip(int64(q.Skip)).SetSort(orderOf(q).sort)
	index, ok := c.spec.Driving(q)
	page.SetProjection(stateless)
	if q.WithState {
		page.SetProjection(shown)
	}
	if ok && index.Unique {
		return c.findHolder(ctx, who, index, q, page)
	}
	if ok {
		if docs, done, err := c.findDense(ctx, who, index, q, page); done || err != nil {
			return docs, err
		}
		page.SetHint(indexName(index))
	} else if who.Name() != "" {
		page.SetHint(ownerIndex)
	}
	return c.list(ctx, filter(c.spec, who, q), q.Limit, q.Bytes, page)
}

// findHolder finds the one document that can have a unique value: the holder of the reservation of it. The value has
// no other index. If the holder does not have the value, no document had it at some instant since the reservation was
// read, because the reservation changes its holder only while the holder does not have it.
//
// The holder of a global value may be another organisation's. So the same is then asked where there is no holder: how
// many questions there are would show that there is one.
func (c *collection) findHolder(
	ctx context.Context, who organisation.ID, index docstore.Index, q docstore.Query, page *options.FindOptionsBuilder,
) ([]docstore.Document, error) {
	current, reserved, err := c.reserved(ctx, reservationID(index.Name, q.Equal[index.Name]))
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	o := orderOf(q)
	position := bytes.Compare(current.Owner.Data, o.after[:])
	if q.Descending {
		position = -position
	}
	if !reserved || position <= 0 {
		if who.Name() == "" {
			return nil, nil
		}
		current.Owner = uuidBinary(uuid.Nil) // which no document has
	}
	if who.Name() != "" {
		page.SetHint(ownerIndex)
	}
	// The id alone names the shard; a second condition on it would hide that.
	q.After = uuid.Nil
	return c.list(ctx, append(bson.D{{Key: idField, Value: current.Owner}}, filter(c.spec, who, q)...), q.Limit,
		q.Bytes, page)
}

// list returns up to limit documents in the order of page, in one batch if it fits into what MongoDB sends at once (16
// MiB). bytes is docstore.Query.Bytes; when it ends the find, no further batch is requested.
func (c *collection) list(
	ctx context.Context, filter bson.D, limit, bytes int, page *options.FindOptionsBuilder,
) ([]docstore.Document, error) {
	page.SetLimit(int64(limit)).SetBatchSize(int32(limit))
	var docs []docstore.Document
	size := 0
	err := each(ctx, c.docs, filter, page, func(r record) (more bool, err error) {
		doc := r.document()
		size += len(doc.Body) + len(doc.State)
		if more = bytes == 0 || size <= bytes || len(docs) == 0; !more {
			doc.Body, doc.State, doc.Digest = nil, nil, nil
		}
		docs = append(docs, doc)
		return more, nil
	})
	if err != nil {
		return nil, err
	}
	return docs, nil
}

// filter returns the conditions of a query, and that the documents are seen by who asks. Each condition on a key is a
// comparison with a string: only a string satisfies it, so that no document without the key is selected, and it
// implies the condition of the key's partial index, so that the index may be used.
func filter(spec docstore.Spec, who organisation.ID, q docstore.Query) bson.D {
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
	if conditions == nil {
		// A tombstone has no keys, so that no condition on a key selects one.
		add(versionField, "$gt", int64(tombstone))
	}
	if q.After != uuid.Nil {
		add(idField, orderOf(q).beyond, uuidBinary(q.After))
	}
	if !who.All() {
		conditions = append(conditions, bson.D{ownedBy(who.Name())})
	}
	return bson.D{{Key: "$and", Value: conditions}}
}
