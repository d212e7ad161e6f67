package docstore_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
)

func opened(t *testing.T) docstore.Collection {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c, err := store.Collection(t.Context(), docstore.Spec{Name: "records"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryCallGoesAround calls each method of a collection that around refuses.
func TestEveryCallGoesAround(t *testing.T) {
	refused := errors.New("refused")
	var seen []string
	c := docstore.Decorate(opened(t), func(_ context.Context, call docstore.Call, _ func(context.Context) error) error {
		seen = append(seen, call.Operation)
		if call.Organisation != organisation.Sole() {
			t.Errorf("%s in the name of %v", call.Operation, call.Organisation)
		}
		return refused
	})
	ctx, id, us := t.Context(), uuid.Must(uuid.NewV7()), organisation.Sole()
	calls := []struct {
		operation string
		call      func() error
	}{
		{"insert", func() error { return c.Insert(ctx, us, docstore.Document{ID: id}) }},
		{"get", func() error { _, err := c.Get(ctx, us, id); return err }},
		{"replace", func() error { return c.Replace(ctx, us, docstore.Document{ID: id}, nil) }},
		{"find", func() error { _, err := c.Find(ctx, us, docstore.Query{Limit: 1}); return err }},
		{"unsent", func() error { _, err := c.Unsent(ctx, us, id, 1); return err }},
		{"sent", func() error { _, err := c.Sent(ctx, us, nil); return err }},
		{"former", func() error { _, err := c.Former(ctx, us, id, 1); return err }},
		{"formers", func() error { _, err := c.Formers(ctx, us, id, 1, 1); return err }},
		{"former_by_key", func() error { _, err := c.FormerByKey(ctx, us, id, "k"); return err }},
		{"texts", func() error { _, err := c.Texts(ctx, us, nil, "m"); return err }},
		{"changes", func() error { _, err := c.Changes(ctx, us, "", 1); return err }},
		{"owner_after", func() error { _, err := c.OwnerAfter(ctx, us, ""); return err }},
		{"end_of_changes", func() error { _, err := c.EndOfChanges(ctx, us); return err }},
	}
	for _, c := range calls {
		seen = nil
		if err := c.call(); !errors.Is(err, refused) || len(seen) != 1 || seen[0] != c.operation {
			t.Errorf("%s: error %v, seen %v", c.operation, err, seen)
		}
	}
}
