package mongostore

import (
	"context"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// Insert reserves the unique values of the document, and then writes the document. What it has reserved is worth
// nothing until the document is there, so a crash between the two leaves nothing wrong.
func (c *collection) Insert(ctx context.Context, who organisation.ID, doc docstore.Document) error {
	if err := c.spec.CheckWrite(who, doc, nil); err != nil {
		return err
	}
	doc = c.spec.Own(who, doc)
	if err := c.floor.Enter(ctx, doc.ID); err != nil {
		return err
	}
	known := true
	defer func() {
		if known {
			c.floor.Leave(doc.ID)
		} else {
			c.floor.Await(doc.ID, func(ctx context.Context) bool { return c.ends(ctx, doc.ID) })
		}
	}()
	reserved, err := c.acquire(ctx, uuidBinary(doc.ID), uniqueKeys(c.spec, doc.Keys))
	if err != nil {
		return err
	}
	written := c.recordOf(doc, 1)
	err = retried(ctx, func() error {
		_, err := c.docs.InsertOne(ctx, written)
		return err
	})
	if err == nil {
		return nil
	}
	unsettled := c.settle(ctx, written, err)
	if unsettled == nil || !mongo.IsDuplicateKeyError(err) {
		known = unsettled == nil
		return unsettled
	}
	// Another document has the id, or a tombstone: a contender thought that this writer had crashed.
	reserved.release(ctx)
	return &docstore.DuplicateError{Index: docstore.IDIndex}
}

// ends makes sure that an insert with an unknown outcome is over, and reports whether it did: the document is there, or
// a tombstone is, by which it is refused.
func (c *collection) ends(ctx context.Context, id uuid.UUID) bool {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	return retried(ctx, func() error {
		_, err := c.bury(ctx, uuidBinary(id))
		return err
	}) == nil
}
