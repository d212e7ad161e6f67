package sqlitestore_test

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// A clock that was put back is reported once when a file is opened, and new ids still follow those that are stored.
func TestClockBehindTheNewestRecord(t *testing.T) {
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	path, ctx := filepath.Join(t.TempDir(), "records.db"), t.Context()
	id := uuid.Must(uuid.NewV7())
	for start := range 2 { // the second start finds what the first has stored
		store, err := sqlitestore.Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		for _, name := range []string{"one", "two"} {
			c, err := store.Collection(ctx, docstore.Spec{Name: name})
			if err != nil {
				t.Fatal(err)
			}
			future := id
			at := uint64(time.Now().Add(time.Duration(48+start) * time.Hour).UnixMilli())
			copy(future[:6], binary.BigEndian.AppendUint64(nil, at)[2:])
			if err := c.Insert(ctx, us, docstore.Document{ID: future, Body: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(logged.String(), "behind the newest record"); n != 1 {
		t.Errorf("the clock was reported %d times, want once:\n%s", n, &logged)
	}
}
