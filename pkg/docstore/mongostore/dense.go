package mongostore

import (
	"context"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// fewInRange is the number of documents in a range up to which they are all read and sorted by _id.
const fewInRange = 500

// findDense finds the documents of a range that holds many, in order of _id. It reads the documents that follow in
// order of _id and keeps those in the range: where a range holds many, a page of it is usually found among the next few
// thousand. The index of the range would return them in order of their values, and all of them would have to be sorted
// for one page. done is false if the query has no such range, or if no page was found in this way; the caller then
// sorts all of them.
func (c *collection) findDense(
	ctx context.Context, who organisation.ID, lead docstore.Index, q docstore.Query, page *options.FindOptionsBuilder,
) (found []docstore.Document, done bool, err error) {
	if _, equal := q.Equal[lead.Name]; equal {
		return nil, false, nil
	}
	ranges := docstore.Query{}
	for _, r := range q.Ranges {
		if r.Index == lead.Name {
			ranges.Ranges = append(ranges.Ranges, r)
		}
	}
	beyond := options.FindOne().SetHint(indexName(lead)).SetSkip(fewInRange).SetProjection(onlyID)
	if _, many, err := one[record](ctx, c.docs, filter(c.spec, who, ranges), beyond); err != nil || !many {
		return nil, false, err
	}
	o := orderOf(q)
	next := bson.D{{Key: idField, Value: bson.D{{Key: o.beyond, Value: uuidBinary(o.after)}}}}
	along := idIndex
	if who.Name() != "" {
		along, next = ownerIndex, append(next, ownedBy(who.Name()))
	}
	last, more, err := one[record](ctx, c.docs, next, options.FindOne().SetHint(along).SetSort(o.sort).
		SetSkip(docstore.NearWindow-1).SetProjection(onlyID))
	if err != nil {
		return nil, false, err
	}
	within := filter(c.spec, who, q)
	if more {
		within = append(within, bson.E{Key: idField, Value: bson.D{{Key: o.until, Value: last.ID}}})
	}
	found, err = c.list(ctx, within, q.Limit, q.Bytes, page.SetHint(along))
	done = q.Followed(found)
	if q.Near && more && !done && err == nil {
		found = append(found, docstore.Document{ID: uuid.UUID(last.ID.Data)})
	}
	return found, done || q.Near || !more, err
}
