package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/problem"
)

// unsent are the problems that no request to a healthy exchange gets at once: those of connections, of overload and of
// outages, which have tests of their own, and those that need a setting, a clock that is set, 500 requests, or another
// program in the database.
var unsent = map[string]bool{
	"malformed-request": true, "expectation-failed": true, "header-too-large": true, "slow-body": true,
	"unsupported-transfer-coding": true, "unsupported-http-version": true, "share-used-up": true, "rate-exceeded": true,
	"internal": true, "unavailable": true, "overloaded": true, "length-out-of-range": true, "record-too-large": true,
	"aggregated-member": true, "cursor-expired": true, "record-altered": true, "right-missing": true,
	"findings-open": true, "too-many-contracts": true, "ambiguous": true, "too-many-refusals": true,
}

const noRecord = "0195a000-0000-7000-8000-00000000ffff"

// TestExamplesOfProblemsAreThoseThatAreSent gets each problem by a request, and compares what is sent with the example
// on the problem's page: the members and the words, without ids, numbers of policies, and dates.
func TestExamplesOfProblemsAreThoseThatAreSent(t *testing.T) {
	t.Parallel()
	c := caller(t)
	requests := problemRequests(t, c)
	maps.Copy(requests, deskProblems(t, c))
	kinds := problem.All()
	for _, own := range problems.All() {
		kinds = append(kinds, own)
	}
	for _, kind := range kinds {
		send := requests[kind.Slug()]
		if unsent[kind.Slug()] != (send == nil) {
			t.Errorf("%s: a request is there: %v", kind.Slug(), send != nil)
		}
		if send == nil {
			continue
		}
		got := send()
		var explained struct{ Example json.RawMessage }
		if err := json.Unmarshal(page(t, whole, problem.URI(kind)), &explained); err != nil {
			t.Fatal(err)
		}
		is, want := words(t, got.Body), words(t, explained.Example)
		if !reflect.DeepEqual(is, want) {
			t.Errorf("%s: sent is\n%v, the example is\n%v", kind.Slug(), is, want)
		}
	}
}

