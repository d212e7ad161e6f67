package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"insurance.example/exchange/pkg/wait"
)

// caller sends one request after the other.
type caller struct {
	load   *Load
	client *http.Client
	pause  time.Duration
	name   string
	policy record
	random *rand.Rand
	kinds  int // how many kinds of writes it makes in turn
	done   []*write
	number int
	// acknowledged is how many writes were.
	acknowledged atomic.Int64
}

// begin writes the policy that the caller's receipts and claims are for.
func (c *caller) begin(ctx context.Context) error {
	holder, err := c.make(ctx, "personal", record{
		"firstName": "Ada", "lastName": "Lovelace", "dob": "1985-12-10", "idType": "passport", "idNumber": "H" + c.name,
		"address": record{"city": "London", "country": "GB"},
	})
	if err != nil {
		return err
	}
	car, err := c.make(ctx, "vehicle", record{"plateNumber": "C" + c.name, "vin": "WVWZZZ1JZXW000001"})
	if err != nil {
		return err
	}
	driver, err := c.make(ctx, "driver", record{
		"name": "Ada Lovelace", "dob": "1985-12-10", "isPrimaryDriver": true,
		"licence": record{"expiryDate": "2099-12-31"},
	})
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	c.policy, err = c.make(ctx, "motorCoverage", record{
		"policyholderId": holder["id"], "vehicleId": car["id"], "driverId": driver["id"],
		"perils":              []string{"fire", "hail"},
		"grossWrittenPremium": 1200, "inceptionDate": now.AddDate(0, 0, -100).Format(time.RFC3339),
		"expiryDate": now.AddDate(0, 0, 265).Format(time.RFC3339),
	})
	return err
}

// make writes a record while nothing is broken.
func (c *caller) make(ctx context.Context, resource string, body record) (record, error) {
	status, _, got, err := c.send(ctx, http.MethodPost, "/"+resource, body, "")
	if err == nil && status != http.StatusCreated {
		err = fmt.Errorf("%s: status %d: %v", resource, status, got)
	}
	return got, err
}

// run makes one write after the other, and reads one of those that were acknowledged. What it has begun, it finishes.
func (c *caller) run(ctx context.Context) {
	for ctx.Err() == nil {
		w := c.next()
		if !c.settle(w) {
			return
		}
		c.done = append(c.done, w)
		c.acknowledged.Add(1)
		if len(c.done)%2 == 0 {
			c.readAgain(c.done[c.random.IntN(len(c.done))])
		}
		select {
		case <-ctx.Done():
		case <-time.After(c.pause):
		}
	}
}

// How many kinds of writes there are: first those that make records of their own, and then all.
const (
	kindsOfRecords = 6
	kinds          = 10
)

// next returns what to write: in turn a record of each service, receipts the most frequent, and a change of what the
// caller has made. Each record but the policy is changed once at most, so that a request which arrives late cannot
// take back what came after it.
func (c *caller) next() *write {
	c.number++
	mark := fmt.Sprintf("%s-%d", c.name, c.number)
	policy := c.policy["policyNumber"]
	now := time.Now().UTC().AddDate(0, 0, -1).Format(time.RFC3339)
	w := &write{method: http.MethodPost, key: "key-" + mark}
	switch c.number % c.kinds {
	case 0:
		w.resource, w.body = "personal", record{
			"firstName": "Ada", "lastName": "Lovelace", "dob": "1985-12-10", "idType": "passport", "idNumber": mark,
			"address": record{"city": "London", "country": "GB"},
		}
	case 1:
		w.resource, w.body = "policyWording", record{"name": mark, "version": "1", "effectiveDate": "2024-01-01"}
	case 2:
		w.resource, w.body = "vehicle", record{"plateNumber": mark, "vin": "WVWZZZ1JZXW000001"}
	case 3:
		w.resource, w.body = "claim", record{
			"policyNumber": policy, "lossDate": now, "fnol": now, "claimType": "own property damage",
			"location":  "London",
			"lossCause": "hail", "description": mark,
		}
	case 4, 5:
		w.resource, w.amount = "receipt", 1+c.number%7
		w.body = record{
			"receiptType": "new policy", "policyNumber": policy, "paymentAmount": w.amount,
			"premiumPaymentMethod": "cash",
		}
	case 6:
		w.changes, w.method, w.key = c.last("vehicle"), http.MethodPut, ""
		w.body = record{"plateNumber": w.changes.body["plateNumber"], "vin": "WVWZZZ1JZXW000002"}
	case 7:
		w.changes, w.path = c.last("claim"), ":settle"
		w.body = record{"paymentAmount": c.number, "paymentMethod": "cash"}
	case 8:
		// It makes a receipt, and leaves the other as it is.
		paid := c.last("receipt")
		w.resource, w.path, w.amount = "receipt", "/"+paid.id+":refund", -paid.amount
		w.body = record{"receiptType": "new policy"}
	case 9:
		w.changes, w.path = &write{resource: "motorCoverage", id: fmt.Sprint(c.policy["id"])}, ":endorse"
		w.body = record{"endorsementType": "addition", "grossWrittenPremium": 1200 + c.number}
	}
	if w.changes != nil {
		w.resource, w.path = w.changes.resource, "/"+w.changes.id+w.path
	}
	w.path = "/" + w.resource + w.path
	return w
}

