package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// TestCrashBetweenAnyTwoSteps lets a process die before and after each step of each kind of write, and then lets
// another process want the same values. One document at most has a value, nothing acknowledged is lost, and no value
// is lost for ever.
func TestCrashBetweenAnyTwoSteps(t *testing.T) {
	for name, c := range crashes {
		for _, lost := range []string{"request", "reply"} {
			t.Run(name+", "+lost+" lost", func(t *testing.T) {
				t.Parallel()
				d := newDatabase(t)
				s := &scene{database: d, witness: d.open(t, uri(t))}
				var heirs sync.WaitGroup
				for n := 1; ; n++ {
					s.victim, s.proxy = d.through(t) // one that has died stays dead
					s.wanted, s.before, s.elsewhere = value("wanted", n), value("before", n), value("elsewhere", n)
					s.key = value("key", n)
					if survived := crash(t, c, s, n, lost == "reply"); survived {
						if n != c.steps+1 {
							t.Errorf("the write had %d steps, want %d", n-1, c.steps)
						}
						break
					}
					left := *s
					heirs.Go(func() { inherit(t, left) })
				}
				heirs.Wait()
				d.sound(t)
			})
		}
	}
}

// crashing is a kind of write that a process dies in.
type crashing struct {
	// prepare brings the database into the state before the write.
	prepare func(t *testing.T, s *scene)
	// write is the write, about the values of the scene.
	write func(ctx context.Context, s *scene) error
	// steps is the number of commands of the write that change the database.
	steps int
}

// scene is what a kind of write works on.
type scene struct {
	database
	// victim is the store of the process that dies, witness that of one that does not.
	victim, witness docstore.Collection
	// proxy is in front of the victim.
	proxy *wireProxy
	// mine is the document that the victim writes, other one that is there before.
	mine, other docstore.Document
	// wanted is the policyNumber that the write is about; before is what its document had, and elsewhere what the
	// other one has now. key is an idempotency key.
	wanted, before, elsewhere, key string
	// was are the documents after the crash.
	was map[uuid.UUID]stored
}

func value(of string, n int) string { return fmt.Sprintf("%s-%d", of, n) }

var crashes = map[string]crashing{
	"insert": {
		prepare: func(_ *testing.T, s *scene) {
			s.mine = policy(docstore.Keys{"policyNumber": s.wanted, "idempotency": s.key, "holder": "h"})
		},
		write: func(ctx context.Context, s *scene) error { return docstore.InsertNew(ctx, s.victim, us, &s.mine) },
		steps: 2,
	},
	"replace that keeps its values": {
		prepare: func(t *testing.T, s *scene) {
			s.mine = policy(docstore.Keys{"policyNumber": s.wanted})
			insert(t, s.witness, &s.mine)
		},
		write: func(ctx context.Context, s *scene) error { return s.victim.Replace(ctx, us, s.mine, nil) },
		steps: 1,
	},
	"replace that gets a value": {
		prepare: func(t *testing.T, s *scene) {
			s.mine = policy(docstore.Keys{"policyNumber": s.before})
			insert(t, s.witness, &s.mine)
			s.mine.Keys = docstore.Keys{"policyNumber": s.wanted, "idempotency": s.key}
		},
		write: func(ctx context.Context, s *scene) error { return s.victim.Replace(ctx, us, s.mine, nil) },
		steps: 3,
	},
	"insert that takes a value given up": {
		prepare: func(t *testing.T, s *scene) {
			s.givenUp(t)
			s.mine = policy(docstore.Keys{"policyNumber": s.wanted, "idempotency": s.key})
		},
		write: func(ctx context.Context, s *scene) error { return docstore.InsertNew(ctx, s.victim, us, &s.mine) },
		steps: 5,
	},
	"replace that takes a value given up": {
		prepare: func(t *testing.T, s *scene) {
			s.givenUp(t)
			s.mine = policy(docstore.Keys{"policyNumber": s.before})
			insert(t, s.witness, &s.mine)
			s.mine.Keys = docstore.Keys{"policyNumber": s.wanted}
		},
		write: func(ctx context.Context, s *scene) error { return s.victim.Replace(ctx, us, s.mine, nil) },
		steps: 5,
	},
	"replace that gets its former value back": {
		prepare: func(t *testing.T, s *scene) {
			s.givenUp(t)
			s.mine = s.other
			s.mine.Keys = docstore.Keys{"policyNumber": s.wanted}
		},
		write: func(ctx context.Context, s *scene) error { return s.victim.Replace(ctx, us, s.mine, nil) },
		steps: 4,
	},
	"insert after another's crash": {
		prepare: func(t *testing.T, s *scene) {
			s.crashed(t)
			s.mine = policy(docstore.Keys{"policyNumber": s.wanted, "idempotency": s.key})
		},
		write: func(ctx context.Context, s *scene) error { return docstore.InsertNew(ctx, s.victim, us, &s.mine) },
		// The wait for the other makes its id too old, so that it gives the value back and begins anew.
		steps: 7,
	},
	"insert that is refused": {
		prepare: func(t *testing.T, s *scene) {
			s.other = policy(docstore.Keys{"idempotency": s.key})
			insert(t, s.witness, &s.other)
			s.mine = policy(docstore.Keys{"policyNumber": s.wanted, "idempotency": s.key})
		},
		write: func(ctx context.Context, s *scene) error {
			err := docstore.InsertNew(ctx, s.victim, us, &s.mine)
			if index, ok := docstore.Duplicate(err); ok && index == "idempotency" {
				return nil
			}
			return fmt.Errorf("the insert was not refused: %w", err)
		},
		steps: 2,
	},
}

