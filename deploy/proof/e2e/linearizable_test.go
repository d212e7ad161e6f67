package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/wait"
)

// TestHistoriesAreLinearizable has 64 callers read, replace, settle, reopen, cancel and create the same few records at
// once. It kills the exchange meanwhile, and goes on after its restart. For each record, there must be an order of the
// requests that explains all responses, in which each request lies between its start and its end. A request that the
// crash cut off may have happened or not.
func TestHistoriesAreLinearizable(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir())
	trial.EndWith(t, e, err)
	h := &history{
		begin: time.Now(), c: client(t, e, "tester", trial.Developer, trial.Admin),
		of: map[string][]porcupine.Operation{},
	}
	h.prepare(t)
	seed := chance.Seed(t)
	var callers sync.WaitGroup
	for caller := range 64 {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(caller)))
			for h.one(t.Context(), random, caller) == nil { // until the exchange is gone
			}
		})
	}
	wait.Until(t, func() error {
		if n := h.responses(); n < 400 {
			return fmt.Errorf("%d responses", n)
		}
		return nil
	})
	if err := e.Kill("exchange"); err != nil {
		t.Fatal(err)
	}
	callers.Wait()
	if err := e.Restart("exchange"); err != nil {
		t.Fatal(err)
	}
	// The token is verified before 64 callers have it, who would wait for that, and be refused after half a second.
	h.c.Get(t, "/productCatalog")
	for caller := range 64 {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(64+caller)))
			for range 5 {
				if err := h.one(t.Context(), random, 64+caller); err != nil {
					t.Error(err)
				}
			}
		})
	}
	callers.Wait()
	h.check(t)
}

// history records what callers send and get, by the path of the record or the key.
type history struct {
	begin                      time.Time
	c                          *trial.Client
	vehicles, claims, policies []string
	first                      map[string]content

	mu    sync.Mutex
	of    map[string][]porcupine.Operation
	heard int
}

// prepare creates the records: so many that only a few callers use one at once, because the time to check a history
// doubles with each.
func (h *history) prepare(t *testing.T) {
	h.first = map[string]content{}
	for range 12 {
		p := policy(t, h.c)
		h.policies = append(h.policies, "/motorCoverage/"+p.Text("id"))
		h.vehicles = append(h.vehicles, "/vehicle/"+p.Text("vehicleId"))
		h.claims = append(h.claims, "/claim/"+h.c.Create(t, "claim", loss(p.Text("policyNumber"), -1)).Text("id"))
	}
	for _, paths := range [][]string{h.vehicles, h.claims, h.policies} {
		for _, path := range paths {
			response := h.c.Get(t, path).Want(t, http.StatusOK)
			h.first[path] = content{storedOf(path, response.Record(t)), response.Header.Get("ETag")}
		}
	}
}

// one sends a random request, or a read and a replacement of what it returned. It returns an error if no response
// comes, or a wrong one.
func (h *history) one(ctx context.Context, random *rand.Rand, caller int) error {
	value := fresh("v")
	switch choice := random.IntN(100); {
	case choice < 35:
		path := h.vehicles[random.IntN(len(h.vehicles))]
		read, err := h.send(ctx, caller, path, http.MethodGet, path, sending{operation: reading}, nil)
		if err != nil {
			return err
		}
		_, err = h.send(ctx, caller, path, http.MethodPut, path, sending{replacing, value, read.tag},
			vehicle().With("vin", value), "If-Match", read.tag)
		return err
	case choice < 55:
		path, amount := h.claims[random.IntN(len(h.claims))], 1+random.IntN(1_000_000)
		_, err := h.send(ctx, caller, path, http.MethodPost, path+settling,
			sending{operation: settling, value: fmt.Sprint(amount)},
			trial.Record{"paymentAmount": amount, "paymentMethod": "cash"})
		return err
	case choice < 65:
		path := h.claims[random.IntN(len(h.claims))]
		_, err := h.send(ctx, caller, path, http.MethodPost, path+reopening, sending{operation: reopening},
			trial.Record{})
		return err
	case choice < 75:
		paths := append(append([]string{}, h.claims...), h.policies...)
		path := paths[random.IntN(len(paths))]
		_, err := h.send(ctx, caller, path, http.MethodGet, path, sending{operation: reading}, nil)
		return err
	case choice < 80:
		path := h.policies[random.IntN(len(h.policies))]
		_, err := h.send(ctx, caller, path, http.MethodPost, path+cancelling, sending{operation: cancelling},
			trial.Record{"reason": value})
		return err
	default:
		key, body := fmt.Sprintf("shared %d", random.IntN(60)), fmt.Sprintf("body %d", random.IntN(8)/7)
		_, err := h.send(ctx, caller, key, http.MethodPost, "/vehicle", sending{operation: creating, value: body},
			vehicle().With("vin", body), "Idempotency-Key", key)
		return err
	}
}

