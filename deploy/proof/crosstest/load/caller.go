package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// caller sends one request after the other.
type caller struct {
	load   *Load
	client *http.Client
	pause  time.Duration
	name   string
	policy record
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
		"perils":  []string{"fire", "hail"},
		"premium": 1200, "inceptionDate": now.AddDate(0, 0, -100).Format(time.RFC3339),
		"expiryDate": now.AddDate(0, 0, 265).Format(time.RFC3339),
	})
	return err
}

// make writes a record while nothing is broken.
func (c *caller) make(ctx context.Context, resource string, body record) (record, error) {
	status, _, made, err := c.send(ctx, http.MethodPost, "/"+resource, body, "")
	if err == nil && status != http.StatusCreated {
		err = fmt.Errorf("%s: status %d: %v", resource, status, made)
	}
	return made, err
}

// run writes one record after the other, and reads one of those that were acknowledged. What it has begun, it finishes.
func (c *caller) run(ctx context.Context) {
	for ctx.Err() == nil {
		w := c.next()
		if !c.settle(w) {
			return
		}
		c.done = append(c.done, w)
		c.acknowledged.Add(1)
		if len(c.done)%2 == 0 {
			c.readAgain(c.done[rand.IntN(len(c.done))])
		}
		select {
		case <-ctx.Done():
		case <-time.After(c.pause):
		}
	}
}

// resources is how many kinds of records a caller writes in turn.
const resources = 6

// next returns a record to write, of each service in turn; receipts are the most frequent.
func (c *caller) next() *write {
	c.number++
	mark := fmt.Sprintf("%s-%d", c.name, c.number)
	w := &write{key: "key-" + mark}
	policy := c.policy["policyNumber"]
	now := time.Now().UTC().AddDate(0, 0, -1).Format(time.RFC3339)
	switch c.number % resources {
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
	default:
		w.resource, w.body = "receipt", record{
			"receiptType": "new policy", "policyNumber": policy, "paymentAmount": 1 + c.number%7,
			"premiumPaymentMethod": "cash",
		}
	}
	return w
}

// settle sends a write until it is acknowledged. It reports whether it was, which it is not within the patience or
// after a fault.
func (c *caller) settle(w *write) bool {
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); {
		status, header, made, err := c.send(context.Background(), http.MethodPost, "/"+w.resource, w.body, w.key)
		switch {
		case err != nil:
			c.lost("POST /"+w.resource, err)
		case status == http.StatusCreated, status == http.StatusOK && header.Get("Idempotency-Replayed") == "true":
			w.id, _ = made["id"].(string)
			c.load.Counts.Acknowledged.Add(1)
			if w.id == "" {
				c.load.fault("POST /%s: status %d without an id: %v", w.resource, status, made)
			}
			return w.id != ""
		case status == http.StatusServiceUnavailable:
			c.unavailable("POST /"+w.resource, header, made)
		default:
			c.load.fault("POST /%s with key %s: status %d: %v", w.resource, w.key, status, made)
			return false
		}
		time.Sleep(200 * time.Millisecond)
	}
	c.load.fault("POST /%s with key %s was not acknowledged within %s", w.resource, w.key, Patience)
	return false
}

// readAgain reads a record that was acknowledged.
func (c *caller) readAgain(w *write) {
	path := "/" + w.resource + "/" + w.id
	status, header, found, err := c.send(context.Background(), http.MethodGet, path, nil, "")
	switch {
	case err != nil:
		c.lost("GET "+path, err)
	case status == http.StatusServiceUnavailable:
		c.unavailable("GET "+path, header, found)
	case status != http.StatusOK || found["id"] != w.id:
		c.load.fault("GET %s, which was acknowledged: status %d: %v", path, status, found)
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
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.load.base+path, content)
	if err != nil {
		return 0, nil, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.load.token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		// The caller repeats what fails itself, so that each failure is counted.
		request.GetBody = nil
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	c.load.Counts.Requests.Add(1)
	if c.load.Strict.Load() {
		c.load.Counts.StrictRequests.Add(1)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil, nil, err
	}
	var found record
	if strings.Contains(response.Header.Get("Content-Type"), "json") {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		err = decoder.Decode(&found)
	}
	return response.StatusCode, response.Header, found, err
}
