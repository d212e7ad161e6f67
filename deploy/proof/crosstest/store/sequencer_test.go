package store_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/wait"
)

// TestWritesGoOnWithoutTheSequencer stops what makes the log of changes: each of its commands is refused. Writes go on,
// which are no commands about the log, so that they wait for nothing. Once it goes on, the log has every version of
// every document, once and in order.
func TestWritesGoOnWithoutTheSequencer(t *testing.T) {
	c, proxy := newDatabase(t).through(t)
	log := docstore.Changes(c)
	var stopped atomic.Bool
	var refused atomic.Int64
	proxy.Decide(func(command wireCommand) wireAction {
		if !stopped.Load() || !strings.HasPrefix(command.Collection, "log.") {
			return wireAction{}
		}
		refused.Add(1)
		return wireAction{Reply: bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: 8000}, {Key: "errmsg",
			Value: "the sequencer is stopped"}}}
	})
	const writers, each = 16, 50
	write := func() time.Duration {
		begun := time.Now()
		var all sync.WaitGroup
		for range writers {
			all.Go(func() {
				for range each {
					doc := policy(docstore.Keys{"policyNumber": uuid.NewString()})
					err := docstore.InsertNew(t.Context(), c, us, &doc)
					if doc.Version = 1; err == nil {
						err = c.Replace(t.Context(), us, doc, nil)
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		return time.Since(begun)
	}
	usual := write()
	readLog(t, log, writers*each)
	stopped.Store(true)
	without := write()
	wait.Until(t, func() error {
		if refused.Load() == 0 {
			return errors.New("the sequencer has sent nothing")
		}
		return nil
	})
	begun := time.Now()
	stopped.Store(false)
	readLog(t, log, 2*writers*each)
	t.Logf("%d writes took %v, without the sequencer %v; the log had them %v after it went on", 2*writers*each, usual,
		without, time.Since(begun))
}

// readLog reads the log from its beginning until it has two versions of so many documents, once and in order.
func readLog(t *testing.T, log docstore.Changes, documents int) {
	t.Helper()
	versions, entries, at := map[uuid.UUID]int64{}, 0, docstore.Position("")
	for deadline := time.Now().Add(wait.Longest); entries < 2*documents; {
		page, err := log.Changes(t.Context(), us, at, 500)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range page.Changes {
			if versions[change.ID]++; change.Version != versions[change.ID] {
				t.Fatalf("version %d of %v is entry %d of it", change.Version, change.ID, versions[change.ID])
			}
		}
		at, entries = page.Next, entries+len(page.Changes)
		if time.Now().After(deadline) {
			t.Fatalf("the log has %d entries of %d", entries, 2*documents)
		}
	}
	if len(versions) != documents {
		t.Errorf("the log has %d documents, not %d", len(versions), documents)
	}
}
