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
	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/bus"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// TestNothingStoredIsLostOnTheWay has documents of a real store handled. Meanwhile the broker is stopped and started,
// loses its data, and loses what it has acknowledged; the relay is stopped and started; messages are never published,
// as if the process had crashed; and the handler sometimes fails. Every document that was stored with an unsent mark
// is handled.
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
	message := func(doc docstore.Document) (bus.Message, error) {
		return bus.Message{Key: doc.Body, Value: []byte(doc.ID.String())}, nil
	}
	marks := bus.NewMarks("receipts", receipts, silent, prometheus.NewRegistry())
	running(t, marks.Run)
	var seen register
	var mu sync.Mutex
	calls := 0
	handle := func(ctx context.Context, m bus.Message) error {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls%7 == 0 {
			return errors.New("every seventh call fails")
		}
		seen.note(m)
		marks.Remove(ctx, []docstore.Ref{{ID: uuid.MustParse(string(m.Value)), Version: 1}})
		return nil
	}
	c := newConsumer(b, handle, shortSession)
	running(t, c.Run)
	running(t, bus.NewSweep(bus.SweepConfig{
		Topic: "receipts", Collection: receipts, Message: message, Handle: handle, Busy: c.Busy,
		Age: time.Second, Every: 50 * time.Millisecond, Log: silent, Metrics: prometheus.NewRegistry(),
	}).Run)
	startRelay := func() (relayFixture, func()) {
		r := newRelay(b, func(c *bus.RelayConfig) { c.Page, c.Message = 20, message })
		return r, running(t, r.Run)
	}
	relay, stopRelay := startRelay()

	const each, rounds = 100, 5
	for round := range rounds {
		for i := range each {
			doc := docstore.Document{ID: uuid.Must(uuid.NewV7()), Version: 1, Body: fmt.Appendf(nil, `{"receipt":"%d-%d"}`, round, i), Unsent: true}
			if err := receipts.Insert(t.Context(), doc); err != nil {
				t.Fatal(err)
			}
			if round != 4 {
				relay.Send(doc)
			}
			switch {
			case round == 1 && i == each/2:
				b.Close()
				b.start()
			case round == 2 && i == each/2:
				stopRelay()
				relay, stopRelay = startRelay()
			case round == 3 && i == each/2:
				b.startAnew()
			}
		}
	}
	eventually(t, "all are handled", func() bool { return seen.distinct() == rounds*each })
	eventually(t, "no document is unsent", func() bool {
		unsent, err := receipts.Unsent(t.Context(), uuid.Nil, 1)
		return err == nil && len(unsent) == 0
	})
}
