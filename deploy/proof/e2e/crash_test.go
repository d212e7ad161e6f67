package e2e_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// write is a creation with an Idempotency-Key. id is the id in its response, or "" if there was no response.
type write struct {
	resource, key, id string
	body              trial.Record
}

// crashAmidWrites lets several callers write, kills the process meanwhile, and returns what they sent.
func crashAmidWrites(t *testing.T, e *trial.Exchange, c *trial.Client, policyNumber string) []write {
	t.Helper()
	var (
		mu           sync.Mutex
		sent         []write
		acknowledged int
		writers      sync.WaitGroup
	)
	for range 8 {
		writers.Go(func() {
			for i := 0; ; i++ {
				w := write{resource: "receipt", key: fresh("key"), body: receipt(policyNumber, i+1)}
				if i%4 == 3 {
					w.resource, w.body = "personal", personal()
				}
				response, err := c.Send(t.Context(), http.MethodPost, "/"+w.resource, w.body, "Idempotency-Key", w.key)
				if err == nil && response.Status == http.StatusCreated {
					w.id = response.Record(t).Text("id")
				}
				mu.Lock()
				sent = append(sent, w)
				if w.id != "" {
					acknowledged++
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	wait.Until(t, func() error {
		mu.Lock()
		defer mu.Unlock()
		if acknowledged < 100 {
			return fmt.Errorf("%d writes are acknowledged", acknowledged)
		}
		return nil
	})
	if err := e.Kill("exchange"); err != nil {
		t.Fatal(err)
	}
	writers.Wait()
	return sent
}

// TestCrash kills an exchange during writes and starts it again. Acknowledged writes are kept, other writes can be
// sent again with the same key, and the bordereau counts each receipt once.
func TestCrash(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir())
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	number := policy(t, c).Text("policyNumber")
	sum, receipts := 0, 0
	for range 2 {
		sent := crashAmidWrites(t, e, c, number)
		if err := e.Restart("exchange"); err != nil {
			t.Fatal(err)
		}
		for _, w := range sent {
			response := c.Post(t, "/"+w.resource, w.body, "Idempotency-Key", w.key)
			if response.Status != http.StatusOK && (response.Status != http.StatusCreated || w.id != "") {
				t.Fatalf("a %s sent again, acknowledged as %q: %d %s", w.resource, w.id, response.Status, response.Body)
			}
			if is := response.Record(t).Text("id"); w.id != "" && is != w.id {
				t.Errorf("the %s %s is %s after the crash", w.resource, w.id, is)
			}
			if w.resource == "receipt" {
				amount, _ := w.body["paymentAmount"].(int)
				sum, receipts = sum+amount, receipts+1
			}
		}
	}
	stored := 0
	for range trial.List(t, c, "/receipt?limit=200&policyNumber="+number) {
		stored++
	}
	if stored != receipts {
		t.Errorf("there are %d receipts of %d keys", stored, receipts)
	}
	awaitSum(t, c, number, "new policy", strconv.Itoa(sum))
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
