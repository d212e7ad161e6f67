package book

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"text/template"
	"time"

	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/pkg/resource"
)

// Record is a JSON object.
type Record map[string]any

// Text returns a member that is a string, or "" if there is no such string.
func (r Record) Text(name string) string {
	text, _ := r[name].(string)
	return text
}

// Send sends a body, none if it is nil, to a path by POST, or by PUT if key is "". It returns the record in the
// response, and whether the exchange did something. A request with a key that the exchange has seen before does
// nothing.
type Send func(ctx context.Context, path, key string, body Record) (record Record, done bool, err error)

// Rows returns the rows of the premium bordereau as they are now.
type Rows func(ctx context.Context) ([]Record, error)

// Make sends a body to a path by PUT unless the caller has something there, and reports whether it had not.
type Make func(ctx context.Context, path string, body Record) (made bool, err error)

// Read returns what a path has, which may have a query, and nil if there is nothing.
type Read func(ctx context.Context, path string) (Record, error)

// Upload sends a file of CSV as a statement that is read by a profile, and returns the statement. The same file twice
// is one statement.
type Upload func(ctx context.Context, profile string, file []byte) (Record, error)

// Exchange is what a book does with the exchange that it is made in.
type Exchange struct {
	Send   Send
	Make   Make
	Rows   Rows
	Read   Read
	Upload Upload
}

// Options say which book is to be made. The same options make the same requests.
type Options struct {
	// Seed chooses names, amounts and dates.
	Seed uint64
	// Size is the number of policies, without those of the examples and the renewals.
	Size int
	// AsOf is the day from which dates are computed.
	AsOf time.Time
	// Workers is the number of policies that are created at the same time.
	Workers int
}

// Smallest is the least size of a book in which every line, every fate of a policy and every claim status occurs.
const Smallest = 7

// Book is a book that is being made.
type Book struct {
	Options
	catalog  *resource.Catalog
	exchange Exchange
	// step is called for each request that the exchange has carried out, now or before.
	step func(Step)

	shared  map[string]Record // the first record of each resource, made from the examples
	brokers any               // the ids of the brokers

	mu sync.Mutex
	// premiums maps each row of the premium bordereau to the sum of its receipts, less the refunds.
	premiums    map[premium]int
	differences []string
}

// Step is a request that the exchange has carried out.
type Step struct {
	// Resource is the resource of a record that was created. It is "" for an action or a replacement.
	Resource string
	// Done is false if the exchange had carried out the request before.
	Done bool
	// Record is the record in the response.
	Record Record
}

// New returns a book for an exchange whose resources are those of the catalog. step may be called by several
// goroutines at a time.
func New(catalog *resource.Catalog, exchange Exchange, step func(Step), o Options) *Book {
	return &Book{
		Options: o, catalog: catalog, exchange: exchange, step: step,
		shared: map[string]Record{}, premiums: map[premium]int{},
	}
}

// Fill creates the book. It calls policies with the number of policies made so far; the calls do not overlap. It
// returns the errors of Send and of Rows, and an error if the document of the exchange lacks an example or if the
// exchange does not aggregate the receipts.
func (b *Book) Fill(ctx context.Context, policies func(count int)) error {
	if err := b.examples(ctx); err != nil {
		return err
	}
	c := b.chain(ctx, fmt.Sprintf("%d-brokers", b.Seed), 0)
	if c.tell("brokers"); c.err != nil {
		return c.err
	}
	b.brokers = c.vars["brokers"]
	workers, within := errgroup.WithContext(ctx)
	workers.SetLimit(b.Workers)
	var mu sync.Mutex
	count := 0
	for i := range b.Size {
		workers.Go(func() error {
			if err := b.policy(within, i); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			count++
			policies(count)
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return err
	}
	return b.cede(ctx)
}

// policy makes the i-th policy, and what happens to it.
func (b *Book) policy(ctx context.Context, i int) error {
	c := b.chain(ctx, fmt.Sprintf("%d-%s-%d", b.Seed, b.AsOf.Format(time.DateOnly), i), uint64(i)+1)
	c.vars["i"] = i
	c.tell("policy")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.differences = append(b.differences, c.told...)
	return c.err
}

// chain is a sequence of requests. Each may need what earlier ones returned. After an error the chain sends nothing
// more.
type chain struct {
	*Book
	ctx   context.Context
	scope string // of the keys
	count int    // of the requests
	rng   *rand.Rand
	vars  map[string]any   // the variables of book.yaml
	calls template.FuncMap // and its functions
	told  []string
	err   error
}

func (b *Book) chain(ctx context.Context, scope string, number uint64) *chain {
	c := &chain{Book: b, ctx: ctx, scope: scope, rng: rand.New(rand.NewPCG(b.Seed, number)), vars: map[string]any{
		"seed": b.Seed, "thousandth": int(b.Seed % 1000), "asOf": b.AsOf, "all": read().Lines, "treaty": b.treaty(),
		"brokers": b.brokers,
		// Each of the first 36500 seeds has a day of its own.
		"ruleDay": int(b.Seed % 36500),
	}}
	c.calls = c.functions()
	return c
}

// replace replaces a record by itself with some members changed. It sends nothing if the record has them already.
func (c *chain) replace(path string, record, changes Record) {
	changed := maps.Clone(record)
	maps.Copy(changed, changes)
	if c.err != nil || sameValue(changed, record) {
		return
	}
	c.carryOut("", path, "", changed)
}

// make makes what a path has, unless the caller has something there.
func (c *chain) make(made, path string, body Record) {
	if c.err != nil {
		return
	}
	var done bool
	done, c.err = c.exchange.Make(c.ctx, path, body)
	if made != "" {
		c.found(made, done)
	}
}

func (c *chain) request(made, path string, body Record) Record {
	c.count++
	return c.carryOut(made, path, fmt.Sprintf("seed-%s-%d", c.scope, c.count), body)
}

// change sends what is sent only if it is not so yet. Its key counts no requests, so that those of the records stay the
// same in a run that goes on.
func (c *chain) change(made, path string, body Record) Record {
	return c.carryOut(made, path, "seed-"+c.scope+path, body)
}

// find returns what a path has, and nil where there is nothing.
func (c *chain) find(path string) Record {
	if c.err != nil {
		return nil
	}
	var record Record
	record, c.err = c.exchange.Read(c.ctx, path)
	return record
}

// found counts a record that an earlier run has made, or this one.
func (c *chain) found(resource string, done bool) {
	if c.err == nil {
		c.step(Step{Resource: resource, Done: done})
	}
}

func (c *chain) carryOut(made, path, key string, body Record) Record {
	if c.err != nil {
		return Record{}
	}
	record, done, err := c.exchange.Send(c.ctx, path, key, body)
	if err != nil {
		c.err = err
		return Record{}
	}
	c.step(Step{Resource: made, Done: done, Record: record})
	return record
}
