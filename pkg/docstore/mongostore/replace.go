package mongostore

import (
	"cmp"
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// maxRekeys bounds how often a replacement begins anew because contenders took values from the document meanwhile.
const maxRekeys = 32

// Replace is one conditional write as long as the document gets no unique value that it does not have. MongoDB makes
// it atomically on one document, and evaluates the filter again after a conflict, so that exactly one of several
// replacements of a version matches.
func (c *collection) Replace(
	ctx context.Context, who organisation.ID, doc docstore.Document, former *docstore.Former,
) error {
	if err := c.spec.CheckWrite(who, doc, former); err != nil {
		return err
	}
	if doc.Version <= tombstone {
		return docstore.ErrStale
	}
	doc = c.spec.Own(who, doc)
	// A former version is kept for good, so that it must not be that of a document which the writer does not see. Who
	// has no name shares its exchange with nobody, and is not asked.
	if sees, err := c.sees(ctx, who, doc.ID); err != nil || !sees {
		return cmp.Or(err, docstore.ErrStale)
	}
	if err := c.keepFormer(ctx, doc, former); err != nil {
		return err
	}
	next, keys := c.recordOf(doc, doc.Version+1), uniqueKeys(c.spec, doc.Keys)
	filter := bson.D{
		{Key: idField, Value: next.ID}, {Key: versionField, Value: doc.Version}, ownedBy(next.Owner),
	}
	for _, key := range keys {
		filter = append(filter, bson.E{Key: keyField(key.index), Value: key.value})
	}
	done, err := c.replaced(ctx, filter, next)
	if done || err != nil {
		return err
	}
	if len(keys) == 0 {
		return docstore.ErrStale
	}
	return c.rekey(ctx, doc.Version, next, keys)
}

// rekey replaces a version of a document, or finds that it is stale, where the document may get unique values that it
// does not have. It reads the document before it reserves the values, and writes only on what it has read: if a
// contender takes a value after the reservation, it changes the document first, and the write does not match.
//
// The reservations of values that the document gives up stay. A deletion that came late could delete a reservation that
// is in use again.
func (c *collection) rekey(ctx context.Context, version int64, next record, keys []uniqueKey) error {
	for range maxRekeys {
		now, exists, err := c.look(ctx, next.ID)
		if err != nil {
			return unavailable(ctx, err)
		}
		if !exists || now.Version != version || now.Owner != next.Owner {
			return docstore.ErrStale
		}
		var wanted []uniqueKey
		for _, key := range keys {
			if !now.has(key) {
				wanted = append(wanted, key)
			}
		}
		reserved, err := c.acquire(ctx, next.ID, wanted)
		if err != nil {
			return err
		}
		done, err := c.replaced(ctx, now.filter(), next)
		if done || err != nil {
			return err
		}
		reserved.release(ctx)
		if err := pause(ctx, firstPoll); err != nil {
			return err
		}
	}
	return unavailable(ctx, errors.New("contenders took values from the document at every try to replace it"))
}

// replaced replaces what a filter selects, and reports whether it selected anything.
func (c *collection) replaced(ctx context.Context, filter bson.D, next record) (bool, error) {
	update, err := next.replacement()
	if err != nil {
		return false, unavailable(ctx, err)
	}
	done, err := updated(ctx, c.docs, filter, update)
	if err != nil {
		return true, c.settle(ctx, next, err)
	}
	return done, nil
}
