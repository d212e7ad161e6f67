package outbox_test

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

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/outbox"
)

// TestNothingStoredIsLostOnTheWay has documents of a real store handled. Meanwhile the broker is stopped and started,
// loses its data, and loses what it has acknowledged; the relay is stopped and started; messages are never published,
// as if the process had crashed; and the handler sometimes fails. Every document that was stored with an unsent mark
// is handled.
func TestNothingStoredIsLostOnTheWay(t *testing.T) {
	kafkatest.InBubble(t, func(t *testing.T, b *kafkatest.Broker) {
		store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "premium.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		receipts, err := store.Collection(t.Context(), docstore.Spec{Name: "receipt"})
		if err != nil {
			t.Fatal(err)
		}
		message := func(doc docstore.Document) (kafka.Message, error) {
			return kafka.Message{Key: doc.Body, Value: []byte(doc.ID.String())}, nil
		}
		marks := outbox.NewMarks("receipts", receipts, kafkatest.Silent, prometheus.NewRegistry())
		kafkatest.Running(t, marks.Run)
		var seen register
		var mu sync.Mutex
		calls := 0
		handle := func(ctx context.Context, m kafka.Message) error {
			mu.Lock()
			defer mu.Unlock()
			if calls++; calls%7 == 0 {
				return errors.New("every seventh call fails")
			}
			if err := seen.handle(ctx, m); err != nil {
				return err
			}
			marks.Remove(ctx, []docstore.Ref{{ID: uuid.MustParse(string(m.Value)), Version: 1}})
			return nil
		}
		c := newConsumer(t, b.Reach(), 2*time.Second, handle)
		kafkatest.Running(t, c.Run)
		kafkatest.Running(t, outbox.NewSweep(outbox.SweepConfig{
			Topic: "receipts", Collection: receipts, Message: message, Handle: handle, Busy: c.Busy,
			Age: time.Second, Every: 50 * time.Millisecond, Log: kafkatest.Silent, Metrics: prometheus.NewRegistry(),
		}).Run)
		startRelay := func() (relayFixture, func()) {
			r := newRelay(b, func(c *outbox.RelayConfig) { c.Page, c.Message = 20, message })
			return r, kafkatest.Running(t, r.Run)
		}
		relay, stopRelay := startRelay()

		const each, rounds = 100, 5
		for round := range rounds {
			for i := range each {
				doc := docstore.Document{
					ID: uuid.Must(uuid.NewV7()), Version: 1,
					Body: fmt.Appendf(nil, `{"receipt":"%d-%d"}`, round, i), Unsent: true,
				}
				if err := receipts.Insert(t.Context(), organisation.Sole(), doc); err != nil {
					t.Fatal(err)
				}
				if round != 4 {
					relay.Send(doc)
				}
				time.Sleep(10 * time.Millisecond) // so that it is handled meanwhile
				switch {
				case round == 1 && i == each/2:
					b.Close()
					b.Start()
				case round == 2 && i == each/2:
					stopRelay()
					relay, stopRelay = startRelay()
				case round == 3 && i == each/2:
					b.StartAnew()
				}
			}
		}
		kafkatest.Eventually(t, "all are handled", func() bool { return seen.distinct() == rounds*each })
		kafkatest.Eventually(t, "no document is unsent", func() bool {
			unsent, err := receipts.Unsent(t.Context(), organisation.Sole(), uuid.Nil, 1)
			return err == nil && len(unsent) == 0
		})
	})
}