// send makes a request and records it under a name.
func (h *history) send(
	ctx context.Context, caller int, name, method, path string, sent sending, body any, headers ...string,
) (received, error) {
	var call time.Duration
	var response trial.Response
	var err error
	// All are one caller, whose share of the memory may be used up: then nothing was done.
	for again := true; again && err == nil; again = response.Status == http.StatusTooManyRequests {
		call = time.Since(h.begin)
		response, err = h.c.Send(ctx, method, path, body, headers...)
	}
	done := time.Since(h.begin)
	var got received
	switch {
	case err != nil: // what the exchange did of the request it did before it ended, and so before its connections did
	case response.Status == http.StatusOK, response.Status == http.StatusCreated:
		got = received{status: response.Status, tag: response.Header.Get("ETag")}
		var record trial.Record
		err = json.Unmarshal(response.Body, &record)
		if got.value = storedOf(path, record); sent.operation == creating {
			got.value, got.tag = "", record.Text("id")
		}
	default:
		got.status = response.Status
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if got.status != 0 {
		h.heard++
	}
	h.of[name] = append(h.of[name],
		porcupine.Operation{ClientId: caller, Input: sent, Call: int64(call), Output: got, Return: int64(done)})
	return got, err
}

func (h *history) responses() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.heard
}

// storedOf returns the stored content in a response, as content describes it.
func storedOf(path string, record trial.Record) string {
	switch {
	case strings.HasPrefix(path, "/claim/"):
		payments, _ := record["payments"].([]any)
		value := record.Text("claimStatus") + " "
		for _, payment := range payments {
			amount, _ := payment.(map[string]any)["paymentAmount"]
			value += fmt.Sprintf("+%v", amount)
		}
		return value
	case strings.HasPrefix(path, "/motorCoverage/"):
		return record.Text("status")
	default:
		return record.Text("vin")
	}
}

// check fails the test for each record that has no order of its requests which explains the responses.
func (h *history) check(t *testing.T) {
	t.Helper()
	operations := map[string]int{}
	for name, history := range h.of {
		for _, o := range history {
			operations[fmt.Sprint(o.Input.(sending).operation, " ", o.Output.(received).status)]++
		}
		if result := porcupine.CheckOperationsTimeout(recordModel(h.first[name]), history,
			trial.Patience); result != porcupine.Ok {
			t.Errorf("%s: %s: no order of these explains what the callers got:\n%s", name, result, listed(history))
		}
	}
	for _, wanted := range []string{
		"read 200", "PUT 200", "PUT 412", ":settle 200", ":settle 409", ":reopen 200", ":cancel 200", ":cancel 409",
		"keyed POST 201", "keyed POST 200", "keyed POST 422",
	} {
		if operations[wanted] == 0 {
			t.Errorf("no caller got %s: %v", wanted, operations)
		}
	}
}

// listed returns a history a line each, at most 200 of them.
func listed(history []porcupine.Operation) string {
	var b strings.Builder
	for i, o := range history {
		if i == 200 {
			fmt.Fprintf(&b, "and %d more\n", len(history)-i)
			break
		}
		fmt.Fprintf(&b, "%d to %d: caller %d: %+v gets %+v\n", o.Call, o.Return, o.ClientId, o.Input, o.Output)
	}
	return b.String()
}
