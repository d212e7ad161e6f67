package sqlitestore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// bytesRead returns how many bytes this process has read by calls of the system.
func bytesRead(t *testing.T) (count int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &count); err != nil {
		t.Fatal(err)
	}
	return count
}

var errClosed = errors.New("the gate is closed")

// closed is a gate through which nothing goes.
type closed struct{}

func (closed) Await(context.Context, int) (bool, error) { return false, errClosed }
func (closed) Take(int) error                           { return errClosed }
func (closed) Held() int64                              { return 0 }
func (closed) Release(int64)                            {}

// TestWhatTheGateRefusesIsNotRead asks in every way for a large record and its large former version while the gate is
// closed.
func TestWhatTheGateRefusesIsNotRead(t *testing.T) {
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	records, err := store.Collection(t.Context(),
		docstore.Spec{Name: "records", Indexes: []docstore.Index{{Name: "number", Unique: true}}})
	if err != nil {
		t.Fatal(err)
	}
	const size = 4 << 20
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	large := docstore.Document{
		ID: id, Version: 1, Body: []byte(`"` + strings.Repeat("x", size) + `"`), State: []byte("{}"),
		Keys: docstore.Keys{"number": "7"},
	}
	if err := errors.Join(records.Insert(t.Context(), us, large),
		records.Replace(t.Context(), us, large,
			&docstore.Former{Version: 1, Body: large.Body, State: large.State})); err != nil {
		t.Fatal(err)
	}
	byNumber := docstore.Query{Equal: docstore.Keys{"number": "7"}, Limit: 1}
	for name, read := range map[string]func(context.Context) ([]byte, error){
		"get": func(ctx context.Context) ([]byte, error) {
			doc, err := records.Get(ctx, us, id)
			return doc.Body, err
		},
		"look up": func(ctx context.Context) ([]byte, error) {
			docs, err := records.Find(ctx, us, byNumber)
			if err != nil {
				return nil, err
			}
			return docs[0].Body, nil
		},
		"former": func(ctx context.Context) ([]byte, error) {
			former, err := records.(docstore.History).Former(ctx, us, id, 1)
			return former.Body, err
		},
	} {
		before := bytesRead(t)
		_, err := read(docstore.WithGate(t.Context(), closed{}))
		if count := bytesRead(t) - before; !errors.Is(err, errClosed) || count > size/8 {
			t.Errorf("%s: error %v after %d bytes, want a refusal before the record is read", name, err, count)
		}
		if body, err := read(t.Context()); err != nil || !bytes.Equal(body, large.Body) {
			t.Errorf("%s: %d bytes, error %v without a gate", name, len(body), err)
		}
	}
}
