package docstore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
)

// account is a value that is kept.
type account struct {
	Name  string `json:"name"`
	Total int    `json:"total"`

	at docstore.At
}

// accounts returns accounts that are kept in a new store, by name and, together, by kind.
func accounts(t *testing.T) docstore.Kept[account] {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	in, err := store.Collection(t.Context(), docstore.Spec{Name: "account",
		Indexes: []docstore.Index{{Name: "name", Unique: true}, {Name: "kind"}}})
	if err != nil {
		t.Fatal(err)
	}
	return docstore.Kept[account]{In: in, What: "account", Past: true,
		At:   func(a *account) *docstore.At { return &a.at },
		Keys: func(a *account) docstore.Keys { return docstore.Keys{"name": a.Name, "kind": "all"} }}
}

// TestWhatIsKeptIsChangedOnce has many add to one value at the same time, the first of whom makes it. Nothing is lost,
// and every version is there that another one has taken the place of.
func TestWhatIsKeptIsChangedOnce(t *testing.T) {
	kept, acme := accounts(t), must(organisation.Named("acme"))
	one := func() (*account, error) { return kept.One(t.Context(), acme, docstore.Keys{"name": "a"}) }
	const adders = 16
	var adding sync.WaitGroup
	for range adders {
		adding.Go(func() {
			if err := docstore.Again(func() error {
				was, err := one()
				if err != nil {
					return err
				}
				next := &account{Name: "a", Total: 1}
				if was != nil {
					next.Total, next.at = was.Total+1, was.at
				}
				return kept.Write(t.Context(), acme, next, was)
			}); err != nil {
				t.Error(err)
			}
		})
	}
	adding.Wait()
	is, err := one()
	if err != nil || is.Total != adders || is.at.Version != adders || is.at.Owner != "acme" {
		t.Fatalf("%+v (%v)", is, err)
	}
	other := must(organisation.Named("other"))
	if found, err := kept.One(t.Context(), other, docstore.Keys{"name": "a"}); found != nil || err != nil {
		t.Errorf("another organisation reads %+v (%v)", found, err)
	}
	for want := adders - 1; want > 0; want-- {
		if is, err = kept.Before(t.Context(), acme, is); err != nil || is.Total != want {
			t.Fatalf("before it was %+v, want %d (%v)", is, want, err)
		}
	}
	if _, err := kept.Before(t.Context(), acme, is); !errors.Is(err, docstore.ErrNotFound) {
		t.Errorf("before the first: %v", err)
	}
}

func must(who organisation.ID, err error) organisation.ID {
	if err != nil {
		panic(err)
	}
	return who
}

// TestAllThatIsKeptIsRead reads more values than a page has. One that cannot be read is named.
func TestAllThatIsKeptIsRead(t *testing.T) {
	kept, us := accounts(t), organisation.Sole()
	const number = 250
	for i := range number {
		if err := kept.Write(t.Context(), us, &account{Name: fmt.Sprint(i), Total: i}, nil); err != nil {
			t.Fatal(err)
		}
	}
	all, err := kept.All(t.Context(), us, docstore.Keys{"kind": "all"})
	if err != nil || len(all) != number {
		t.Fatalf("%d are read (%v)", len(all), err)
	}
	for i, a := range all {
		if a.Total != i || a.at.Version != 1 {
			t.Errorf("the one at %d is %+v", i, a)
		}
	}
	if err := kept.Write(t.Context(), us, &account{Name: "7"}, nil); !docstore.Overtaken(err) {
		t.Errorf("another one of the same name: %v", err)
	}
	broken := all[7]
	if err := kept.In.Replace(t.Context(), us, docstore.Document{ID: broken.at.ID, Version: 1, Body: []byte(`[]`),
		Keys: docstore.Keys{"name": "7"}}, nil); err != nil {
		t.Fatal(err)
	}
	_, err = kept.One(t.Context(), us, docstore.Keys{"name": "7"})
	if err == nil || !strings.Contains(err.Error(), "stored account "+broken.at.ID.String()) {
		t.Errorf("what cannot be read: %v", err)
	}
}

// TestAgainGivesUp: others come first each time, or the store fails.
func TestAgainGivesUp(t *testing.T) {
	tries := 0
	err := docstore.Again(func() error { tries++; return fmt.Errorf("in between: %w", docstore.ErrStale) })
	if !errors.Is(err, docstore.ErrUnavailable) || tries != 20 {
		t.Errorf("after %d tries: %v", tries, err)
	}
	tries = 0
	err = docstore.Again(func() error { tries++; return context.Canceled })
	if !errors.Is(err, context.Canceled) || tries != 1 {
		t.Errorf("after %d tries: %v", tries, err)
	}
}
