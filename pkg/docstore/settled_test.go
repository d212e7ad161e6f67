package docstore_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// intruded is a collection into which others insert after its first find.
type intruded struct {
	docstore.Collection
	others []docstore.Document
}

func (c *intruded) Find(
	ctx context.Context, who organisation.ID, q docstore.Query,
) ([]docstore.Document, error) {
	docs, err := c.Collection.Find(ctx, who, q)
	for _, other := range c.others {
		if err == nil {
			err = c.Insert(ctx, who, other)
		}
	}
	c.others = nil
	return docs, err
}

// TestASettledPageHasAllThatWasThere inserts documents with lesser ids while the page is read: the last document that
// was there before is on it, or on one that is said to follow.
func TestASettledPageHasAllThatWasThere(t *testing.T) {
	for _, limit := range []int{10, 4} {
		c := &intruded{Collection: opened(t)}
		var made []docstore.Document
		for range 6 {
			made = append(made, docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: []byte("{}")})
		}
		for _, i := range []int{1, 3, 5} {
			if err := c.Insert(t.Context(), organisation.Sole(), made[i]); err != nil {
				t.Fatal(err)
			}
		}
		c.others = []docstore.Document{made[0], made[2], made[4]}
		docs, more, err := docstore.FindSettled(t.Context(), c, organisation.Sole(), docstore.Query{Limit: limit})
		want := min(limit, len(made))
		if err != nil || len(docs) != want || docs[want-1].ID != made[want-1].ID || more != (limit < len(made)) {
			t.Errorf("of at most %d: %d documents, more %v, error %v", limit, len(docs), more, err)
		}
	}
}
