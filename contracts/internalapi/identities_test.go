package internalapi_test

import (
	"reflect"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/objects"
	"insurance.example/exchange/contracts/parties"
)

// TestWhatIsTaggedIdentifies looks for the members of parties and objects that are tagged as identities, or are dates
// of birth.
func TestWhatIsTaggedIdentifies(t *testing.T) {
	tagged := 0
	for _, of := range []any{
		parties.Personal{}, parties.Commercial{}, parties.InsuranceEntity{}, parties.Beneficiary{}, objects.Vehicle{},
		objects.Driver{}, objects.Traveller{}, objects.Property{}, objects.Pet{}, objects.Debtor{}, objects.Business{},
	} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if _, identity := field.Tag.Lookup("identity"); !identity && !strings.HasSuffix(field.Name, "DOB") {
				continue
			}
			tagged++
			if !internalapi.Identifies(name) {
				t.Errorf("%T: %s identifies, and is shown to others", of, name)
			}
		}
	}
	if tagged < 8 {
		t.Errorf("only %d members identify", tagged)
	}
}

// TestUnidentified takes identities out of a record, in any case and at any depth, and nothing else.
func TestUnidentified(t *testing.T) {
	const record = `{"firstName":"Ann","DOB":"1985-12-10","address":{"city":"Bath","idnumber":"X1"},` +
		`"list":[{"vin":{"a":[1]}},"vin"]}`
	for record, want := range map[string]string{
		record:    `{"firstName":"Ann","address":{"city":"Bath"},"list":[{},"vin"]}`,
		`["dob"]`: `["dob"]`,
		``:        ``,
	} {
		got, err := internalapi.Unidentified([]byte(record))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", record, got, err)
		}
	}
	if got, err := internalapi.Unidentified([]byte(`{"dob":`)); err == nil {
		t.Errorf("what is no JSON is %s", got)
	}
}
