package sqlitestore

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/budget"
	"insurance.example/exchange/pkg/docstore"
)

// TestALargeDocumentIsReadInTurn reads a large document and a small one while another request has the only turn.
func TestALargeDocumentIsReadInTurn(t *testing.T) {
	_, receipts := opened(t, filepath.Join(t.TempDir(), "db"))
	small, large := receipt("1"), receipt("2")
	large.Body = []byte(`"` + strings.Repeat("x", budget.Large) + `"`)
	if err := errors.Join(receipts.Insert(t.Context(), small), receipts.Insert(t.Context(), large)); err != nil {
		t.Fatal(err)
	}
	work := budget.New(1<<30, budget.NewTurns(1, time.Hour))
	first, endFirst := work.Begin(t.Context())
	defer endFirst()
	if _, err := budget.Turn(first, budget.Large); err != nil {
		t.Fatal(err)
	}
	second, endSecond := work.Begin(t.Context())
	defer endSecond()
	if _, err := receipts.Get(second, small.ID); err != nil {
		t.Errorf("a small document: %v", err)
	}
	hasty, leave := context.WithTimeout(second, 10*time.Millisecond)
	defer leave()
	if _, err := receipts.Get(hasty, large.ID); !errors.Is(err, docstore.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a large document before its turn: %v", err)
	}
	budget.EndTurn(first)
	if doc, err := receipts.Get(second, large.ID); err != nil || len(doc.Body) != len(large.Body) {
		t.Errorf("a large document: %d bytes, %v", len(doc.Body), err)
	}
}
