package sqlitestore_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/reading"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/organisation"
)

// TestAnInspectionIsReadAsAStore compares what a store returns of its documents with what package reading returns of
// them, for the organisations that own some and for one that owns none.
func TestAnInspectionIsReadAsAStore(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "records.db")
	store, err := sqlitestore.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	spec := docstore.Spec{Name: "thing", Indexes: []docstore.Index{{Name: "code", Unique: true}, {Name: "of"}}}
	written, err := store.Collection(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	var who []organisation.ID
	for _, name := range []string{"acme", "zenith", "nobody-here"} {
		id, err := organisation.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		who = append(who, id)
	}
	var docs []docstore.Document
	for i := range 7 {
		doc := docstore.Document{Body: fmt.Appendf(nil, `{"code":"%d"}`, i/2), State: []byte(`{}`),
			Keys: docstore.Keys{"code": fmt.Sprint(i / 2), "of": "all"}}
		if doc.ID, err = docstore.NewID(doc.ID); err != nil {
			t.Fatal(err)
		}
		if err := written.Insert(ctx, who[i%2], doc); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
	}
	docs[0].Version = 1
	former := &docstore.Former{Version: 1, Body: docs[0].Body, Key: "k"}
	if err := written.Replace(ctx, who[0], docs[0], former); err != nil {
		t.Fatal(err)
	}
	inspection, err := sqlitestore.Inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	read, err := reading.Of(inspection).Collection(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range append(who, organisation.Exchange()) {
		for name, q := range map[string]docstore.Query{
			"all": {Limit: 10}, "some": {Limit: 2}, "newest": {Limit: 2, Descending: true},
			"later": {Limit: 2, Skip: 1},
			"one":   {Limit: 1, Equal: docstore.Keys{"code": "1"}}, "small": {Limit: 10, Bytes: 30},
			"after": {Limit: 10, After: docs[2].ID}, "of": {Limit: 3, Equal: docstore.Keys{"of": "all"}},
		} {
			q.WithState = true
			want, wrong := written.Find(ctx, id, q)
			got, err := read.Find(ctx, id, q)
			if fmt.Sprint(got, err) != fmt.Sprint(want, wrong) {
				t.Errorf("%v finds %s: %v %v, not %v %v", id, name, got, err, want, wrong)
			}
		}
		for _, doc := range docs {
			want, wrong := written.Get(ctx, id, doc.ID)
			got, err := read.Get(ctx, id, doc.ID)
			if fmt.Sprint(got) != fmt.Sprint(want) || isUnknown(err) != isUnknown(wrong) {
				t.Errorf("%v gets %v %v, not %v %v", id, got, err, want, wrong)
			}
		}
		then, _ := docstore.As[docstore.History](written)
		now, err := docstore.As[docstore.History](read)
		if err != nil {
			t.Fatal(err)
		}
		for version := range int64(3) {
			want, wrong := then.Former(ctx, id, docs[0].ID, version)
			got, err := now.Former(ctx, id, docs[0].ID, version)
			if fmt.Sprint(got) != fmt.Sprint(want) || isUnknown(err) != isUnknown(wrong) {
				t.Errorf("%v has the former version %v %v, not %v %v", id, got, err, want, wrong)
			}
		}
	}
	for name, err := range map[string]error{
		"insert": read.Insert(ctx, who[0], docs[0]), "replace": read.Replace(ctx, who[0], docs[0], nil),
	} {
		if !errors.Is(err, docstore.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := read.Find(ctx, organisation.ID{}, docstore.Query{Limit: 1}); !errors.Is(err, organisation.ErrNobody) {
		t.Errorf("in nobody's name: %v", err)
	}
	if err := errors.Join(inspection.Close(), store.Close()); err != nil {
		t.Error(err)
	}
}

func isUnknown(err error) bool { return errors.Is(err, docstore.ErrNotFound) }
