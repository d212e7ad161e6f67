package load_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/docstore"

	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

// patience is how long a request waits for a turn.
const patience = 5 * time.Second

// turned returns a budget in which large requests wait for one turn.
func turned() (*load.Budget, *load.Turns) {
	turns := load.NewTurns(1, patience)
	return load.NewBudget(1024*kilobyte, turns), turns
}

// turn waits for a turn.
func turn(ctx context.Context, bytes int) error {
	_, err := docstore.Await(ctx, bytes)
	return err
}

func TestATurnIsWaitedForNoLongerThanItMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, turns := turned()
		first, endFirst := begin(t, b, "ada")
		defer endFirst()
		wants(t, "the first turn", turn(first, load.Large), nil)

		began := time.Now()
		second, endSecond := begin(t, b, "bo")
		defer endSecond()
		wants(t, "a turn that nobody gives back", turn(second, load.Large), problem.Overloaded)
		if waited := time.Since(began); waited != patience || turns.Refused() != 1 {
			t.Errorf("refused after %v, and %d refusals are counted", waited, turns.Refused())
		}

		hasty, leave := context.WithTimeout(second, time.Second)
		defer leave()
		if err := turn(hasty, load.Large); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a request whose time has passed: error %v", err)
		}
		if turns.Waiting() != 0 || turns.Taken() != 1 {
			t.Errorf("%d wait, and %d turns are taken", turns.Waiting(), turns.Taken())
		}
	})
}

func TestTurnsAreGivenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, turns := turned()
		c, endFirst := enter(t.Context(), b)
		first := c.Request.Context()
		defer endFirst()
		if waited, err := docstore.Await(first, load.Large); waited || err != nil {
			t.Errorf("the first turn: waited %v, error %v", waited, err)
		}
		served := make(chan int, 3)
		for i := range cap(served) {
			go func() {
				ctx, end := begin(t, b, "bo")
				defer end()
				if waited, err := docstore.Await(ctx, load.Large); !waited || err != nil {
					t.Errorf("a turn: waited %v, error %v", waited, err)
				}
				served <- i
			}()
			synctest.Wait()
		}
		if turns.Waiting() != cap(served) {
			t.Errorf("%d wait", turns.Waiting())
		}
		c.Writer.WriteHeaderNow() // the response begins
		c.Writer.Flush()          // it has no turn any more
		for want := range cap(served) {
			if got := <-served; got != want {
				t.Errorf("request %d was served, want %d", got, want)
			}
		}
		synctest.Wait()
		if turns.Taken() != 0 {
			t.Errorf("%d turns are taken at the end", turns.Taken())
		}
	})
}

// TestAPartOfARequestNeedsNoTurn checks that a service does not wait for the turn of the request that it works for, and
// that small requests do not wait.
func TestAPartOfARequestNeedsNoTurn(t *testing.T) {
	b, turns := turned()
	ctx, end := begin(t, b, "ada")
	wants(t, "the turn", turn(ctx, load.Large), nil)
	inner, endPart := enter(ctx, b)
	part := inner.Request.Context()
	wants(t, "a part", turn(part, load.Large), nil)
	endPart()
	if turns.Taken() != 1 {
		t.Errorf("%d turns are taken before the request has ended", turns.Taken())
	}
	other, endOther := begin(t, b, "bo")
	defer endOther()
	wants(t, "a small request", turn(other, load.Large-1), nil)
	end()
	if turns.Taken() != 0 {
		t.Errorf("%d turns are taken after the request has ended", turns.Taken())
	}
	wants(t, "after the end", turn(ctx, load.Large), nil)
	if turns.Taken() != 0 {
		t.Error("a request that has ended has a turn")
	}
}