// last returns the last record of a resource that was made.
func (c *caller) last(resource string) *write {
	for _, w := range slices.Backward(c.done) {
		if w.resource == resource && w.changes == nil {
			return w
		}
	}
	panic("the caller has made no " + resource) // each turn begins with records
}

// settle sends a write until it is acknowledged. It reports whether it was, which it is not within the patience or
// after a fault.
func (c *caller) settle(w *write) bool {
	for deadline := time.Now().Add(wait.Longest); time.Now().Before(deadline); {
		status, header, got, err := c.send(context.Background(), w.method, w.path, w.body, w.key)
		switch {
		case err != nil:
			c.lost(w.method+" "+w.path, err)
		case status == http.StatusCreated && w.changes == nil, status == http.StatusOK && w.changes != nil,
			status == http.StatusOK && header.Get("Idempotency-Replayed") == "true":
			w.id, _ = got["id"].(string)
			c.load.Counts.Acknowledged.Add(1)
			if w.id == "" {
				c.load.fault("%s %s: status %d without an id: %v", w.method, w.path, status, got)
			}
			return w.id != ""
		case status == http.StatusServiceUnavailable:
			c.unavailable(w.method+" "+w.path, header, got)
		default:
			c.load.fault("%s %s with key %s: status %d: %v", w.method, w.path, w.key, status, got)
			return false
		}
		time.Sleep(200 * time.Millisecond)
	}
	c.load.fault("%s %s with key %s was not acknowledged within %s", w.method, w.path, w.key, wait.Longest)
	return false
}

// readAgain reads a record that was acknowledged.
func (c *caller) readAgain(w *write) {
	path := "/" + w.resource + "/" + w.id
	status, header, got, err := c.send(context.Background(), http.MethodGet, path, nil, "")
	switch {
	case err != nil:
		c.lost("GET "+path, err)
	case status == http.StatusServiceUnavailable:
		c.unavailable("GET "+path, header, got)
	case status != http.StatusOK || got["id"] != w.id:
		c.load.fault("GET %s, which was acknowledged: status %d: %v", path, status, got)
	}
}

// lost counts a request without a response.
func (c *caller) lost(what string, err error) {
	c.load.Counts.LostConnections.Add(1)
	if c.load.Strict.Load() {
		c.load.Counts.StrictFailures.Add(1)
	}
	if c.load.Strict.Load() || !c.load.Entrance.Load() {
		c.load.fault("%s: %v, although the gateway runs", what, err)
	}
}

// unavailable counts a 503, which says when to come again.
func (c *caller) unavailable(what string, header http.Header, problem record) {
	c.load.Counts.Unavailable.Add(1)
	if header.Get("Retry-After") == "" || header.Get("Content-Type") != "application/problem+json" {
		c.load.fault("%s: 503 without Retry-After, or no problem: %v", what, header)
	}
	if c.load.Strict.Load() {
		c.load.Counts.StrictFailures.Add(1)
		c.load.fault("%s: 503 although nothing is broken: %v", what, problem)
	}
}

func (c *caller) send(
	ctx context.Context, method, path string, body record, key string,
) (int, http.Header, record, error) {
	c.load.Counts.Requests.Add(1)
	if c.load.Strict.Load() {
		c.load.Counts.StrictRequests.Add(1)
	}
	response, err := c.load.send(ctx, c.client, method, path, body, key)
	if err != nil {
		return 0, nil, nil, err
	}
	var got record
	if strings.Contains(response.header.Get("Content-Type"), "json") {
		err = response.decode(&got)
	}
	return response.status, response.header, got, err
}
