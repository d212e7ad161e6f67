package store_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/docstore"
)

// fault is what goes wrong with one command on its way. Done says whether the server makes the write all the same.
type fault struct {
	done   bool
	action wireAction
}

var faults = map[string]fault{
	"reply cut":   {done: true, action: wireAction{CutReply: true}},
	"request cut": {done: false, action: wireAction{CutRequest: true}},
	"write-concern error": {done: true, action: wireAction{Add: bson.D{{Key: "writeConcernError", Value: bson.D{
		{Key: "code", Value: int32(64)}, {Key: "codeName", Value: "WriteConcernFailed"},
		{Key: "errmsg", Value: "waiting for replication timed out"},
	}}}}},
	"primary stepped down": {done: false, action: wireAction{Reply: bson.D{
		{Key: "ok", Value: int32(0)}, {Key: "code", Value: int32(10107)},
		{Key: "codeName", Value: "NotWritablePrimary"}, {Key: "errmsg", Value: "not primary"},
	}}},
}

// once returns what a proxy does to the first command of a name on a collection.
func (f fault) once(command, collection string) (decide func(wireCommand) wireAction, hit *atomic.Bool) {
	hit = &atomic.Bool{}
	return func(c wireCommand) wireAction {
		if c.Name == command && c.Collection == collection && hit.CompareAndSwap(false, true) {
			return f.action
		}
		return wireAction{}
	}, hit
}

// faulty is a write, and the command of it that a fault hits.
type faulty struct {
	command, collection string
	// write makes the write and returns a document that is stored afterwards if and only if it was made: see made.
	write func(ctx context.Context, c docstore.Collection, doc *docstore.Document) error
	// made reports whether the database shows the write.
	made func(stored) bool
}

var faultyWrites = map[string]faulty{
	"insert": {
		command: "insert", collection: policies.Name,
		write: func(ctx context.Context, c docstore.Collection, doc *docstore.Document) error {
			return docstore.InsertNew(ctx, c, us, doc)
		},
		made: func(s stored) bool { return s.Version == 1 },
	},
	"claims of an insert": {
		command: "insert", collection: policies.Name + ".claims",
		write: func(ctx context.Context, c docstore.Collection, doc *docstore.Document) error {
			return docstore.InsertNew(ctx, c, us, doc)
		},
		made: func(s stored) bool { return s.Version == 1 },
	},
	"replace": {
		command: "update", collection: policies.Name,
		write: func(ctx context.Context, c docstore.Collection, doc *docstore.Document) error {
			return c.Replace(ctx, us, *doc, nil)
		},
		made: func(s stored) bool { return s.Version == 2 },
	},
	"former version of a replace": {
		command: "insert", collection: policies.Name + ".history",
		write: func(ctx context.Context, c docstore.Collection, doc *docstore.Document) error {
			return c.Replace(ctx, us, *doc, &docstore.Former{Version: doc.Version, Body: doc.Body})
		},
		made: func(s stored) bool { return s.Version == 2 },
	},
	"claims of a replace": {
		command: "insert", collection: policies.Name + ".claims",
		write: func(ctx context.Context, c docstore.Collection, doc *docstore.Document) error {
			doc.Keys = docstore.Keys{"policyNumber": doc.ID.String() + " anew"}
			return c.Replace(ctx, us, *doc, nil)
		},
		made: func(s stored) bool { return s.Version == 2 },
	},
	"sent marks": {
		command: "update", collection: policies.Name,
		write: func(ctx context.Context, c docstore.Collection, doc *docstore.Document) error {
			_, err := c.Sent(ctx, us, []docstore.Ref{{ID: doc.ID, Version: 1}})
			return err
		},
		made: func(s stored) bool { return !s.Unsent },
	},
}

// TestUnknownOutcome: whatever happens to a command of a write on its way, the write returns nil if it was made, else
// an error that wraps docstore.ErrUnavailable; it never calls the caller's own document a duplicate or stale. The
// same write then succeeds, or shows that it had been made.
func TestUnknownOutcome(t *testing.T) {
	d := newDatabase(t)
	direct := d.open(t, uri(t))
	for what, w := range faultyWrites {
		for name, f := range faults {
			t.Run(what+", "+name, func(t *testing.T) {
				c, proxy := d.through(t)
				doc := policy(docstore.Keys{"policyNumber": what + name, "holder": "h"})
				doc.Unsent = true
				if what != "insert" && what != "claims of an insert" {
					insert(t, direct, &doc)
				}
				decide, hit := f.once(w.command, w.collection)
				proxy.Decide(decide)
				err := w.write(t.Context(), c, &doc)
				if !hit.Load() {
					t.Fatal("the fault hit nothing")
				}
				live, _ := d.documents(t)
				made := w.made(live[doc.ID]) && live[doc.ID].Version > 0
				switch {
				case made && err != nil:
					t.Errorf("the write was made, and its error is %v", err)
				case !made && !errors.Is(err, docstore.ErrUnavailable):
					t.Errorf("the write was not made, and its error is %v", err)
				case f.done && !made:
					t.Errorf("the server was asked to write, and nothing is written: %v", err)
				}
				err = w.write(t.Context(), c, &doc)
				_, duplicate := docstore.Duplicate(err)
				if repeated := duplicate || errors.Is(err, docstore.ErrStale); err != nil && (!made || !repeated) {
					t.Errorf("the write again: %v", err)
				}
				d.sound(t)
			})
		}
	}
}

// TestPrimaryGone: while the primary is away, every operation returns docstore.ErrUnavailable and the error of the
// context that ended; then the same store serves again by itself.
func TestPrimaryGone(t *testing.T) {
	d := newDatabase(t)
	c, proxy := d.through(t)
	doc := policy(docstore.Keys{"policyNumber": "P-1"})
	insert(t, c, &doc)
	fresh := policy(docstore.Keys{"policyNumber": "P-2"})
	operations := map[string]func(context.Context) error{
		"insert":  func(ctx context.Context) error { return docstore.InsertNew(ctx, c, us, &fresh) },
		"replace": func(ctx context.Context) error { return c.Replace(ctx, us, doc, nil) },
		"sent": func(ctx context.Context) error {
			_, err := c.Sent(ctx, us, []docstore.Ref{{ID: doc.ID, Version: 1}})
			return err
		},
		"get": func(ctx context.Context) error {
			_, err := c.Get(ctx, us, doc.ID)
			return err
		},
	}
	for range 2 {
		proxy.RefuseConnections(true)
		for name, operation := range operations {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			if err := operation(ctx); !errors.Is(err, docstore.ErrUnavailable) {
				t.Errorf("%s while the primary is away: %v", name, err)
			}
			cancel()
		}
		proxy.RefuseConnections(false)
		patient, cancel := context.WithTimeout(t.Context(), time.Minute)
		for operations["get"](patient) != nil && patient.Err() == nil {
		}
		cancel()
		for _, name := range []string{"get", "sent"} {
			if err := operations[name](t.Context()); err != nil {
				t.Errorf("%s after the primary is back: %v", name, err)
			}
		}
	}
	if err := operations["insert"](t.Context()); err != nil {
		t.Errorf("insert after the primary is back: %v", err)
	}
	if err := operations["replace"](t.Context()); err != nil {
		t.Errorf("replace after the primary is back: %v", err)
	}
	d.sound(t)
}