// givenUp stores another document that had the value and has given it up.
func (s *scene) givenUp(t *testing.T) {
	t.Helper()
	s.other = policy(docstore.Keys{"policyNumber": s.wanted})
	insert(t, s.witness, &s.other)
	s.other.Keys = docstore.Keys{"policyNumber": s.elsewhere}
	if err := s.witness.Replace(t.Context(), us, s.other, nil); err != nil {
		t.Fatal(err)
	}
	s.other.Version++
}

// crashed leaves a claim to the value whose owner died before it wrote its document.
func (s *scene) crashed(t *testing.T) {
	t.Helper()
	var dead atomic.Bool
	other, proxy := s.through(t)
	proxy.Decide(func(c wireCommand) wireAction {
		if c.Name == "insert" && c.Collection == policies.Name {
			dead.Store(true)
		}
		return wireAction{CutRequest: dead.Load() && c.Name != "find"}
	})
	err := other.Insert(t.Context(), us, policy(docstore.Keys{"policyNumber": s.wanted}))
	if !errors.Is(err, docstore.ErrUnavailable) {
		t.Fatalf("insert whose document was lost: %v", err)
	}
}

func insert(t *testing.T, c docstore.Collection, doc *docstore.Document) {
	t.Helper()
	if err := docstore.InsertNew(t.Context(), c, us, doc); err != nil {
		t.Fatal(err)
	}
	doc.Version = 1
}

// crash lets a process die at the n-th step of a write, and reports whether the write had fewer.
func crash(t *testing.T, c crashing, s *scene, n int, served bool) (survived bool) {
	t.Helper()
	c.prepare(t, s)

	ctx, die := context.WithCancel(t.Context())
	defer die()
	var commands atomic.Int64
	s.proxy.Decide(func(c wireCommand) wireAction {
		if c.Name == "find" || background(c) {
			// To die at a read is to die before the write after it.
			return wireAction{CutRequest: commands.Load() >= int64(n)}
		}
		switch at := commands.Add(1); {
		case at < int64(n):
			return wireAction{}
		case at == int64(n):
			return wireAction{CutRequest: !served, CutReply: served, Then: die}
		default:
			return wireAction{CutRequest: true}
		}
	})
	err := c.write(ctx, s)
	survived = commands.Load() < int64(n)
	if survived && err != nil {
		t.Fatalf("the write that nothing disturbed: %v", err)
	}
	s.was, _ = s.documents(t)
	s.sound(t)
	return survived
}

// background reports whether a command belongs to the work in the background, on the log of changes.
func background(c wireCommand) bool {
	if strings.HasPrefix(c.Collection, "log.") {
		return true
	}
	for _, one := range c.Documents {
		if logged := one.Lookup("u", "$max"); c.Name == "update" && logged.Value != nil {
			return true
		}
	}
	return false
}

// inherit lets the values of a scene go to somebody who comes later, unless a document has them.
func inherit(t *testing.T, s scene) {
	mine, has := s.was[s.mine.ID]
	has = has && mine.Keys["policyNumber"] == s.wanted
	heir := policy(docstore.Keys{"policyNumber": s.wanted})
	err := docstore.InsertNew(t.Context(), s.witness, us, &heir)
	if index, refused := docstore.Duplicate(err); refused != has || refused && index != "policyNumber" ||
		!refused && err != nil {
		t.Errorf("%s: the document has the value: %v; an insert of the value: %v", s.wanted, has, err)
	}
	found, err := s.witness.Find(t.Context(), us,
		docstore.Query{Equal: docstore.Keys{"policyNumber": s.wanted}, Limit: 2})
	if err != nil || len(found) != 1 || has && found[0].ID != s.mine.ID || !has && found[0].ID != heir.ID {
		t.Errorf("the value %s finds %v, %v", s.wanted, found, err)
	}
	for _, number := range []string{s.before, s.elsewhere} {
		s.usable(t, s.witness, "policyNumber", number)
	}
	s.usable(t, s.witness, "idempotency", s.key)
	now, _ := s.documents(t)
	for id, was := range s.was {
		if now[id].Version != was.Version {
			t.Errorf("%s: document %v was at version %d and is at %d", s.wanted, id, was.Version, now[id].Version)
		}
	}
}
