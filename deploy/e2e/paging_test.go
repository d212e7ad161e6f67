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

	"insurance.example/exchange/deploy/e2e/trial"
)

var next = regexp.MustCompile(`^<([^>]+)>; rel="next"$`)

// list answers the records of a list, from page to page.
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

func TestPageSizes(t *testing.T) {
	t.Parallel()
	c := caller(t)
	number := policy(t, c).Text("policyNumber")
	for amount := range 60 {
		c.Create(t, "receipt", receipt(number, amount+1))
	}
	filter := "/receipt?policyNumber=" + number
	for query, want := range map[string]struct {
		length int
		first  string
		more   bool
	}{
		"":                  {50, "1", true},
		"&limit=1":          {1, "1", true},
		"&limit=59":         {59, "1", true},
		"&limit=60":         {60, "1", false},
		"&limit=200":        {60, "1", false},
		"&skip=10":          {50, "11", false},
		"&skip=55&limit=3":  {3, "56", true},
		"&skip=58&limit=10": {2, "59", false},
	} {
		page := c.Get(t, filter+query).Want(t, http.StatusOK)
		records := page.Records(t)
		if len(records) != want.length || records[0].Text("paymentAmount") != want.first {
			t.Errorf("%q: %d records, the first of %s", query, len(records), records[0].Text("paymentAmount"))
		}
		if more := page.Header.Get("Link") != ""; more != want.more {
			t.Errorf("%q: Link is %q", query, page.Header.Get("Link"))
		}
	}
	var amounts int
	for r := range list(t, c, filter+"&skip=5&limit=4") {
		amounts++
		if r.Text("policyNumber") != number {
			t.Errorf("the next page has lost the filter: %v", r)
		}
	}
	if amounts != 55 {
		t.Errorf("skip and the next pages show %d records of 55", amounts)
	}
	if past := c.Get(t, filter+"&skip=60").Want(t, http.StatusOK); string(past.Body) != "[]" {
		t.Errorf("behind the end is %s", past.Body)
	}
}
