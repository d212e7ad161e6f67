package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/e2e/trial"
)

// standard is a resource with the four standard operations.
type standard struct {
	name  string
	valid func(testing.TB, *trial.Client) trial.Record
	// change is a member that PUT may change; empty for a record that is immutable.
	change string
}

var resources = []standard{
	{"personal", func(testing.TB, *trial.Client) trial.Record { return personal() }, "firstName"},
	{"policyWording", func(testing.TB, *trial.Client) trial.Record { return wording() }, "name"},
	{"product", product, "contractType"},
	{"vehicle", func(testing.TB, *trial.Client) trial.Record { return vehicle() }, "vin"},
	{"driver", func(testing.TB, *trial.Client) trial.Record { return driver() }, "name"},
	{"motorCoverage", func(t testing.TB, c *trial.Client) trial.Record { return insure(t, c).motor() }, "x-note"},
	{"claim", func(t testing.TB, c *trial.Client) trial.Record { return loss(policy(t, c).Text("policyNumber"), -1) }, "location"},
	{"receipt", func(t testing.TB, c *trial.Client) trial.Record { return receipt(policy(t, c).Text("policyNumber"), 9) }, ""},
	{"premiumBordereau", func(testing.TB, *trial.Client) trial.Record {
		return trial.Record{"treatyReference": fresh("treaty"), "policyNumber": "POL-1", "netPremium": 5, "transactionType": "other"}
	}, "policyholder"},
}

// beside are the members that stand in the answer of a create, beside the record's own.
var beside = []string{"status", "receiptId", "warnings"}

func TestStandardOperations(t *testing.T) {
	t.Parallel()
	for _, r := range resources {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.createAndRead(t, caller(t))
		})
		t.Run(r.name+" replaced", func(t *testing.T) {
			t.Parallel()
			r.replace(t, caller(t))
		})
		t.Run(r.name+" unknown", func(t *testing.T) {
			t.Parallel()
			r.unknown(t, caller(t))
		})
	}
}

func (r standard) createAndRead(t *testing.T, c *trial.Client) {
	// An id is the exchange's to issue.
	answer := c.Post(t, "/"+r.name, r.valid(t, c).With("id", noID)).Want(t, http.StatusCreated)
	made := answer.Record(t)
	path := "/" + r.name + "/" + made.Text("id")
	if location := answer.Header.Get("Location"); location != path || made.Text("id") == noID {
		t.Fatalf("Location is %q, the id %q", location, made.Text("id"))
	}
	read := c.Get(t, path).Want(t, http.StatusOK)
	for name := range made.Without(beside...) {
		if read.Record(t).Text(name) != made.Text(name) {
			t.Errorf("%s is %q, and was %q on create", name, read.Record(t).Text(name), made.Text(name))
		}
	}
	tag := read.Header.Get("ETag")
	if tag == "" || answer.Header.Get("ETag") != tag {
		t.Errorf("ETag is %q, and was %q on create", tag, answer.Header.Get("ETag"))
	}
	for _, known := range []string{tag, `"other", ` + tag, "*", "W/" + tag} {
		if a := c.Get(t, path, "If-None-Match", known); a.Status != http.StatusNotModified || a.Header.Get("ETag") != tag {
			t.Errorf("If-None-Match: %s answers %d", known, a.Status)
		}
	}
	c.Get(t, path, "If-None-Match", `"other"`).Want(t, http.StatusOK)
	listed := slices.ContainsFunc(slices.Collect(list(t, c, "/"+r.name+"?limit=200")), func(one trial.Record) bool {
		return one.Text("id") == made.Text("id")
	})
	if !listed {
		t.Error("the record is not in the list")
	}
}

func (r standard) replace(t *testing.T, c *trial.Client) {
	body := r.valid(t, c)
	path := "/" + r.name + "/" + c.Create(t, r.name, body).Text("id")
	before := c.Get(t, path)
	full := before.Record(t)
	if r.change == "" {
		c.Put(t, path, full).Want(t, http.StatusOK)
		c.Put(t, path, body).Want(t, http.StatusOK)
		c.Put(t, path, full.With("paymentAmount", 10)).Want(t, http.StatusConflict)
		c.Put(t, path, full.With("x-note", "more")).Want(t, http.StatusConflict)
		if after := c.Get(t, path); string(after.Body) != string(before.Body) {
			t.Errorf("the record has changed from %s to %s", before.Body, after.Body)
		}
		return
	}
	value := "other" // a value of every set among the members that are changed
	tag := before.Header.Get("ETag")
	replaced := c.Put(t, path, full.With(r.change, value), "If-Match", tag).Want(t, http.StatusOK)
	wantMembers(t, replaced.Record(t), map[string]string{r.change: value, "id": full.Text("id")})
	after := c.Get(t, path)
	if after.Record(t).Text(r.change) != value || after.Header.Get("ETag") == tag || after.Header.Get("ETag") != replaced.Header.Get("ETag") {
		t.Errorf("after the replacement: %v %s", after.Header, after.Body)
	}
	c.Put(t, path, full.With(r.change, "again"), "If-Match", tag).Want(t, http.StatusPreconditionFailed)
	c.Put(t, path, full.With("id", noID)).Want(t, http.StatusBadRequest)
	wantMembers(t, c.Read(t, path), map[string]string{r.change: value})
	c.Put(t, path, full.Without("id"), "If-Match", "*").Want(t, http.StatusOK)
}

func (r standard) unknown(t *testing.T, c *trial.Client) {
	body := r.valid(t, c)
	for _, id := range []string{noID, "1", "not-a-uuid", "{" + noID + "}", noID + "0", "%00", "%F0%9F%9A%97"} {
		path := "/" + r.name + "/" + id
		c.Get(t, path).Want(t, http.StatusNotFound)
		c.Put(t, path, body).Want(t, http.StatusNotFound)
	}
}

func TestActionsOnUnknownRecords(t *testing.T) {
	t.Parallel()
	c := caller(t)
	for action, body := range map[string]any{
		"/motorCoverage/{id}:endorse": trial.Record{"endorsementType": "addition"},
		"/motorCoverage/{id}:cancel":  nil, "/motorCoverage/{id}:renew": nil,
		"/claim/{id}:settle": trial.Record{"paymentAmount": 1, "paymentMethod": "cash"},
		"/claim/{id}:reopen": nil, "/claim/{id}/documents": trial.Record{"url": "https://files.example/1"},
		"/receipt/{id}:refund": trial.Record{"receiptType": "other"},
	} {
		for _, id := range []string{noID, "1"} {
			if a := c.Post(t, strings.Replace(action, "{id}", id, 1), body); a.Status != http.StatusNotFound {
				t.Errorf("%s of %s: %d %s", action, id, a.Status, a.Body)
			}
		}
	}
}
