package records

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/number"
)

// TestRecordsAreStoredInOrderOfNumbers makes policies from one batch of tails, and compares each with the template:
// their numbers and their ids are in order, and both are in the record.
func TestRecordsAreStoredInOrderOfNumbers(t *testing.T) {
	first := uuid.Must(uuid.NewV7())
	issued := number.Of("POL", first)
	policy := &template{numbered: true, document: docstore.Document{
		ID: first, Body: []byte(`{"id":"` + first.String() + `","policyNumber":"` + issued + `"}`), Keys: docstore.Keys{policyNumber: issued},
	}}
	lastID, lastNumber := first, ""
	for _, tail := range tails(1000) {
		made, err := policy.another(tail)
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ ID, PolicyNumber string }
		if err := json.Unmarshal(made.Body, &body); err != nil {
			t.Fatal(err)
		}
		key := made.Keys[policyNumber]
		if body.ID != made.ID.String() || body.PolicyNumber != key || key != number.Of("POL", made.ID) {
			t.Fatalf("id %v and number %s, and in the record %+v", made.ID, key, body)
		}
		if key < lastNumber || made.ID.String() <= lastID.String() || made.ID.Version() != 7 || made.ID.Variant() != uuid.RFC4122 {
			t.Fatalf("%v with %s follows %v with %s", made.ID, key, lastID, lastNumber)
		}
		lastID, lastNumber = made.ID, key
	}
}
