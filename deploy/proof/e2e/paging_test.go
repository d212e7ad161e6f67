package e2e_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// keepInserting writes vehicles until stop is called.
func keepInserting(t *testing.T, c *trial.Client) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var inserters sync.WaitGroup
	for range 2 {
		inserters.Go(func() {
			for ctx.Err() == nil {
				a, err := c.Send(ctx, http.MethodPost, "/vehicle", vehicle())
				if err == nil && a.Status != http.StatusCreated {
					err = errors.New(string(a.Body))
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	return func() {
		cancel()
		inserters.Wait()
	}
}

func TestPagesShowEachRecordOnceWhileOthersInsert(t *testing.T) {
	t.Parallel()
	c := caller(t)
	var initial, seen []string
	for range 120 {
		initial = append(initial, c.Create(t, "vehicle", vehicle()).Text("id"))
	}
	stop := keepInserting(t, c)
	defer stop()
	for r := range trial.List(t, c, "/vehicle?limit=7") {
		if id := r.Text("id"); slices.Contains(initial, id) {
			if seen = append(seen, id); len(seen) == len(initial) {
				stop()
			}
		}
	}
	if !slices.Equal(seen, initial) {
		t.Errorf("%d records are seen of %d, or in another order", len(seen), len(initial))
	}
}
