package e2e_test

import (
	"net/http"
	"testing"

	"insurance.example/exchange/deploy/e2e/trial"
)

// creates are the creates that honour an Idempotency-Key: all of them, those whose row lists it and those without one.
func creates(t testing.TB, c *trial.Client) map[string]trial.Record {
	number := policy(t, c).Text("policyNumber")
	return map[string]trial.Record{
		"personal": personal(), "product": product(t, c), "policyWording": wording(), "vehicle": vehicle(), "driver": driver(),
		"motorCoverage": insure(t, c).motor(), "claim": loss(number, -1), "receipt": receipt(number, 7),
		"premiumBordereau": {"treatyReference": fresh("treaty")},
	}
}

func TestOneKeyMakesOneRecord(t *testing.T) {
	t.Parallel()
	c := caller(t)
	for resource, body := range creates(t, c) {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			key, mark := fresh("key"), fresh("mark")
			body := body.With("x-mark", mark)
			answers := trial.AtOnce(t, 20, func(int) (trial.Answer, error) {
				return c.Send(t.Context(), http.MethodPost, "/"+resource, body, "Idempotency-Key", key)
			})
			if counts := trial.Count(answers); counts[http.StatusCreated] != 1 || counts[http.StatusOK] != 19 {
				t.Fatalf("the answers are %v", counts)
			}
			id := answers[0].Record(t).Text("id")
			for _, a := range answers {
				if a.Record(t).Text("id") != id {
					t.Errorf("one key made %s and %s", id, a.Record(t).Text("id"))
				}
				if replayed := a.Header.Get("Idempotency-Replayed") == "true"; replayed != (a.Status == http.StatusOK) {
					t.Errorf("%d, Idempotency-Replayed: %v", a.Status, replayed)
				}
			}
			if n := marked(t, c, resource, mark); n != 1 {
				t.Errorf("there are %d records", n)
			}
			c.Post(t, "/"+resource, body.With("x-more", 1), "Idempotency-Key", key).Want(t, http.StatusUnprocessableEntity)
			if n := marked(t, c, resource, mark); n != 1 {
				t.Errorf("there are %d records after another request", n)
			}
		})
	}
}

// marked answers how many records of a resource carry a mark.
func marked(t testing.TB, c *trial.Client, resource, mark string) (n int) {
	t.Helper()
	for r := range list(t, c, "/"+resource+"?limit=200") {
		if r.Text("x-mark") == mark {
			n++
		}
	}
	return n
}

func TestScopeOfAKey(t *testing.T) {
	t.Parallel()
	c, other := caller(t), client(t, whole, "another", trial.Admin)
	key := fresh("key")
	first := c.Create(t, "vehicle", vehicle(), "Idempotency-Key", key)
	if theirs := other.Create(t, "vehicle", vehicle(), "Idempotency-Key", key); theirs.Text("id") == first.Text("id") {
		t.Error("a key finds the record of another caller")
	}
	c.Create(t, "policyWording", wording(), "Idempotency-Key", key) // another operation
	keyless := c.Create(t, "vehicle", vehicle())
	if c.Create(t, "vehicle", vehicle()).Text("id") == keyless.Text("id") {
		t.Error("a request without a key is taken for another")
	}
}

// TestSameRequestIsTheSameJSONValue: neither the order of the members nor the form of a number makes another request.
func TestSameRequestIsTheSameJSONValue(t *testing.T) {
	t.Parallel()
	c, key := caller(t), fresh("key")
	made := c.Create(t, "vehicle", `{"vin":"1","x-value":1.50,"x-text":"é"}`, "Idempotency-Key", key)
	again := c.Post(t, "/vehicle", ` { "x-text" : "\u00e9", "x-value": 15e-1, "vin":"1" } `, "Idempotency-Key", key).Want(t, http.StatusOK)
	wantMembers(t, again.Record(t), map[string]string{"id": made.Text("id")})
	for _, another := range []string{
		`{"vin":"1","x-value":1.5000000000000000001,"x-text":"é"}`, `{"vin":"1","x-value":"1.50","x-text":"é"}`, `{"vin":"1","x-text":"é"}`,
	} {
		if a := c.Post(t, "/vehicle", another, "Idempotency-Key", key); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", another, a.Status, a.Body)
		}
	}
}

func TestRefusedRequestDoesNotUseTheKeyUp(t *testing.T) {
	t.Parallel()
	c := caller(t)
	for resource, body := range creates(t, c) {
		key := fresh("key")
		c.Post(t, "/"+resource, `{"id":`, "Idempotency-Key", key).Want(t, http.StatusBadRequest)
		c.Post(t, "/"+resource, body.With("id", 7), "Idempotency-Key", key).Want(t, http.StatusBadRequest)
		c.Create(t, resource, body, "Idempotency-Key", key)
	}
	number, key := policy(t, c).Text("policyNumber"), fresh("key")
	c.Post(t, "/claim", loss(number, 400), "Idempotency-Key", key).Want(t, http.StatusConflict)
	c.Create(t, "claim", loss(number, -1), "Idempotency-Key", key)
}

func TestReplayAnswersTheRecordAsItIsNow(t *testing.T) {
	t.Parallel()
	c, key, body := caller(t), fresh("key"), vehicle()
	path := "/vehicle/" + c.Create(t, "vehicle", body, "Idempotency-Key", key).Text("id")
	c.Put(t, path, body.With("plateNumber", "NEW 1")).Want(t, http.StatusOK)
	now := c.Post(t, "/vehicle", body, "Idempotency-Key", key).Want(t, http.StatusOK).Record(t)
	wantMembers(t, now, map[string]string{"plateNumber": "NEW 1"})
}

func TestActionsAreReplayed(t *testing.T) {
	t.Parallel()
	c := caller(t)
	p := policy(t, c)
	motor, number := "/motorCoverage/"+p.Text("id"), p.Text("policyNumber")
	claim := "/claim/" + c.Create(t, "claim", loss(number, -1)).Text("id")
	paid := "/receipt/" + c.Create(t, "receipt", receipt(number, 3)).Text("id")
	for _, action := range []struct {
		path   string
		body   trial.Record
		status int
	}{
		{motor + ":endorse", trial.Record{"endorsementType": "addition", "x-note": "one"}, http.StatusOK},
		{motor + ":renew", trial.Record{"premium": 1300}, http.StatusCreated},
		{motor + ":cancel", trial.Record{"reason": "sold"}, http.StatusOK},
		{claim + "/documents", trial.Record{"url": "https://files.example/once", "type": "photo"}, http.StatusOK},
		{claim + ":settle", trial.Record{"paymentAmount": 5, "paymentMethod": "cash"}, http.StatusOK},
		{claim + ":reopen", trial.Record{}, http.StatusOK},
		{paid + ":refund", trial.Record{"receiptType": "other"}, http.StatusCreated},
	} {
		key := fresh("key")
		first := c.Post(t, action.path, action.body, "Idempotency-Key", key).Want(t, action.status)
		again := c.Post(t, action.path, action.body, "Idempotency-Key", key).Want(t, http.StatusOK)
		if again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s: the replay is not marked", action.path)
		}
		if string(again.Body) != string(first.Body) {
			t.Errorf("%s: the replay answers %s, and was %s", action.path, again.Body, first.Body)
		}
		c.Post(t, action.path, action.body.With("x-more", 1), "Idempotency-Key", key).Want(t, http.StatusUnprocessableEntity)
	}
	if documents, _ := c.Read(t, claim)["documents"].([]any); len(documents) != 1 {
		t.Errorf("documents are %v", documents)
	}
}
