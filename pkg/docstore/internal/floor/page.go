package floor

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// Settler raises a floor.
type Settler interface {
	// Least returns an id below which every write has ended.
	Least() uuid.UUID
	// Settle returns an id below which every write has ended by now: one beyond first at least, and beyond last if it
	// need not wait for that.
	Settle(ctx context.Context, first, last uuid.UUID) (uuid.UUID, error)
}

// Find makes a find as Query.Settled says. A page that may be followed by another is read again once its place is
// settled, and is cut where it is not. Errors: those of find, docstore.ErrUnavailable.
func Find(
	ctx context.Context, s Settler, q docstore.Query, find func() ([]docstore.Document, error),
) ([]docstore.Document, error) {
	least := s.Least()
	docs, err := find()
	if err != nil || !q.Settled || q.Descending || !q.Followed(docs) || Less(docs[len(docs)-1].ID, least) {
		return docs, err
	}
	least, err = s.Settle(ctx, docs[0].ID, docs[len(docs)-1].ID)
	if err != nil {
		return nil, unavailable(err)
	}
	docs, err = find()
	if err != nil || !q.Followed(docs) {
		return docs, err
	}
	for i := range docs {
		if Less(docs[i].ID, least) {
			continue
		}
		if i == 0 {
			return nil, unavailable(errors.New("writes under way hold the page back"))
		}
		// Not the last of those that a find with Query.Near has looked at: others may yet come before it.
		docs[i] = docstore.Document{ID: docs[i].ID, Version: max(docs[i].Version, 1)}
		return docs[:i+1], nil
	}
	return docs, nil
}

func unavailable(cause error) error { return fmt.Errorf("%w: %w", docstore.ErrUnavailable, cause) }
