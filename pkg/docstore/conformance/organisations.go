package conformance

import (
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// organisations: what is asked in nobody's name is refused, and nothing is done.
func organisations(t *testing.T, f fixture) {
	var nobody organisation.ID
	doc := f.insert(t, docstore.Keys{"holder": "h"})
	fresh := document(docstore.Keys{"policyNumber": "P"})
	changed := doc
	changed.Body = []byte(`{}`)
	accounts, err := f.store.Collection(t.Context(), entries)
	if err != nil {
		t.Fatal(err)
	}
	sums := capability[docstore.Sums](t, accounts)
	changes := capability[docstore.Changes](t, f.Collection)
	for call, err := range map[string]error{
		"insert":         f.Insert(t.Context(), nobody, fresh),
		"get":            result(f.Get(t.Context(), nobody, doc.ID)),
		"replace":        f.Replace(t.Context(), nobody, changed, nil),
		"find":           result(f.Find(t.Context(), nobody, docstore.Query{Limit: 1})),
		"find by number": result(f.Find(t.Context(), nobody, docstore.Query{Equal: fresh.Keys, Limit: 1})),
		"unsent":         result(f.Unsent(t.Context(), nobody, uuid.Nil, 1)),
		"sent":           result(f.Sent(t.Context(), nobody, []docstore.Ref{{ID: doc.ID, Version: 1}})),
		"former":         result(f.Former(t.Context(), nobody, doc.ID, 1)),
		"formers":        result(f.Formers(t.Context(), nobody, doc.ID, 0, 1)),
		"by key":         result(f.FormerByKey(t.Context(), nobody, doc.ID, "k")),
		"texts":          result(f.Texts(t.Context(), nobody, []uuid.UUID{doc.ID}, "insured")),
		"sum":            result(sums.Sum(t.Context(), nobody, "account", "a", uuid.Nil, 1)),
		"first unsent":   result(sums.FirstUnsent(t.Context(), nobody, "account", "a")),
		"changes":        result(changes.Changes(t.Context(), nobody, "", 1)),
		"end of changes": result(changes.EndOfChanges(t.Context(), nobody)),
	} {
		wantError(t, call, err, organisation.ErrNobody)
	}
	same(t, f.get(t, doc.ID), doc)
	wantError(t, "get of what nobody inserted", result(f.Get(t.Context(), us, fresh.ID)), docstore.ErrNotFound)
}
