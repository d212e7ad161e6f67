package e2e_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

var next = regexp.MustCompile(`^<([^>]+)>; rel="next"$`)

// list yields the records of a list, page by page.
func list(t testing.TB, c *trial.Client, path string) iter.Seq[trial.Record] {
	return func(yield func(trial.Record) bool) {
		t.Helper()
		for path := path; path != ""; {
			page := c.Get(t, path).Want(t, http.StatusOK)
			for _, r := range page.Records(t) {
				if !yield(r) {
					return
				}
			}
			path = ""
			if link := page.Header.Get("Link"); link != "" {
				match := next.FindStringSubmatch(link)
				if match == nil {
					t.Fatalf("Link is %q", link)
				}
				path = match[1]
			}
		}
	}
}

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
	for r := range list(t, c, "/vehicle?limit=7") {
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
