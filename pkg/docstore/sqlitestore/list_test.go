package sqlitestore

import (
	"path/filepath"
	"strconv"
	"testing"

	"insurance.example/exchange/pkg/docstore"
)

// TestDocumentsOfAPageHaveBytesOfTheirOwn: what is appended to the body or the state of a document does not reach
// those that were read with it.
func TestDocumentsOfAPageHaveBytesOfTheirOwn(t *testing.T) {
	_, collection := opened(t, filepath.Join(t.TempDir(), "a.db"))
	const number = 20
	want := map[string]bool{}
	for nth := range number {
		doc := receipt(strconv.Itoa(nth))
		doc.State = []byte(`{"state of":"` + strconv.Itoa(nth) + `"}`)
		want[string(doc.Body)+string(doc.State)] = true
		if err := collection.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
	}
	docs, err := collection.Find(t.Context(), us, docstore.Query{Limit: number, WithState: true})
	if err != nil || len(docs) != number {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	for _, doc := range docs {
		_ = append(append(doc.Body, '#'), '#')
		_ = append(append(doc.State, '#'), '#')
	}
	for _, doc := range docs {
		if !want[string(doc.Body)+string(doc.State)] {
			t.Errorf("a document became %s %s", doc.Body, doc.State)
		}
	}
}