// varying is what differs each time.
var varying = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|(POL|CLM)-[0-9A-Z-]+|\d{4}-\d{2}-\d{2}(T[0-9:.]+Z)?`)

// words returns a problem document without what differs each time.
func words(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal(varying.ReplaceAll(text, []byte("…")), &document); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	delete(document, "instance")
	return document
}

// problemRequests returns a request for each problem, by its slug.
func problemRequests(t *testing.T, c *trial.Client) map[string]func() trial.Response {
	i := insure(t, c)
	motor := i.motor()
	written := c.Create(t, "motorCoverage", motor)
	number := written.Text("policyNumber")
	term := trial.Record{
		"policyholderId": i.policyholder, "inceptionDate": instant(-100), "expiryDate": instant(265),
	}
	property := c.Create(t, "property", trial.Record{"propertyType": "Farm"}).Text("id")
	debtor := c.Create(t, "debtor", trial.Record{"name": "Debtor"}).Text("id")
	dog := c.Create(t, "pet", trial.Record{"petKind": "cat"}).Text("id")
	traveller := c.Create(t, "traveller", trial.Record{"firstName": "T"}).Text("id")
	business := c.Create(t, "business", trial.Record{"businessSector": "x"}).Text("id")
	post := func(path string, body trial.Record, headers ...string) func() trial.Response {
		return func() trial.Response { return c.Post(t, path, body, headers...) }
	}
	do := func(method, path string, body any, headers ...string) func() trial.Response {
		return func() trial.Response { return c.Do(t, method, path, body, headers...) }
	}
	cyber := term.With("businessId", business).With("indemnityLimitPolicy", 1)
	travel := term.With("travellerIds", []string{traveller}).With("destination", 250).With("length", 14)
	home := term.With("propertyId", property)
	credit := term.With("debtorId", debtor).With("tradeCreditType", "Single Buyer").With("creditLimit", 1)
	interruption := term.With("propertyId", property).With("type", "Business Interruption").With("IndemnityPeriod", 1)
	pet := term.With("petId", dog)
	claim := c.Create(t, "claim", loss(number, -3))
	paid := c.Create(t, "receipt", receipt(number, 1)).Text("id")
	other := policy(t, c).Text("policyNumber")
	made := product(t, c)
	holder := personal()
	c.Create(t, "personal", holder)
	car := c.Create(t, "vehicle", vehicle()).Text("id")
	return map[string]func() trial.Response{
		"malformed-body":          do("POST", "/vehicle", `{"vin":"1"`),
		"invalid-field":           post("/vehicle", trial.Record{"vin": 1}),
		"bad-parameter":           do("POST", "/vehicle?colour=red", vehicle()),
		"bad-header":              post("/vehicle", vehicle(), "Idempotency-Key", strings.Repeat("k", 256)),
		"required-fields-missing": post("/motorCoverage", motor.Without("policyholderId")),
		"unauthorized": func() trial.Response {
			return client(t, whole, "reader", trial.Developer).Post(t, "/vehicle", vehicle())
		},
		"not-found":             do("GET", "/vehicle/"+noRecord, nil),
		"method-not-allowed":    do("DELETE", "/vehicle", nil),
		"transition-not-listed": func() trial.Response { return cancelTwice(t, c) },
		"precondition-failed":   do("PUT", "/vehicle/"+car, vehicle(), "If-Match", `"another"`),
		"body-too-large": do("POST", "/vehicle", fmt.Sprintf(`{"x":%q}`, strings.Repeat("x", 1<<20)),
			"Content-Type", "application/json"),
		"unsupported-media-type": do("POST", "/vehicle", `{}`, "Content-Type", "text/plain"),
		"idempotency-key-reused": func() trial.Response {
			key := fresh("key")
			c.Create(t, "vehicle", vehicle(), "Idempotency-Key", key)
			return c.Post(t, "/vehicle", vehicle().With("vin", "another"), "Idempotency-Key", key)
		},
		"range-not-satisfiable": do("GET", "/problems/not-found", nil, "Range", "bytes=100000000-"),

		"policyholder-not-found": post("/motorCoverage", motor.With("policyholderId", noRecord)),
		"vehicle-not-found":      post("/motorCoverage", motor.With("vehicleId", noRecord)),
		"driver-not-found":       post("/motorCoverage", motor.With("driverId", noRecord)),
		"business-not-found":     post("/cyberLiabilityCoverage", cyber.With("businessId", noRecord)),
		"property-not-found":     post("/propertyCoverage", home.With("propertyId", noRecord)),
		"underlying-property-not-found": post("/businessInterruptionCoverage",
			interruption.With("propertyId", noRecord)),
		"debtor-not-found": post("/tradeCreditCoverage", credit.With("debtorId", noRecord)),
		"pet-not-found":    post("/petCoverage", pet.With("petId", noRecord)),
		"traveller-not-found": post("/travelCoverage",
			travel.With("travellerIds", []string{traveller, noRecord}).With("isGroup", true)),
		"insurance-entity-not-found": post("/motorCoverage", motor.With("brokerId", noRecord)),
		"policy-wording-not-found":   post("/product", made.With("wordingId", noRecord)),
		"policy-not-found":           post("/claim", loss(strings.Replace(number, "POL-", "POL-0", 1), -3)),
		"claim-not-found": post("/receipt",
			receipt(number, 1).Without("policyNumber").With("claimNumber", "CLM-NONE")),

		"driver-licence-expired-or-missing": func() trial.Response {
			expired := driver().With("licence", trial.Record{"expiryDate": "2024-05-31"})
			return c.Post(t, "/motorCoverage", motor.With("driverId", c.Create(t, "driver", expired).Text("id")))
		},
		"invalid-policy-term":     post("/motorCoverage", motor.With("expiryDate", instant(-101))),
		"unknown-peril-code":      post("/motorCoverage", motor.With("perils", []string{"Fire"})),
		"unknown-peril":           post("/propertyCoverage", home.With("perils", []string{"flood"})),
		"unknown-category":        post("/cyberLiabilityCoverage", cyber.With("scope", []string{"hacking"})),
		"invalid-indemnity-limit": post("/cyberLiabilityCoverage", cyber.With("indemnityLimitPolicy", 0)),
		"group-flag-required":     post("/travelCoverage", travel.With("travellerIds", []string{traveller, traveller})),
		"invalid-destination":     post("/travelCoverage", travel.With("destination", 999)),
		"unknown-property-type": func() trial.Response {
			bare := c.Create(t, "property", trial.Record{"wall": nil}).Text("id")
			return c.Post(t, "/propertyCoverage", home.With("propertyId", bare))
		},
		"unknown-trade-credit-type": post("/tradeCreditCoverage", credit.With("tradeCreditType", "single buyer")),
		"invalid-credit-limit":      post("/tradeCreditCoverage", credit.With("creditLimit", 0)),
		"unknown-bi-type":           post("/businessInterruptionCoverage", interruption.With("type", "interruption")),
		"invalid-indemnity-period":  post("/businessInterruptionCoverage", interruption.With("IndemnityPeriod", 0)),
		"unknown-pet-kind": func() trial.Response {
			kindless := c.Create(t, "pet", trial.Record{"petName": "P"}).Text("id")
			return c.Post(t, "/petCoverage", pet.With("petId", kindless))
		},
		"dog-breed-required":           post("/pet", trial.Record{"petKind": "dog"}),
		"unknown-benefit":              post("/petCoverage", pet.With("benefits", []string{"grooming"})),
		"unknown-claim-type":           post("/claim", loss(number, -3).With("claimType", "hail")),
		"reference-required":           post("/receipt", receipt(number, 1).Without("policyNumber")),
		"unknown-receipt-type":         post("/receipt", receipt(number, 1).With("receiptType", "premium")),
		"invalid-payment-amount":       post("/receipt", receipt(number, 0)),
		"unknown-product-catalog-code": post("/product", made.With("lineOfBusiness", 66)),
		"unsupported-currency":         post("/product", made.With("currency", "euro")),
		"references-do-not-belong-together": post("/receipt",
			receipt(other, 1).With("claimNumber", claim.Text("claimNumber"))),

		"policy-not-in-force-at-loss-date": post("/claim", loss(number, -300)),
		"peril-not-covered": func() trial.Response {
			fire := c.Create(t, "motorCoverage", motor.With("perils", []string{"fire", "theft"})).Text("policyNumber")
			return c.Post(t, "/claim", loss(fire, -3))
		},
		"out-of-sequence": func() trial.Response {
			path := "/motorCoverage/" + policy(t, c).Text("id") + ":endorse"
			c.Post(t, path, endorsedFrom(-3)).Want(t, http.StatusOK)
			return c.Post(t, path, endorsedFrom(-4))
		},
		"party-exists": post("/personal", holder),
		"external-reference-taken": func() trial.Response {
			named := vehicle().With("externalReference", "one car")
			c.Create(t, "vehicle", named)
			return c.Post(t, "/vehicle", named)
		},
		"ambiguous-reference": func() trial.Response {
			c.Create(t, "personal", personal().With("externalReference", "both"))
			c.Create(t, "commercial", trial.Record{"name": "Both Ltd", "externalReference": "both"})
			return c.Post(t, "/motorCoverage", motor.With("policyholderId", "ref:both"))
		},
		"issued-member": do("PUT", "/motorCoverage/"+written.Text("id"),
			motor.With("status", "lapsed")),
		"batch-refused": post("/x/batch", trial.Record{"operations": []trial.Record{
			{"ref": "h", "method": "POST", "path": "/commercial", "body": trial.Record{"name": "Example Carriers"}},
			{"ref": "c", "method": "POST", "path": "/motorCoverage", "body": motor.With("vehicleId", "@v.id")},
		}}, "Idempotency-Key", fresh("key")),
		"webhook-not-accepted": do("PUT", "/x/webhook/refused", trial.Record{"url": refusing(t)}),
		"too-many-webhooks":    tooManyWebhooks(t, c),
		"receipt-immutable":    do("PUT", "/receipt/"+paid, receipt(number, 2)),
		"refund-above-what-is-left": func() trial.Response {
			path := "/receipt/" + c.Create(t, "receipt", receipt(number, 100)).Text("id") + ":refund"
			c.Post(t, path, trial.Record{"receiptType": "other", "paymentAmount": 30}).Want(t, http.StatusCreated)
			return c.Post(t, path, trial.Record{"receiptType": "other", "paymentAmount": 71})
		},
		"receipt-already-reversed": func() trial.Response {
			path := "/receipt/" + c.Create(t, "receipt", receipt(number, 1)).Text("id") + ":refund"
			c.Post(t, path, trial.Record{"receiptType": "other"}).Want(t, http.StatusCreated)
			return c.Post(t, path, trial.Record{"receiptType": "other"})
		},
	}
}

// endorsedFrom is an endorsement that counts from a number of days from now on.
func endorsedFrom(days int) trial.Record {
	return trial.Record{"endorsementType": "addition", "effectiveDate": instant(days)}
}

func cancelTwice(t *testing.T, c *trial.Client) trial.Response {
	path := "/motorCoverage/" + policy(t, c).Text("id") + ":cancel"
	c.Post(t, path, nil).Want(t, http.StatusOK)
	return c.Post(t, path, nil)
}
