package memorystore

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// Inspect returns what is stored, for what looks for faults in it.
func (s *Store) Inspect() docstore.Inspection { return inspection{s} }

type inspection struct{ store *Store }

func (i inspection) Collection(ctx context.Context, spec docstore.Spec) (docstore.Inspected, error) {
	c, err := i.store.Collection(ctx, spec)
	if err != nil {
		return nil, err
	}
	return inspected{c.(*collection)}, nil
}

func (inspection) Faults(context.Context) ([]string, error) { return nil, nil }

func (inspection) Close() error { return nil }

// inspected is a collection as it is stored.
type inspected struct{ *collection }

func (i inspected) Find(_ context.Context, q docstore.Query) (found []docstore.Stored, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, doc := range i.page(organisation.Exchange(), q) {
		at, _ := i.search(doc.ID)
		found = append(found, docstore.Stored{Document: detached(i.docs[at].Document)})
	}
	return found, nil
}

func (i inspected) Formers(
	ctx context.Context, id uuid.UUID, after int64, limit int,
) (page []docstore.Former, err error) {
	formers, err := i.formers(ctx, organisation.Exchange(), id)
	for _, f := range formers {
		if f.Version > after && len(page) < limit {
			page = append(page, f)
		}
	}
	return page, err
}

// errUnexamined is the error of what no examination of the simulation asks for.
var errUnexamined = errors.New("memorystore: this is not examined")

func (inspected) Kept(context.Context, docstore.Ref, int) ([]docstore.Ref, error) {
	return nil, errUnexamined
}

func (inspected) Holders(context.Context, string, []string) (map[string]docstore.Ref, error) {
	return nil, errUnexamined
}

func (inspected) Faults(context.Context, func(docstore.Finding) error) error { return errUnexamined }
