package store_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// TestAKilledWriterHoldsNoPageBack kills a process that has announced the ids of its writes, and reads the first page
// of a list: others take the announcement away, and the page comes.
func TestAKilledWriterHoldsNoPageBack(t *testing.T) {
	b := newBook(t)
	c := caller(t, b.Exchange)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var writing sync.WaitGroup
	for range 4 {
		writing.Go(func() {
			for ctx.Err() == nil {
				// What fails in the crash is not repeated.
				_, _ = c.Send(ctx, http.MethodPost, "/commercial", trial.Record{"name": "Example Ltd"})
			}
		})
	}
	wait.Until(t, func() error {
		if got := c.Get(t, "/commercial?limit=200"); got.Status != http.StatusOK || len(got.Records(t)) < 20 {
			return fmt.Errorf("status %d", got.Status)
		}
		return nil
	})
	if err := b.Kill("parties"); err != nil {
		t.Fatal(err)
	}
	stop()
	writing.Wait()
	if err := b.Restart("parties"); err != nil {
		t.Fatal(err)
	}
	made := c.Create(t, "beneficiary", trial.Record{"name": "First of its kind"}).Text("id")
	c.Create(t, "beneficiary", trial.Record{"name": "Second"})
	wait.Until(t, func() error {
		got := c.Get(t, "/beneficiary?limit=1")
		if got.Status != http.StatusOK {
			return fmt.Errorf("status %d", got.Status)
		}
		if records := got.Records(t); len(records) != 1 || records[0].Text("id") != made {
			t.Errorf("the page is %s", got.Body)
		}
		return nil
	})
}
