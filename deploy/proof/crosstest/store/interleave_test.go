package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/docstore"
)

// TestAnyInterleaving lets several processes want the same few values at once, in many small groups, with pauses of
// random length before any of their commands, also longer than the patience of a contender, and with some connections
// cut. Afterwards one document at most has each value, nothing acknowledged is lost, and each value can be used.
func TestAnyInterleaving(t *testing.T) {
	const processes, groups, members, steps = 6, 80, 5, 6
	d := newDatabase(t)
	var replicas []docstore.Collection
	seed := chance.Seed(t)
	for n := range processes {
		c, proxy := d.through(t)
		proxy.Decide(disturbing(rand.New(rand.NewPCG(seed, uint64(n)))))
		replicas = append(replicas, c)
	}
	var everyone sync.WaitGroup
	var all []*group
	for i := range groups {
		g := &group{
			values: []string{fmt.Sprintf("a-%d", i), fmt.Sprintf("b-%d", i)}, acknowledged: map[uuid.UUID]int64{},
		}
		all = append(all, g)
		for m := range members {
			everyone.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(processes+i*members+m)))
				g.act(t, random, replicas[(i+m)%processes], steps)
			})
		}
	}
	everyone.Wait()
	d.sound(t)
	live, tombstones := d.documents(t)
	made, unknown := 0, 0
	for _, g := range all {
		unknown += g.unknown
		for id, version := range g.acknowledged {
			made++
			if live[id].Version < version {
				t.Errorf("document %v was acknowledged at version %d and is at %d", id, version, live[id].Version)
			}
		}
	}
	witness := d.open(t, uri(t))
	for _, g := range all {
		for _, value := range g.values {
			everyone.Go(func() { d.usable(t, witness, "policyNumber", value) })
		}
	}
	everyone.Wait()
	d.sound(t)
	t.Logf("%d documents, %d tombstones, %d writes of unknown outcome", made, tombstones, unknown)
	if made < groups {
		t.Errorf("only %d documents were written, in %d groups", made, groups)
	}
}

// disturbing returns what holds commands back, or cuts their connections.
func disturbing(random *rand.Rand) func(wireCommand) wireAction {
	var mu sync.Mutex
	return func(c wireCommand) wireAction {
		mu.Lock()
		defer mu.Unlock()
		return disturbed(random, c)
	}
}

func disturbed(random *rand.Rand, c wireCommand) wireAction {
	within := func(bound time.Duration) time.Duration { return time.Duration(random.Int64N(int64(bound))) }
	if c.Name == "find" {
		return wireAction{}
	}
	longPause := func() time.Duration { return 1100*time.Millisecond + within(400*time.Millisecond) }
	var a wireAction
	switch chance := random.IntN(1000); {
	case chance < 150 && c.Name == "insert" && c.Collection == policies.Name:
		a.Delay = longPause() // between the claims of a document and the document
	case chance < 3:
		a.CutRequest = true
	case chance < 6:
		a.CutReply = true
	case chance < 30:
		a.Delay = longPause()
	case chance < 200:
		a.Delay = within(80 * time.Millisecond)
	case chance < 500:
		a.Delay = within(8 * time.Millisecond)
	}
	return a
}

// group is a few values, and the documents that were written to have them.
type group struct {
	values []string

	mu sync.Mutex
	// acknowledged is the last version of each document that a write returned.
	acknowledged map[uuid.UUID]int64
	ids          []uuid.UUID
	unknown      int
}

// act writes documents and changes those of others, each time with one of the values or none.
func (g *group) act(t *testing.T, random *rand.Rand, c docstore.Collection, steps int) {
	for range steps {
		keys := docstore.Keys{}
		if i := random.IntN(len(g.values) + 1); i < len(g.values) {
			keys["policyNumber"] = g.values[i]
		}
		doc := policy(keys)
		var err error
		if id, ok := g.any(random); ok && random.IntN(4) > 0 {
			if doc, err = c.Get(t.Context(), us, id); err == nil {
				doc.Keys = keys
				err = c.Replace(t.Context(), us, doc, nil)
			}
		} else {
			err = docstore.InsertNew(t.Context(), c, us, &doc)
		}
		g.note(t, doc, err)
	}
}

// any returns the id of a document of the group, if there is one.
func (g *group) any(random *rand.Rand) (uuid.UUID, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.ids) == 0 {
		return uuid.Nil, false
	}
	return g.ids[random.IntN(len(g.ids))], true
}

// note notes the result of a write.
func (g *group) note(t *testing.T, doc docstore.Document, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch _, duplicate := docstore.Duplicate(err); {
	case err == nil:
		if _, known := g.acknowledged[doc.ID]; !known {
			g.ids = append(g.ids, doc.ID)
		}
		g.acknowledged[doc.ID] = max(g.acknowledged[doc.ID], doc.Version+1)
	case errors.Is(err, docstore.ErrUnavailable):
		g.unknown++
	case !duplicate && !errors.Is(err, docstore.ErrStale):
		t.Errorf("write: %v", err)
	}
}
