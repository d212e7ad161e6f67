package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"insurance.example/exchange/pkg/docstore"
)

// Insert reserves the unique values of the document, and then writes the document. What it has reserved is worth
// nothing until the document is there, so a crash between the two leaves nothing wrong.
func (c *collection) Insert(ctx context.Context, doc docstore.Document) error {
	if err := c.spec.CheckWrite(doc, nil); err != nil {
		return err
	}
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
		return unsettled
	}
	// Another document has the id, or a tombstone: a contender thought that this writer had crashed.
	reserved.release(ctx)
	return &docstore.DuplicateError{Index: docstore.IDIndex}
}
