package store_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"insurance.example/exchange/pkg/docstore"
)

// race is a process that is held at one of its steps while another one acts.
type race struct {
	database
	slow, fast docstore.Collection
	proxy      *wireProxy
}

func newRace(t *testing.T) *race {
	d := newDatabase(t)
	r := &race{database: d, fast: d.open(t, uri(t))}
	r.slow, r.proxy = d.through(t)
	return r
}

// step is the nth command of a name on a collection.
type step struct {
	command, collection string
	nth                 int
}

// during runs write, which belongs to the slow process, holds it before a step, runs act, lets write go on, and
// returns its error.
func (r *race) during(t *testing.T, write func() error, at step, act func()) error {
	t.Helper()
	arrived, goOn := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(goOn) })
	defer release() // also if act ends the test
	var seen atomic.Int64
	r.proxy.Decide(func(c wireCommand) wireAction {
		if c.Name == at.command && c.Collection == at.collection && seen.Add(1) == int64(at.nth) {
			close(arrived)
			<-goOn
		}
		return wireAction{}
	})
	done := make(chan error, 1)
	go func() { done <- write() }()
	select {
	case <-arrived:
		act()
	case err := <-done:
		t.Fatalf("the write ended before step %v: %v", at, err)
	}
	release()
	return <-done
}

// givenUp stores a document that had a policyNumber and has another now.
func (r *race) givenUp(t *testing.T, number string) docstore.Document {
	t.Helper()
	doc := policy(docstore.Keys{"policyNumber": number})
	insert(t, r.fast, &doc)
	doc.Keys = docstore.Keys{"policyNumber": number + " after"}
	replace(t, r.fast, &doc)
	return doc
}

func replace(t *testing.T, c docstore.Collection, doc *docstore.Document) {
	t.Helper()
	if err := c.Replace(t.Context(), us, *doc, nil); err != nil {
		t.Fatal(err)
	}
	doc.Version++
}

// refused fails the test unless an error is the refusal of an index.
func refused(t *testing.T, err error, index string) {
	t.Helper()
	if name, ok := docstore.Duplicate(err); !ok || name != index {
		t.Errorf("error %v, want the refusal of %s", err, index)
	}
}

// A contender who takes a value that was given up comes too late: the owner has taken it back.
func TestLateTaking(t *testing.T) {
	r := newRace(t)
	owner := r.givenUp(t, "P-1")
	one := policy(docstore.Keys{"policyNumber": "P-1"})
	err := r.during(t, func() error { return r.slow.Insert(t.Context(), us, one) },
		step{"update", policies.Name + ".claims", 1}, func() {
			owner.Keys = docstore.Keys{"policyNumber": "P-1"}
			replace(t, r.fast, &owner)
		})
	refused(t, err, "policyNumber")
	r.sound(t)
}

// An owner who takes back a value that it gave up comes too late: a contender has it.
func TestLateReplacement(t *testing.T) {
	r := newRace(t)
	owner := r.givenUp(t, "P-1")
	owner.Keys = docstore.Keys{"policyNumber": "P-1"}
	contender := policy(docstore.Keys{"policyNumber": "P-1"})
	// The first update of the document only finds that it lacks the value.
	err := r.during(t, func() error {
		return r.slow.Replace(t.Context(), us, owner, nil)
	}, step{"update", policies.Name, 2}, func() {
		insert(t, r.fast, &contender)
	})
	refused(t, err, "policyNumber")
	r.sound(t)
}

// A writer is so slow between its claims and its document that a contender takes it for dead: its document is
// refused, and was never there.
func TestLateDocument(t *testing.T) {
	r := newRace(t)
	late := policy(docstore.Keys{"policyNumber": "P-1", "idempotency": "k"})
	heir := policy(docstore.Keys{"policyNumber": "P-1"})
	err := r.during(t, func() error {
		return r.slow.Insert(t.Context(), us, late)
	}, step{"insert", policies.Name, 1}, func() {
		insert(t, r.fast, &heir)
	})
	// Its time may be over before it hears of the refusal.
	if index, _ := docstore.Duplicate(err); index != docstore.IDIndex && !errors.Is(err, docstore.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
	r.sound(t)
	if _, err := r.fast.Get(t.Context(), us, late.ID); !errors.Is(err, docstore.ErrNotFound) {
		t.Errorf("get of the document that was refused: %v", err)
	}
	late.Version = 1
	if err := r.fast.Replace(t.Context(), us, late, nil); !errors.Is(err, docstore.ErrStale) {
		t.Errorf("replace of the document that was refused: %v", err)
	}
	late.Version = 0
	if err := r.fast.Replace(t.Context(), us, late, nil); !errors.Is(err, docstore.ErrStale) {
		t.Errorf("replace of version 0 of the document that was refused: %v", err)
	}
	everything, err := r.fast.Find(t.Context(), us, docstore.Query{Limit: 9})
	if err != nil || len(everything) != 1 || everything[0].ID != heir.ID {
		t.Errorf("there are %v, %v", everything, err)
	}
	r.usable(t, r.fast, "idempotency", "k")
	r.sound(t)
}

// A refused writer deletes its claims late: a contender has taken one of them meanwhile.
func TestLateRelease(t *testing.T) {
	r := newRace(t)
	taken := policy(docstore.Keys{"idempotency": "k"})
	insert(t, r.fast, &taken)
	loser := policy(docstore.Keys{"policyNumber": "P-1", "idempotency": "k"})
	heir := policy(docstore.Keys{"policyNumber": "P-1"})
	err := r.during(t, func() error {
		return r.slow.Insert(t.Context(), us, loser)
	}, step{"delete", policies.Name + ".claims", 1}, func() {
		insert(t, r.fast, &heir)
	})
	refused(t, err, "idempotency")
	r.sound(t)
}

// The same document gets the same value from two writers: the one that is refused leaves the claim to the other.
func TestLateReleaseOfOwnValue(t *testing.T) {
	r := newRace(t)
	doc := policy(nil)
	insert(t, r.fast, &doc)
	doc.Keys = docstore.Keys{"policyNumber": "P-1"}
	err := r.during(t, func() error {
		return r.slow.Replace(t.Context(), us, doc, nil)
	}, step{"insert", policies.Name + ".claims", 1}, func() {
		again := doc
		replace(t, r.fast, &again)
	})
	if !errors.Is(err, docstore.ErrStale) {
		t.Errorf("error %v, want that of a stale version", err)
	}
	r.sound(t)
}
