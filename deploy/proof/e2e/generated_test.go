package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/chance"
)

var generatedFor = flag.Duration("generated-for", 0,
	"how long TestGeneratedRequests goes on with seeds that chance chooses")

// TestGeneratedRequests sends requests that are made from the OpenAPI document: valid, nearly valid and hostile ones.
// No response has a status of 500 or above, except 503. Each response fits the document, and each refusal is a problem
// document (trial.Client). Accepted requests fit the document, and reads return what the creation returned.
func TestGeneratedRequests(t *testing.T) {
	t.Parallel()
	e, err := commands.RunInOne(t.TempDir())
	trial.EndWith(t, e, err)
	c := client(t, e, "generator", trial.Developer, trial.Admin)
	doc, stock := served(t, e), stocked(t, c)
	began, random := time.Now(), rand.New(rand.NewPCG(chance.Seed(t), 0))
	for seed := range uint64(math.MaxUint64) {
		if seed >= 20 {
			if time.Since(began) >= *generatedFor || t.Failed() {
				return
			}
			seed = random.Uint64()
		}
		g, err := newGenerator(doc, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range slices.Sorted(maps.Keys(stock)) {
			g.Learn(path, stock[path])
		}
		for n := range 60 {
			r := g.Next()
			if err := respondsAsItShould(t.Context(), c, g, r); err != nil {
				t.Errorf("request %d of seed %d: %v\n%v", n, seed, err, r)
			}
		}
	}
}

// stocked creates a record of each resource that others refer to, and returns them by the path of their resource.
func stocked(t testing.TB, c *trial.Client) map[string]trial.Record {
	t.Helper()
	i := insure(t, c)
	p := c.Create(t, "motorCoverage", i.motor())
	return map[string]trial.Record{
		"/personal": c.Read(t, "/personal/"+i.policyholder), "/vehicle": c.Read(t, "/vehicle/"+i.vehicle),
		"/driver":        c.Read(t, "/driver/"+i.driver),
		"/motorCoverage": p, "/claim": c.Create(t, "claim", loss(p.Text("policyNumber"), -1)),
		"/receipt": c.Create(t, "receipt", receipt(p.Text("policyNumber"), 7)),
		"/product": c.Create(t, "product", product(t, c)),
	}
}

// respondsAsItShould sends a request and returns what is wrong with its response.
func respondsAsItShould(ctx context.Context, c *trial.Client, g *generator, r generatedRequest) error {
	var body any
	if r.Body != nil {
		body = r.Body
	}
	response, err := c.Send(ctx, r.Method, r.Path, body, r.Headers...)
	switch {
	case err != nil:
		return err
	case response.Status >= http.StatusInternalServerError && response.Status != http.StatusServiceUnavailable:
		return fmt.Errorf("status %d: %s", response.Status, response.Body)
	case r.Method == http.MethodGet, response.Status != http.StatusOK &&
		response.Status != http.StatusCreated, strings.HasPrefix(r.Path, "/x/"):
		return nil
	}
	written, err := exactly(response)
	if err != nil || written.Text("id") == "" {
		return err
	}
	resource, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	if response.Status == http.StatusCreated && strings.Contains(r.Path, ":") {
		return nil // the action made a record of another kind
	}
	path := "/" + resource + "/" + written.Text("id")
	read, err := c.Send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	stored, err := exactly(read)
	if err != nil {
		return err
	}
	if read.Status != http.StatusOK {
		return fmt.Errorf("what was written cannot be read: status %d: %s", read.Status, read.Body)
	}
	for name, value := range stored {
		if !reflect.DeepEqual(written[name], value) {
			return fmt.Errorf("%s was answered with %v and is read as %v", name, written[name], value)
		}
	}
	g.Learn(path, stored)
	return nil
}

// exactly returns the record in a response, its numbers as they are written.
func exactly(response trial.Response) (record trial.Record, err error) {
	decoder := json.NewDecoder(bytes.NewReader(response.Body))
	decoder.UseNumber()
	return record, decoder.Decode(&record)
}
