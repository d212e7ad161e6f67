package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/deploy/e2e/trial"
)

// TestRollLosesNoRequest restarts the replicas of a service one after the other under load. Some callers send one request
// after the other; some leave their connections, and those of the gateway, without requests for a while.
func TestRollLosesNoRequest(t *testing.T) {
	t.Parallel()
	replicas := []string{"products-a", "products-b"}
	e, err := commands.RunReplicas(t.TempDir(), replicas...)
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var sent, made atomic.Int64
	var callers sync.WaitGroup
	for i := range 12 {
		pause := []time.Duration{0, 30 * time.Millisecond, 700 * time.Millisecond, 2900 * time.Millisecond}[i%4]
		callers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				err := rollRequest(t.Context(), c, n%2 == 0)
				sent.Add(1)
				if err != nil {
					t.Errorf("request %d of caller %d: %v", n, i, err)
					return
				}
				if n%2 == 0 {
					made.Add(1)
				}
				select {
				case <-ctx.Done():
				case <-time.After(pause):
				}
			}
		})
	}
	for _, replica := range replicas {
		before := sent.Load()
		if err := e.Stop(replica); err != nil {
			t.Fatal(err)
		}
		if err := e.Restart(replica); err != nil {
			t.Fatal(err)
		}
		if sent.Load() == before {
			t.Errorf("no request was sent while %s was restarted", replica)
		}
	}
	stop()
	callers.Wait()
	var stored int64
	for _, replica := range replicas {
		stored += countWordings(t, c.At("http://"+e.Address(replica)))
	}
	if stored != made.Load() {
		t.Errorf("%d records were acknowledged, and %d are stored", made.Load(), stored)
	}
	t.Logf("%d requests", sent.Load())
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// rollRequest creates a record, or reads the catalogue.
func rollRequest(ctx context.Context, c *trial.Client, create bool) error {
	method, path, want := http.MethodGet, "/productCatalog", http.StatusOK
	var body any
	if create {
		method, path, want, body = http.MethodPost, "/policyWording", http.StatusCreated, wording()
	}
	a, err := c.Send(ctx, method, path, body)
	if err == nil && a.Status != want {
		err = fmt.Errorf("%s %s: status %d: %s", method, path, a.Status, a.Body)
	}
	return err
}

// countWordings counts the records of one replica, page by page.
func countWordings(t *testing.T, direct *trial.Client) int64 {
	t.Helper()
	var all int64
	for path := "/policyWording?limit=200"; ; {
		a := direct.Get(t, path, "X-Exchange-Credential", trial.Credential).Want(t, http.StatusOK)
		all += int64(len(a.Records(t)))
		more := next.FindStringSubmatch(a.Header.Get("Link"))
		if more == nil {
			return all
		}
		path = more[1]
	}
}
