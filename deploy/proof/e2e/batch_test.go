package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// between stands between the composite service and those that it calls. It notes what they create, and kills a process
// when a number of creations are made, before the composite service learns of the last one.
type between struct {
	t *testing.T
	e *trial.Exchange

	mu sync.Mutex
	// created holds the ids of the records by the Idempotency-Key of their creation.
	created map[string]string
	// killAt is the number of records at which victim is killed.
	killAt int
	victim string
}

// pass notes a creation. Its response is lost if the victim is killed.
func (b *between) pass(_, _ string, response *http.Response) error {
	request := response.Request
	if strings.HasPrefix(request.URL.Path, "/internal/") || response.StatusCode != http.StatusCreated {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key := request.Header.Get("Idempotency-Key")
	if was := b.created[key]; was != "" {
		b.t.Errorf("the operation %s has made two records, %s the first", key, was)
	}
	location := response.Header.Get("Location")
	b.created[key] = location[strings.LastIndex(location, "/")+1:]
	if len(b.created) != b.killAt {
		return nil
	}
	if err := b.e.Kill(b.victim); err != nil {
		b.t.Error(err)
	}
	return http.ErrAbortHandler
}

// tenPolicies returns a batch of 50 operations: ten policies, each with its holder, vehicle, driver and a receipt.
func tenPolicies() trial.Record {
	var operations []trial.Record
	add := func(ref, path string, body trial.Record) {
		operations = append(operations, trial.Record{"ref": ref, "method": "POST", "path": path, "body": body})
	}
	for i := range 10 {
		of := func(name string) string { return fmt.Sprint(name, i) }
		add(of("p"), "/personal", personal())
		add(of("v"), "/vehicle", vehicle())
		add(of("d"), "/driver", driver())
		add(of("c"), "/motorCoverage", insured{"@" + of("p") + ".id", "@" + of("v") + ".id",
			"@" + of("d") + ".id"}.motor())
		add(of("r"), "/receipt", receipt("@"+of("c")+".policyNumber", 7))
	}
	return trial.Record{"operations": operations}
}

// TestBatchKilledAfterEveryStep kills the composite service, a service behind it or the gateway after each of the 50
// operations of a batch, and sends the batch again each time. In the end each operation has made one record, and the
// batch names those that were made first.
func TestBatchKilledAfterEveryStep(t *testing.T) {
	t.Parallel()
	b := &between{t: t, created: map[string]string{}}
	e, err := commands.RunComposed(t.TempDir(), trial.Composition{Via: trial.Between(t, "composite", nil, b.pass)})
	trial.EndWith(t, e, err)
	b.e = e
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	batch, key := tenPolicies(), fresh("batch")
	for after := 1; after <= 50; after++ {
		victim := "composite"
		if other := map[int]string{7: "coverage", 20: "premium", 31: "parties", 33: "gateway"}[after]; other != "" {
			victim = other
		}
		b.mu.Lock()
		b.killAt, b.victim = after, victim
		b.mu.Unlock()
		response, err := c.Send(t.Context(), http.MethodPost, "/x/batch", batch, "Idempotency-Key", key)
		switch {
		case victim == "gateway":
			if err == nil {
				t.Fatalf("the gateway was killed, and responds %d %s", response.Status, response.Body)
			}
		case err != nil || response.Status != http.StatusServiceUnavailable:
			t.Fatalf("%s killed after %d operations: %d %s (%v)", victim, after, response.Status,
				response.Body, err)
		case victim != "composite":
			told := response.Record(t)
			done, _ := told["completed"].([]any)
			rest, _ := told["notRun"].([]any)
			failed, _ := told["failed"].(map[string]any)
			if len(done) != after-1 || fmt.Sprint(failed["operation"]) != fmt.Sprint(after-1) || len(rest) != 50-after {
				t.Errorf("%s killed after %d operations: %s", victim, after, response.Body)
			}
		}
		b.mu.Lock() // until the victim has ended and its address is free
		err = e.Restart(victim)
		b.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		wait.Until(t, func() error { // the circuit breakers close again
			response, err := c.Send(t.Context(), http.MethodGet, "/x/policy/POL-NONE", nil)
			if err == nil && response.Status != http.StatusNotFound {
				err = fmt.Errorf("status %d: %s", response.Status, response.Body)
			}
			return err
		})
	}
	var ids [2][]string
	for i := range ids {
		wait.Until(t, func() error {
			response, err := c.Send(t.Context(), http.MethodPost, "/x/batch", batch, "Idempotency-Key", key)
			if err != nil || response.Status != http.StatusOK {
				return fmt.Errorf("%d %s %w", response.Status, response.Body, err)
			}
			for n, one := range response.Record(t)["completed"].([]any) {
				id := trial.Record(one.(map[string]any)).Text("id")
				if ids[i] = append(ids[i], id); id != b.created[fmt.Sprintf("%s#%d", key, n)] {
					t.Errorf("operation %d has the record %s, and made %s", n, id,
						b.created[fmt.Sprintf("%s#%d", key, n)])
				}
			}
			return nil
		})
	}
	if len(b.created) != 50 || len(ids[0]) != 50 || strings.Join(ids[0], " ") != strings.Join(ids[1], " ") {
		t.Errorf("%d records, %d and then %d ids", len(b.created), len(ids[0]), len(ids[1]))
	}
	for resource, want := range map[string]int{"personal": 10, "vehicle": 10, "driver": 10, "motorCoverage": 10,
		"receipt": 10} {
		if all := c.Get(t, "/"+resource).Want(t, http.StatusOK).Records(t); len(all) != want {
			t.Errorf("there are %d records of %s", len(all), resource)
		}
	}
}
