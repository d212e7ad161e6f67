package conformance

import (
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// organisations: what is asked in nobody's name is refused, and so is what an operator asks. Nothing is done.
func organisations(t *testing.T, f fixture) {
	refused(t, f, organisation.ID{}, organisation.ErrNobody)
	refused(t, f, organisation.Operator(), organisation.ErrOperator)
}

// refused asks everything in a name that is refused.
func refused(t *testing.T, f fixture, who organisation.ID, why error) {
	t.Helper()
	doc := f.insert(t, docstore.Keys{"holder": why.Error()})
	fresh := document(docstore.Keys{"policyNumber": "P"})
	changed := doc
	changed.Body = []byte(`{}`)
	changes := capability[docstore.Changes](t, f.Collection)
	for call, err := range map[string]error{
		"insert":         f.Insert(t.Context(), who, fresh),
		"get":            result(f.Get(t.Context(), who, doc.ID)),
		"replace":        f.Replace(t.Context(), who, changed, nil),
		"find":           result(f.Find(t.Context(), who, docstore.Query{Limit: 1})),
		"find by number": result(f.Find(t.Context(), who, docstore.Query{Equal: fresh.Keys, Limit: 1})),
		"unsent":         result(f.Unsent(t.Context(), who, uuid.Nil, 1)),
		"sent":           result(f.Sent(t.Context(), who, []docstore.Ref{{ID: doc.ID, Version: 1}})),
		"former":         result(f.Former(t.Context(), who, doc.ID, 1)),
		"formers":        result(f.Formers(t.Context(), who, doc.ID, 0, 1)),
		"by key":         result(f.FormerByKey(t.Context(), who, doc.ID, "k")),
		"texts":          result(f.Texts(t.Context(), who, []uuid.UUID{doc.ID}, "insured")),
		"changes":        result(changes.Changes(t.Context(), who, "", 1)),
		"owner after":    result(capability[docstore.Owners](t, f.Collection).OwnerAfter(t.Context(), who, "")),
		"end of changes": result(changes.EndOfChanges(t.Context(), who)),
	} {
		wantError(t, call, err, why)
	}
	same(t, f.get(t, doc.ID), doc)
	wantError(t, "get of what was not inserted", result(f.Get(t.Context(), us, fresh.ID)), docstore.ErrNotFound)
}
