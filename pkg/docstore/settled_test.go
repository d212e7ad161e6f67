package docstore_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// cutting is a collection of three documents whose settled pages end before the second one, which a write under way may
// precede, until a page begins with it.
type cutting struct{ docstore.Collection }

func (cutting) Find(_ context.Context, _ organisation.ID, q docstore.Query) (docs []docstore.Document, err error) {
	for n := byte(1); n <= 3; n++ {
		if id := (uuid.UUID{15: n}); q.After.String() < id.String() && len(docs) < q.Limit {
			docs = append(docs, docstore.Document{ID: id, Version: 1, Body: []byte("{}")})
		}
	}
	if q.Limit == 3 {
		docs[1].Body = nil
		docs = docs[:2]
	}
	return docs, nil
}

// TestASettledPageHasTheYoungest has a page that is settled in two steps.
func TestASettledPageHasTheYoungest(t *testing.T) {
	docs, more, err := docstore.FindSettled(t.Context(), cutting{}, organisation.ID{}, docstore.Query{Limit: 10})
	if err != nil || more || len(docs) != 3 || docs[2].ID != (uuid.UUID{15: 3}) {
		t.Errorf("%d documents, more: %v, error %v", len(docs), more, err)
	}
}
