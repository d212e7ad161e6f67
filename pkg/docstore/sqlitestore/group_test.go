package sqlitestore

import (
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// TestCallersWhoComeRoundShareACommit has four callers write again and again, each a while after the result of its
// last write, so that a round takes longer than the patience with one of them. Once all of them have met, each of
// their rounds is one commit. Time passes only while everybody waits, so that the result does not depend on how fast
// anything is.
func TestCallersWhoComeRoundShareACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, _ := opened(t, filepath.Join(t.TempDir(), "a.db"))
		commits := map[time.Time]bool{} // by the instants of their beginnings
		write := func(*sqlite3.Conn) error {
			commits[store.writer.turn.instant()] = true
			return nil
		}
		const callers, rounds = 4, 5
		release := hold(t, store)
		var done sync.WaitGroup
		for nth := range callers {
			done.Go(func() {
				for range rounds {
					if err := store.writer.do(t.Context(), write); err != nil {
						t.Error(err)
					}
					time.Sleep(patience * 3 / 4 * time.Duration(nth))
				}
			})
		}
		synctest.Wait() // until all of them wait for the writer
		release()
		done.Wait()
		if len(commits) != rounds {
			t.Errorf("%d commits for %d rounds", len(commits), rounds)
		}
	})
}

// TestWhoIsLeftAloneWaitsOnce: a write that others were expected with is committed without them, and the next one at
// once.
func TestWhoIsLeftAloneWaitsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, _ := opened(t, filepath.Join(t.TempDir(), "a.db"))
		write := func() error { return store.writer.do(t.Context(), func(*sqlite3.Conn) error { return nil }) }
		release := hold(t, store)
		first := make(chan error)
		go func() { first <- write() }()
		synctest.Wait() // until it waits for the writer
		began := time.Now()
		release()
		if err := <-first; err != nil || time.Since(began) != patience {
			t.Errorf("the write that is left alone ended after %v: %v", time.Since(began), err)
		}
		if err := write(); err != nil || time.Since(began) != patience {
			t.Errorf("the next one ended %v later: %v", time.Since(began)-patience, err)
		}
	})
}
