package table_test

import (
	"slices"
	"sync"
	"testing"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/pkg/resource"
)

// published returns the resources of the interface. It reads them once, because that takes longer than any of the
// tests.
var published = sync.OnceValues(func() (*resource.Catalog, error) {
	document, err := openapi.Document(valuesets.Published(), "", openapi.Amounts{})
	if err != nil {
		return nil, err
	}
	return resource.Read(document)
})

// of returns the columns of a resource of the interface.
func of(t *testing.T, name string) table.Columns {
	t.Helper()
	catalog, err := published()
	if err != nil {
		t.Fatal(err)
	}
	r, known := catalog.Find(name)
	if !known {
		t.Fatalf("the document does not describe %s", name)
	}
	return table.Of(r)
}

// TestHeader compares the headers of exports of a resource. They have the same named columns, regardless of the
// records.
func TestHeader(t *testing.T) {
	columns := of(t, "vehicle")
	bare := columns.Header(nil)
	if want := []string{"id", "externalReference", "plateNumber", "vin", "chassisNumber"}; !slices.Equal(bare, want) {
		t.Errorf("without records: %q, want %q", bare, want)
	}
	occurring := map[string]bool{
		"vin": true, "zeal": true, "colour": true, "registration.year": true, "registration.by": true,
	}
	want := slices.Concat(bare, []string{"registration.by", "registration.year", "colour", "zeal"})
	if got := columns.Header(occurring); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got := of(t, "beneficiary").Header(map[string]bool{"address.floor": true})
	if i := slices.Index(got, "address.floor"); i < 0 || got[i-1] != "address.threeWordAddress" {
		t.Errorf("address.floor is not with its address: %q", got)
	}
}
