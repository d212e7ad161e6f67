package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/e2e/trial"
)

// TestWrongTypes: all members of a wrong type are told, each with a pointer to what was sent.
func TestWrongTypes(t *testing.T) {
	t.Parallel()
	c := caller(t)
	for body, sent := range map[string]struct {
		resource string
		pointers []string
	}{
		`{"lineOfBusiness":"7","policyFee":"12","currency":5,"wordingId":7,"productModel":[]}`: {
			"product", []string{"/currency", "/lineOfBusiness", "/policyFee", "/productModel", "/wordingId"},
		},
		`{"plateNumber":1,"vin":true,"chassisNumber":{}}`: {"vehicle", []string{"/chassisNumber", "/plateNumber", "/vin"}},
		`{"dob":5,"isPrimaryDriver":"yes","convictions":{},"licence":{"expiryDate":"2026-02-30","country":1}}`: {
			"driver", []string{"/convictions", "/dob", "/isPrimaryDriver", "/licence/country", "/licence/expiryDate"},
		},
		`{"perils":"fire","premium":"much","inceptionDate":1,"vehicleId":[]}`: {
			"motorCoverage", []string{"/inceptionDate", "/perils", "/premium", "/vehicleId"},
		},
		`{"perils":["fire",2]}`:                 {"motorCoverage", []string{"/perils/1"}},
		`{"paymentAmount":1.5}`:                 {"receipt", []string{"/paymentAmount"}},
		`{"paymentAmount":"100"}`:               {"receipt", []string{"/paymentAmount"}},
		`{"paymentAmount":1e400}`:               {"receipt", []string{"/paymentAmount"}},
		`{"paymentAmount":9223372036854775808}`: {"receipt", []string{"/paymentAmount"}},
		`{"address":"12 Square","firstName":1}`: {"personal", []string{"/address", "/firstName"}},
		`{"address":{"city":7,"country":[]}}`:   {"personal", []string{"/address/city", "/address/country"}},
		`{"reserve":0.5,"documents":[1]}`:       {"claim", []string{"/documents/0", "/reserve"}},
	} {
		p := c.Post(t, "/"+sent.resource, body).Want(t, http.StatusBadRequest).Record(t)
		if !slices.Equal(p.Pointers(), sent.pointers) {
			t.Errorf("%s %s: the errors point to %v, not %v", sent.resource, body, p.Pointers(), sent.pointers)
		}
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	c := caller(t)
	all := insure(t, c)
	for _, wrong := range []string{"2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "20260101", "2026-1-1", "01/02/2026", "", "2026-01-01T00:00:00Z"} {
		p := c.Post(t, "/policyWording", wording().With("effectiveDate", wrong)).Want(t, http.StatusBadRequest).Record(t)
		if !slices.Equal(p.Pointers(), []string{"/effectiveDate"}) {
			t.Errorf("%q: the errors point to %v", wrong, p.Pointers())
		}
	}
	c.Create(t, "policyWording", wording().With("effectiveDate", "2024-02-29"))
	for _, wrong := range []string{
		"2026-01-01", "2026-01-01T12:00:00", "2026-02-30T12:00:00Z", "2026-01-01T25:00:00Z", "2026-01-01 12:00:00Z",
		"2026-01-01T12:00Z", "1767225600", "2026-01-01T12:00:00+25:00",
	} {
		p := c.Post(t, "/motorCoverage", all.motor().With("inceptionDate", wrong)).Want(t, http.StatusBadRequest).Record(t)
		if !slices.Equal(p.Pointers(), []string{"/inceptionDate"}) {
			t.Errorf("%q: the errors point to %v", wrong, p.Pointers())
		}
	}
	body := all.motor().With("inceptionDate", "2026-01-01T01:00:00+02:00").With("expiryDate", "2027-01-01T00:00:00.25-01:00")
	wantMembers(t, c.Create(t, "motorCoverage", body), map[string]string{
		"inceptionDate": "2025-12-31T23:00:00Z", "expiryDate": "2027-01-01T01:00:00.25Z",
	})
}

// TestNumbersKeepTheirDigits: money never goes through a binary float on its way.
func TestNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	c := caller(t)
	sold, all := product(t, c), insure(t, c)
	for _, literal := range []string{
		"0.1000000000000000055511151231257827", "1e-30", "12.50", "0.1", "100", "-0.00", "123456789012345678901234567890.123456789", "1E+5",
	} {
		for member, create := range map[string]func(string) (path string, body []byte){
			"policyFee": func(literal string) (string, []byte) { return "/product", object(t, sold, "policyFee", literal) },
			"grossWrittenPremium": func(literal string) (string, []byte) {
				return "/motorCoverage", object(t, all.motor().Without("premium"), "grossWrittenPremium", literal)
			},
		} {
			path, body := create(literal)
			made := c.Post(t, path, body).Want(t, http.StatusCreated)
			stored := path + "/" + made.Record(t).Text("id")
			for what, a := range map[string]trial.Answer{
				"create": made, "read": c.Get(t, stored), "replacement": c.Put(t, stored, body).Want(t, http.StatusOK),
			} {
				if is := a.Record(t).Text(member); is != literal {
					t.Errorf("%s of the %s is %s, not %s", member, what, is, literal)
				}
			}
		}
	}
	number := c.Create(t, "motorCoverage", all.motor()).Text("policyNumber")
	for _, literal := range []string{"12.0", "12", "1.2e1", "120e-1"} {
		made := c.Post(t, "/receipt", object(t, receipt(number, 0), "paymentAmount", literal)).Want(t, http.StatusCreated).Record(t)
		if is := made.Text("paymentAmount"); is != "12" {
			t.Errorf("the amount %s comes back as %s", literal, is)
		}
	}
	huge := object(t, receipt(number, 0), "paymentAmount", "9007199254740993") // no float64
	wantMembers(t, c.Post(t, "/receipt", huge).Want(t, http.StatusCreated).Record(t), map[string]string{"paymentAmount": "9007199254740993"})
}

