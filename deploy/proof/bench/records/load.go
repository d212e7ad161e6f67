package records

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/number"
)

const (
	// writers is the number of records that are written at the same time. The store commits up to 256 waiting writes
	// together; there are more, so that the next ones wait already when a commit ends.
	writers = 1024
	// batch is the number of records that are stored in order of their numbers. The index of the numbers has a random
	// place for each, and a large one has more pages than the store keeps in memory: in order, those of a page are
	// stored one after the other.
	batch = 1 << 20
	// samples is the number of loaded records that the reads ask for.
	samples = 5000
	// progressEvery is how often the load prints its progress.
	progressEvery = 5 * time.Second
)

// Load puts count vehicles and as many policies straight into the store of the coverage service and returns a book of
// some of them. The service itself makes one of each, with its keys and its state. The others are copies of it with
// another id and policy number.
func Load(ctx context.Context, file string, count int, out io.Writer) (*Book, error) {
	store, err := sqlitestore.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	vehicle, policy, err := makeTemplates(ctx, store)
	b := &Book{Pages: []string{"limit=50"}}
	if err == nil {
		err = vehicle.multiply(ctx, count, out, func(nth int, made docstore.Document) {
			b.Vehicles = append(b.Vehicles, made.ID.String())
			if nth < count-writers-50 { // otherwise the page might not be full
				b.Pages = append(b.Pages, page(made.ID))
			}
		})
	}
	if err == nil {
		err = policy.multiply(ctx, count, out, func(_ int, made docstore.Document) {
			b.Policies = append(b.Policies, made.Keys[policyNumber])
		})
	}
	// Closing moves the log into the database. Its time counts as part of the load.
	if closed := store.Close(); err == nil {
		err = closed
	}
	return b, err
}

// template is a document as the service stores it.
type template struct {
	kind       string
	collection docstore.Collection
	document   docstore.Document
	// numbered says that each has a policy number of its own.
	numbered bool
}

// policyNumber is the index and the member of the record by which a policy is found.
const policyNumber = "policyNumber"

// another returns a document like the template, of another record, whose id ends in tail.
func (t *template) another(tail uint64) (docstore.Document, error) {
	id, err := uuid.NewV7()
	end := id[8:]
	binary.BigEndian.PutUint64(end, binary.BigEndian.Uint64(end)&^mostTail|tail)
	made := docstore.Document{
		ID: id, State: t.document.State, Keys: maps.Clone(t.document.Keys), Amount: t.document.Amount,
		Body: bytes.ReplaceAll(t.document.Body, []byte(t.document.ID.String()), []byte(id.String())),
	}
	if issued := made.Keys[policyNumber]; t.numbered {
		made.Keys[policyNumber] = number.Of("POL", id)
		made.Body = bytes.ReplaceAll(made.Body, []byte(issued), []byte(made.Keys[policyNumber]))
	}
	return made, err
}

// mostTail is the greatest tail of an id: its last 50 bits, of which the number is made and which are random.
const mostTail = 1<<50 - 1

// tails returns so many tails of ids, in order of the numbers that are made of them.
func tails(count int) []uint64 {
	all := make([]uint64, count)
	for i := range all {
		all[i] = rand.Uint64() & mostTail
	}
	slices.Sort(all)
	return all
}

// multiply stores count documents like the template, and shows some of them to keep.
func (t *template) multiply(ctx context.Context, count int, out io.Writer, keep func(nth int, made docstore.Document)) error {
	var stored atomic.Int64
	defer t.report(out, count, &stored)()
	var keeping sync.Mutex
	inserts, ctx := errgroup.WithContext(ctx)
	inserts.SetLimit(writers)
	var next []uint64
	for nth := 0; nth < count && ctx.Err() == nil; nth++ {
		if nth%batch == 0 {
			next = tails(min(batch, count-nth))
		}
		tail := next[nth%batch]
		inserts.Go(func() error {
			made, err := t.store(ctx, tail)
			if err != nil {
				return err
			}
			stored.Add(1)
			if nth%max(1, count/samples) == 0 {
				keeping.Lock()
				defer keeping.Unlock()
				keep(nth, made)
			}
			return nil
		})
	}
	return inserts.Wait()
}

// store stores another document. If its policy number is taken, it gets another number, as in the service.
func (t *template) store(ctx context.Context, tail uint64) (docstore.Document, error) {
	for {
		made, err := t.another(tail)
		if err != nil {
			return made, err
		}
		err = t.collection.Insert(ctx, made)
		if _, taken := docstore.Duplicate(err); !taken {
			return made, err
		}
		tail = tails(1)[0]
	}
}

// report prints the progress of the load until the function that it returns is called.
func (t *template) report(out io.Writer, count int, stored *atomic.Int64) (end func()) {
	began, over, ended := time.Now(), make(chan struct{}), make(chan struct{})
	tell := func() {
		n, took := stored.Load(), time.Since(began)
		fmt.Fprintf(out, "loading: %d of %d %s, %.0f a second, each durable\n", n, count, t.kind, float64(n)/took.Seconds())
	}
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				tell()
			case <-over:
				tell()
				return
			}
		}
	}()
	return func() { close(over); <-ended }
}

// LoadReceipts puts count receipts of a policy straight into the store of the premium service.
func LoadReceipts(ctx context.Context, file, policyNumber string, count int, out io.Writer) error {
	store, err := sqlitestore.Open(ctx, file)
	if err != nil {
		return err
	}
	receipt, err := makeReceiptTemplate(ctx, store, policyNumber)
	if err == nil {
		err = receipt.multiply(ctx, count, out, func(int, docstore.Document) {})
	}
	return errors.Join(err, store.Close())
}

// page returns the query of the vehicles that follow one.
func page(after uuid.UUID) string {
	return "limit=50&cursor=" + base64.RawURLEncoding.EncodeToString(after[:])
}
