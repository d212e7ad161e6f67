package mongostore

import (
	"context"

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
	// An id that is too old is refused before anything is reserved for it.
	if _, err := c.clock.Enter(doc.ID); err != nil {
		return err
	}
	reserved, err := c.acquire(ctx, uuidBinary(doc.ID), uniqueKeys(c.spec, doc.Keys))
	if err != nil {
		return err
	}
	left, err := c.clock.Enter(doc.ID)
	if err != nil {
		reserved.release(ctx)
		return err
	}
	// What is known to be written only after that was not acknowledged: readers may have gone on after it.
	timed, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	written := c.recordOf(doc, 1)
	err = retried(timed, func() error {
		_, err := c.docs.InsertOne(timed, written)
		return err
	})
	if err == nil {
		return nil
	}
	if unsettled := c.settle(timed, written, err); unsettled == nil || !mongo.IsDuplicateKeyError(err) {
		return unsettled
	}
	// Another document has the id, or a tombstone: a contender thought that this writer had crashed.
	reserved.release(ctx)
	return &docstore.DuplicateError{Index: docstore.IDIndex}
}