// TestExtensionsComeBackAsSent: members that the interface does not name are kept byte for value.
func TestExtensionsComeBackAsSent(t *testing.T) {
	t.Parallel()
	c := caller(t)
	const value = `{"n":1.00,"big":12345678901234567890123,"small":1E-7,"s":"é €","b":[true,null,{"deep":[[]]}],"":0}`
	bodies := map[string]trial.Record{
		"/vehicle": vehicle(), "/policyWording": wording(), "/personal": personal(), "/driver": driver(), "/product": product(t, c),
		"/motorCoverage": insure(t, c).motor(), "/premiumBordereau": {},
		"/claim": loss(policy(t, c).Text("policyNumber"), -1), "/receipt": receipt(policy(t, c).Text("policyNumber"), 1),
	}
	for path, body := range bodies {
		made := c.Post(t, path, object(t, body, "x-deployer", value)).Want(t, http.StatusCreated)
		stored := path + "/" + made.Record(t).Text("id")
		read := c.Get(t, stored)
		for _, a := range []trial.Answer{made, read, c.Put(t, stored, read.Body).Want(t, http.StatusOK)} {
			if !bytes.Contains(a.Body, []byte(`"x-deployer":`+value)) {
				t.Errorf("%s: the extension comes back in %s", path, a.Body)
			}
		}
	}
	for path, body := range map[string][]byte{
		"/vehicle":  object(t, vehicle(), "registration", value),
		"/personal": object(t, personal(), "address", `{"city":"London","x-deployer":`+value+`}`),
		"/driver":   object(t, driver(), "licence", `{"licenceNumber":"1","x-deployer":`+value+`}`),
		"/receipt":  object(t, bodies["/receipt"], "receiptCalculation", value),
	} {
		if made := c.Post(t, path, body).Want(t, http.StatusCreated); !bytes.Contains(made.Body, []byte(value)) {
			t.Errorf("%s: the nested value comes back in %s", path, made.Body)
		}
	}
}

func TestNullIsAbsent(t *testing.T) {
	t.Parallel()
	c := caller(t)
	made := c.Create(t, "vehicle", `{"vin":null,"plateNumber":"LV 1815","physical":null}`)
	for _, member := range []string{"vin", "physical"} {
		if value, is := made[member]; is {
			t.Errorf("%s comes back as %v", member, value)
		}
	}
	replaced := c.Put(t, "/vehicle/"+made.Text("id"), `{"vin":"1"}`).Want(t, http.StatusOK)
	if strings.Contains(string(replaced.Body), "plateNumber") {
		t.Errorf("the full record does not replace the stored one: %s", replaced.Body)
	}
	c.Post(t, "/personal", personal().With("firstName", nil)).Want(t, http.StatusBadRequest)
	c.Post(t, "/receipt", receipt(noPolicy, 1).With("policyNumber", nil)).WantProblem(t, http.StatusBadRequest, "reference required")
}

func TestCountriesAndSets(t *testing.T) {
	t.Parallel()
	c := caller(t)
	all, number := insure(t, c), policy(t, c).Text("policyNumber")
	for name, wrong := range map[string]struct {
		resource string
		body     trial.Record
		pointer  string
	}{
		"country unknown":        {"personal", personal().With("address", trial.Record{"country": "XX"}), "/address/country"},
		"country of three":       {"personal", personal().With("address", trial.Record{"country": "GBR"}), "/address/country"},
		"idType unknown":         {"personal", personal().With("idType", "tattoo"), "/idType"},
		"productModel unknown":   {"product", product(t, c).With("productModel", "gift"), "/productModel"},
		"paymentMethod unknown":  {"receipt", receipt(number, 1).With("premiumPaymentMethod", "barter"), "/premiumPaymentMethod"},
		"contractType misspelt":  {"product", product(t, c).With("contractType", "Other"), "/contractType"},
		"transactionType beside": {"premiumBordereau", trial.Record{"transactionType": "premium"}, "/transactionType"},
	} {
		p := c.Post(t, "/"+wrong.resource, wrong.body).Want(t, http.StatusBadRequest).Record(t)
		if !slices.Equal(p.Pointers(), []string{wrong.pointer}) {
			t.Errorf("%s: the errors point to %v", name, p.Pointers())
		}
	}
	// The corrected spelling of a published value is accepted, and stored as published.
	corrected := c.Create(t, "motorCoverage", all.motor().With("perils", []string{"volcanic eruption", "fire"}))
	wantMembers(t, corrected, map[string]string{"perils": "[volcanic erruption fire]"})
	claim := loss(corrected.Text("policyNumber"), -1).With("lossCause", "volcanic eruption")
	wantMembers(t, c.Create(t, "claim", claim), map[string]string{"lossCause": "volcanic erruption"})
}

// object writes a record with one member as the text that is given.
func object(t *testing.T, r trial.Record, name, text string) []byte {
	t.Helper()
	body, err := json.Marshal(r.With(name, json.RawMessage(text)))
	if err != nil {
		t.Fatal(err)
	}
	return body
}
