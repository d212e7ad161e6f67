package outbox_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/organisation"
)

// receipts is the part of a collection that a sweep and the removal of marks use, in memory.
type receipts struct {
	docstore.Collection

	mu   sync.Mutex
	docs map[uuid.UUID]docstore.Document
	// beforeSent runs before marks are removed. If it returns an error, the marks stay and the caller gets this error.
	beforeSent func() error
}

func newReceipts() *receipts { return &receipts{docs: make(map[uuid.UUID]docstore.Document)} }

func (o *receipts) put(doc docstore.Document) docstore.Document {
	o.mu.Lock()
	defer o.mu.Unlock()
	doc.Version = o.docs[doc.ID].Version + 1
	doc.Unsent = true
	o.docs[doc.ID] = doc
	return doc
}

func (o *receipts) Unsent(
	_ context.Context, who organisation.ID, after uuid.UUID, limit int,
) ([]docstore.Document, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var unsent []docstore.Document
	for _, doc := range o.docs {
		if doc.Unsent && bytes.Compare(doc.ID[:], after[:]) > 0 {
			unsent = append(unsent, doc)
		}
	}
	slices.SortFunc(unsent, func(x, y docstore.Document) int { return bytes.Compare(x.ID[:], y.ID[:]) })
	return unsent[:min(limit, len(unsent))], nil
}

func (o *receipts) Get(_ context.Context, who organisation.ID, id uuid.UUID) (docstore.Document, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	doc, ok := o.docs[id]
	if !ok {
		return doc, docstore.ErrNotFound
	}
	return doc, nil
}

func (o *receipts) Sent(_ context.Context, who organisation.ID, refs []docstore.Ref) (removed int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.beforeSent != nil {
		if err := o.beforeSent(); err != nil {
			return 0, err
		}
	}
	for _, ref := range refs {
		if doc := o.docs[ref.ID]; doc.Version == ref.Version && doc.Unsent {
			doc.Unsent = false
			o.docs[ref.ID] = doc
			removed++
		}
	}
	return removed, nil
}

func (o *receipts) unsent() int {
	unsent, _ := o.Unsent(context.Background(), organisation.Sole(), uuid.Nil, math.MaxInt)
	return len(unsent)
}

// register records the different values of the messages that a handler was given.
type register struct {
	mu     sync.Mutex
	values map[string]bool
}

func (r *register) handle(_ context.Context, m kafka.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.values == nil {
		r.values = make(map[string]bool)
	}
	r.values[string(m.Value)] = true
	return nil
}

func (r *register) distinct() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.values)
}

// newConsumer returns a consumer of the messages of the relay.
func newConsumer(
	t *testing.T, cluster kafka.Cluster, session time.Duration, handle func(context.Context, kafka.Message) error,
) *kafka.Consumer {
	t.Helper()
	c, err := kafka.NewConsumer(kafka.ConsumerConfig{
		Cluster: cluster, Topic: kafka.Topic{Name: "receipts", Partitions: 3}, Group: "premium", Handle: handle,
		SessionTimeout: session, PartitionWatch: 100 * time.Millisecond,
		Log: kafkatest.Silent, Metrics: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
