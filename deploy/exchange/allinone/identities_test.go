package allinone

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/examples"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/wait"
)

// TestIdentitiesAreTheirOwners reads all that the OpenAPI document lets an organisation read of another one's, as one
// with whom every policy is shared and that is the counterparty of the contract: no response has a value by which the
// parties and objects of the other one are identified.
func TestIdentitiesAreTheirOwners(t *testing.T) {
	s := runShared(t, "--test-clock", "2026-03-10T00:00:00Z")
	acme, zenith := s.as("acme"), s.as("zenith")
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	identities := map[string]bool{}
	for _, e := range all {
		identifying(e.Body, identities)
	}
	if len(identities) < 8 {
		t.Fatalf("the examples identify by %v", identities)
	}
	issued := acme.writeExamples(all)
	for example, number := range issued {
		if strings.HasPrefix(example, "POL") {
			acme.want(200, "PUT", "/x/access/"+number, participants("zenith:read,claims,premium"))
		}
	}
	issued[contractExample] = "DEAL-26"
	terms := strings.NewReplacer("2026-01", "2026-03", `["motorCoverage"]`, `["motorCoverage","petCoverage"]`).
		Replace(reportedTerms)
	acme.want(200, "PUT", reportedContract, `{`+terms+`,"counterparty":"zenith","claimsBasis":"all"}`)
	acme.want(200, "POST", "/x/clock:advance", `{"to":"2026-04-01T01:00:00Z"}`)

	walked := &walk{t: t, by: zenith, identities: identities}
	for _, kind := range []string{"premium", "claims"} {
		at := "/x/bordereau/DEAL-26/" + kind + "/2026-03"
		var prepared answer
		wait.Until(t, func() error {
			prepared = acme.send("POST", at+":prepare", `{"type":"original"}`, nil)
			if prepared.status == 503 { // receipts have still to be added to their rows
				return errors.New(prepared.body)
			}
			return nil
		})
		if prepared.status != 201 {
			t.Fatalf("%s is not prepared: %d %s", at, prepared.status, prepared.body)
		}
		acme.want(200, "POST", at+"/versions/1:approve", `{"digest":"`+prepared.named("digest")+`"}`)
		var page struct{ Lines, Claims []struct{ LineID string } }
		text := zenith.want(200, "GET", at+"/versions/1/lines", "").body
		if err := json.Unmarshal([]byte(text), &page); err != nil || len(page.Lines)+len(page.Claims) == 0 {
			t.Fatalf("the lines of %s: %v %s", kind, err, text)
		}
		for _, line := range slices.Concat(page.Lines, page.Claims) {
			source := walked.read(at + "/versions/1/lines/" + line.LineID + "/source")
			if !strings.Contains(source, `"policyholder":{`) {
				t.Errorf("the source of %s has no policyholder: %s", line.LineID, source)
			}
		}
		walked.read(at + "/versions/1/lines.csv")
	}
	of := &comparison{t: t, by: zenith, foreign: issued}
	for _, o := range operationsOfTheDocument(t) {
		if o.method != http.MethodGet {
			continue
		}
		for _, path := range of.paths(strings.ReplaceAll(o.path, "{period}", "2026-03")) {
			walked.read(issued.in(path))
		}
	}
	if walked.found < 50 {
		t.Errorf("only %d responses show something", walked.found)
	}
}

// walk reads for an organisation, and fails the test for each response with an identity of another one.
type walk struct {
	t          *testing.T
	by         *member
	identities map[string]bool
	found      int
}

// read reads a path and returns the body of the response.
func (w *walk) read(path string) string {
	w.t.Helper()
	got := w.by.send("GET", path, "", nil)
	if got.status == 200 {
		w.found++
	}
	for value := range w.identities {
		if strings.Contains(got.body, value) {
			w.t.Errorf("GET %s shows %s: %.3000s", path, value, got.body)
		}
	}
	return got.body
}

// identifying adds the values, of some length and with a digit, of the members of a body that identify.
func identifying(of any, to map[string]bool) {
	switch of := of.(type) {
	case map[string]any:
		for name, value := range of {
			if text, is := value.(string); is && internalapi.Identifies(name) && len(text) > 4 &&
				strings.ContainsAny(text, "0123456789") {
				to[text] = true
			}
			identifying(value, to)
		}
	case []any:
		for _, value := range of {
			identifying(value, to)
		}
	}
}
