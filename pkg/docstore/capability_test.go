package docstore_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
)

// poor is a collection without capabilities.
type poor struct{ docstore.Collection }

// wrapping is a collection without capabilities that decorates one with them, and says so.
type wrapping struct{ docstore.Collection }

func (w wrapping) Unwrap() docstore.Collection { return w.Collection }

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

// TestDecoratedCollectionsHaveTheCapabilitiesOfTheStore asks for each capability through decorators.
func TestDecoratedCollectionsHaveTheCapabilitiesOfTheStore(t *testing.T) {
	past := func(ctx context.Context, _ docstore.Call, do func(context.Context) error) error { return do(ctx) }
	stored := opened(t)
	for name, c := range map[string]docstore.Collection{
		"the store": stored, "decorated": docstore.Decorate(stored, past), "wrapped": wrapping{stored},
		"decorated and wrapped": wrapping{docstore.Decorate(wrapping{docstore.Decorate(stored, past)}, past)},
	} {
		_, history := docstore.As[docstore.History](c)
		_, members := docstore.As[docstore.Members](c)
		if err := errors.Join(history, members); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]docstore.Collection{
		"hidden": poor{stored}, "decorated": docstore.Decorate(poor{stored}, past),
		"decorated and wrapped": wrapping{docstore.Decorate(poor{stored}, past)},
	} {
		if _, err := docstore.As[docstore.Members](c); err == nil || !strings.Contains(err.Error(), "Members") {
			t.Errorf("%s: error %v, want one that names the capability", name, err)
		}
	}
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
	history, members := c.(docstore.History), c.(docstore.Members)
	changes := c.(docstore.Changes)
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
		{"former", func() error { _, err := history.Former(ctx, us, id, 1); return err }},
		{"formers", func() error { _, err := history.Formers(ctx, us, id, 1, 1); return err }},
		{"former_by_key", func() error { _, err := history.FormerByKey(ctx, us, id, "k"); return err }},
		{"texts", func() error { _, err := members.Texts(ctx, us, nil, "m"); return err }},
		{"changes", func() error { _, err := changes.Changes(ctx, us, "", 1); return err }},
		{"owner_after", func() error { _, err := c.(docstore.Owners).OwnerAfter(ctx, us, ""); return err }},
		{"end_of_changes", func() error { _, err := changes.EndOfChanges(ctx, us); return err }},
	}
	for _, c := range calls {
		seen = nil
		if err := c.call(); !errors.Is(err, refused) || len(seen) != 1 || seen[0] != c.operation {
			t.Errorf("%s: error %v, seen %v", c.operation, err, seen)
		}
	}
}
