package bus_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/bus"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// TestNothingStoredIsLostOnTheWay sends messages from a real store to a handler. Meanwhile the broker and the relay are
// stopped and started, and the handler sometimes fails. Every document that was stored with an unsent mark is handled.
func TestNothingStoredIsLostOnTheWay(t *testing.T) {
	b := startBroker(t)
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "premium.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	receipts, err := store.Collection(t.Context(), docstore.Spec{Name: "receipt"})
	if err != nil {
		t.Fatal(err)
	}

	relay := func() relayFixture {
		return newRelay(b, nil, func(c *bus.RelayConfig) {
			c.Collection, c.Page, c.Poll = receipts, 20, 50*time.Millisecond
		})
	}
	var seen register
	var mu sync.Mutex
	calls := 0
	running(t, newConsumer(b, func(ctx context.Context, m bus.Message) error {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls%7 == 0 {
			return errors.New("every seventh call fails")
		}
		return seen.handle(ctx, m)
	}, shortSession).Run)
	stopRelay := running(t, relay().Run)

	const each, rounds = 100, 3
	for round := range rounds {
		for i := range each {
			doc := docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: fmt.Appendf(nil, `{"receipt":"%d-%d"}`, round, i), Unsent: true}
			if err := receipts.Insert(t.Context(), doc); err != nil {
				t.Fatal(err)
			}
			switch {
			case round == 1 && i == each/2:
				b.Close()
				b.start()
			case round == 2 && i == each/2:
				stopRelay()
				running(t, relay().Run)
			}
		}
	}
	eventually(t, "all are handled", func() bool { return seen.distinct() == rounds*each })
	eventually(t, "no document is unsent", func() bool {
		unsent, err := receipts.Unsent(t.Context(), uuid.Nil, 1)
		return err == nil && len(unsent) == 0
	})
}
