package sqlitestore

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
)

// closed is a gate through which nothing large goes until it is opened.
type closed chan struct{}

func (c closed) Await(ctx context.Context, _ int) (waited bool, err error) {
	select {
	case <-c:
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

func (closed) Take(int) error { return nil }
func (closed) Held() int64    { return 0 }
func (closed) Release(int64)  {}

// TestALargeDocumentWaitsForTheGate reads a large document and a small one while the gate is closed.
func TestALargeDocumentWaitsForTheGate(t *testing.T) {
	_, receipts := opened(t, filepath.Join(t.TempDir(), "db"))
	small, large := receipt("1"), receipt("2")
	large.Body = []byte(`"` + strings.Repeat("x", largeRow) + `"`)
	err := errors.Join(receipts.Insert(t.Context(), us, small), receipts.Insert(t.Context(), us, large))
	if err != nil {
		t.Fatal(err)
	}
	gate := make(closed)
	ctx := docstore.WithGate(t.Context(), gate)
	if _, err := receipts.Get(ctx, us, small.ID); err != nil {
		t.Errorf("a small document: %v", err)
	}
	hasty, leave := context.WithTimeout(ctx, 10*time.Millisecond)
	defer leave()
	_, err = receipts.Get(hasty, us, large.ID)
	if !errors.Is(err, docstore.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a large document before the gate opens: %v", err)
	}
	close(gate)
	if doc, err := receipts.Get(ctx, us, large.ID); err != nil || len(doc.Body) != len(large.Body) {
		t.Errorf("a large document: %d bytes, %v", len(doc.Body), err)
	}
}
