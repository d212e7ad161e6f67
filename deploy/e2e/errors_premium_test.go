package e2e_test

import (
	"maps"
	"net/http"
	"testing"

	"insurance.example/exchange/deploy/e2e/trial"
)

// replay is the fault of an attempt that was made before, with a key.
func replay(t *testing.T, resource string) func(*attempt) {
	return func(a *attempt) {
		a.key = fresh("key")
		first := &attempt{body: maps.Clone(a.body), client: a.client, key: a.key}
		first.send(t, resource).Want(t, http.StatusCreated)
	}
}

func TestErrorsOfReceipt(t *testing.T) {
	t.Parallel()
	c := caller(t)
	number := policy(t, c).Text("policyNumber")
	elsewhere := c.Create(t, "claim", loss(policy(t, c).Text("policyNumber"), -2)).Text("claimNumber")
	checkTable(t, "receipt", func(testing.TB) *attempt { return &attempt{body: receipt(number, 10), client: c} }, []row{
		{
			name: "no reference", place: 1, status: http.StatusBadRequest, title: "reference required",
			fault: func(a *attempt) { delete(a.body, "policyNumber"); delete(a.body, "claimNumber") },
		},
		{name: "receiptType unknown", place: 2, fault: set("receiptType", "whim"), status: http.StatusBadRequest, title: "unknown receipt type"},
		without("receiptType", 2),
		{name: "amount zero", place: 3, fault: set("paymentAmount", 0), status: http.StatusBadRequest, title: "invalid payment amount"},
		{name: "amount negative", place: 3, fault: set("paymentAmount", -5), status: http.StatusBadRequest, title: "invalid payment amount"},
		without("paymentAmount", 3),
		{name: "policy unknown", place: 3.5, fault: set("policyNumber", noPolicy), status: http.StatusNotFound, title: "policy not found"},
		{name: "claim unknown", place: 3.5, fault: set("claimNumber", "CLM-NONE"), status: http.StatusNotFound, title: "claim not found"},
		{name: "claim of another policy", place: 3.5, fault: set("claimNumber", elsewhere), status: http.StatusBadRequest},
		{name: "replay", place: 4, fault: replay(t, "receipt"), status: http.StatusOK},
	})
}

func TestErrorsOfPersonal(t *testing.T) {
	t.Parallel()
	c := caller(t)
	rows := []row{
		{
			name: "scope missing", place: 1, status: http.StatusUnauthorized,
			fault: func(a *attempt) { a.client = client(t, whole, "reader", trial.Developer) },
		},
		{name: "token missing", place: 1, status: http.StatusUnauthorized, fault: func(a *attempt) { a.client = c.With("") }},
	}
	for _, member := range []string{"firstName", "lastName", "dob", "address", "idType", "idNumber"} {
		rows = append(rows, without(member, 2))
	}
	rows = append(rows,
		row{name: "firstName empty", place: 2, fault: set("firstName", ""), status: http.StatusBadRequest},
		row{
			name: "party exists", place: 3, status: http.StatusConflict,
			fault: func(a *attempt) { c.Create(t, "personal", a.body.With("firstName", "Augusta")) },
		},
		row{name: "replay", place: 4, fault: replay(t, "personal"), status: http.StatusOK},
	)
	// Rows 3 and 4 hold together: what the same key made is a replay, so they do not occur at once.
	alone := rows[len(rows)-1]
	checkTable(t, "personal", func(testing.TB) *attempt { return &attempt{body: personal(), client: c} }, rows[:len(rows)-1])
	t.Run(alone.name, func(t *testing.T) {
		t.Parallel()
		a := &attempt{body: personal(), client: c}
		alone.fault(a)
		alone.holds(t, a.send(t, "personal"))
	})
}

func TestPartiesAreKnownByIDTypeAndIDNumber(t *testing.T) {
	t.Parallel()
	c := caller(t)
	first := personal()
	made := c.Create(t, "personal", first)
	conflict := c.Post(t, "/personal", first.With("lastName", "King")).Want(t, http.StatusConflict).Record(t)
	if conflict.Text("existingId") != made.Text("id") {
		t.Errorf("existingId is %q, not %q", conflict.Text("existingId"), made.Text("id"))
	}
	namesake := c.Create(t, "personal", first.With("idType", "national id"))
	conflict = c.Put(t, "/personal/"+namesake.Text("id"), first).Want(t, http.StatusConflict).Record(t)
	if conflict.Text("existingId") != made.Text("id") {
		t.Errorf("existingId on PUT is %q, not %q", conflict.Text("existingId"), made.Text("id"))
	}
	missing := c.Post(t, "/personal", trial.Record{"firstName": "Ada", "address": nil}).Want(t, http.StatusBadRequest).Record(t)
	if is := missing.Pointers(); len(is) != 5 {
		t.Errorf("five members are missing, the errors tell %v", is)
	}
}

func TestErrorsOfProduct(t *testing.T) {
	t.Parallel()
	c := caller(t)
	const catalogue = "unknown productCatalog code"
	body := product(t, c)
	checkTable(t, "product", func(testing.TB) *attempt { return &attempt{body: maps.Clone(body), client: c} }, []row{
		{name: "code 0", place: 1, fault: set("lineOfBusiness", 0), status: http.StatusBadRequest, title: catalogue},
		{name: "code 66", place: 1, fault: set("lineOfBusiness", 66), status: http.StatusBadRequest, title: catalogue},
		without("lineOfBusiness", 1),
		{name: "wording unknown", place: 2, fault: set("wordingId", noID), status: http.StatusNotFound, title: "policy wording not found"},
		{name: "wording no UUID", place: 2, fault: set("wordingId", "3.1"), status: http.StatusNotFound, title: "policy wording not found"},
		{
			name: "wording missing", place: 2, status: http.StatusBadRequest,
			fault: func(a *attempt) { delete(a.body, "wordingId") },
		},
		{name: "currency unknown", place: 3, fault: set("currency", "GBX"), status: http.StatusBadRequest, title: "unsupported currency"},
		{name: "currency in small letters", place: 3, fault: set("currency", "gbp"), status: http.StatusBadRequest, title: "unsupported currency"},
		without("currency", 3),
		{name: "replay", place: 4, fault: replay(t, "product"), status: http.StatusOK},
	})
}
