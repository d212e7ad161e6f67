package table_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

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

// TestRoundTrip writes records as rows and reads them again. They are the same JSON values, with the same digits.
func TestRoundTrip(t *testing.T) {
	for name, record := range map[string]struct{ resource, text string }{
		"digits": {
			"motorCoverage", `{"grossWrittenPremium":420.500000000000000001,"indemnityLimitPolicy":9007199254740993}`,
		},
		"exponent":               {"motorCoverage", `{"grossWrittenPremium":1.20e+3}`},
		"texts that are numbers": {"vehicle", `{"plateNumber":"007","vin":"1e5"}`},
		"list":                   {"motorCoverage", `{"perils":["fire","theft"]}`},
		"odd lists":              {"propertyCoverage", `{"perils":["a;b"],"propertyIds":[]}`},
		"list of one bracket":    {"motorCoverage", `{"perils":["[x"]}`},
		"list with spaces":       {"motorCoverage", `{"perils":[" fire",""]}`},
		"flag":                   {"driver", `{"isPrimaryDriver":false}`},
		"nested":                 {"personal", `{"firstName":"Ada","address":{"city":"London","country":"GB"}}`},
		"nested but empty":       {"personal", `{"address":{}}`},
		"empty text":             {"personal", `{"firstName":""}`},
		"quoted text":            {"personal", `{"firstName":"\"Ada\"","lastName":" \"B\" "}`},
		"lines":                  {"claim", `{"description":"one\r\ntwo\nthree"}`},
		"free object": {
			"vehicle", `{"registration":{"year":2020,"by":"DVLA","code":"12","marks":[1,"a"],"gone":null,"none":{}}}`,
		},
		"free array": {"driver", `{"convictions":[{"code":"SP30","points":3}]}`},
		"unnamed members": {
			"pet", `{"chip":"985","weight":12.50,"tame":true,"a.b":{"c\\d":"x"},"deep":{"er":{"est":1}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			columns := of(t, record.resource)
			cells, err := columns.Flatten(jsontext.Value(record.text))
			if err != nil {
				t.Fatal(err)
			}
			row := map[string]string{}
			occurring := map[string]bool{}
			for _, cell := range cells {
				row[cell.Column], occurring[cell.Column] = columns.Text(cell), true
			}
			header := columns.Header(occurring)
			var texts []string
			for _, column := range header {
				texts = append(texts, row[column])
			}
			reader, err := columns.NewReader(header)
			if err != nil {
				t.Fatal(err)
			}
			back, err := reader.Record(texts)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := sorted(t, string(back)), sorted(t, record.text); got != want {
				t.Errorf("got  %s\nwant %s\nrow  %q", got, want, row)
			}
		})
	}
}

// sorted returns a JSON text with its members in alphabetical order and its numbers unchanged.
func sorted(t *testing.T, text string) string {
	t.Helper()
	v := jsontext.Value(text)
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return string(v)
}

func TestCells(t *testing.T) {
	for name, c := range map[string]struct{ resource, column, cell, want string }{
		"spreadsheets shout":           {"driver", "isPrimaryDriver", "TRUE", `{"isPrimaryDriver":true}`},
		"number with spaces":           {"pet", "age", " 3.50 ", `{"age":3.50}`},
		"no number goes on as text":    {"pet", "age", "three", `{"age":"three"}`},
		"grouped digits are no number": {"receipt", "paymentAmount", "1,000", `{"paymentAmount":"1,000"}`},
		"payload name":                 {"motorCoverage", "premium", "420.50", `{"premium":420.50}`},
		"payload name of a text":       {"debtor", "parentCompany", "42", `{"parentCompany":"42"}`},
		"nested payload name": {
			"propertyCoverage", "deductibles.deductibleAmountContent", "5",
			`{"deductibles":{"deductibleAmountContent":5}}`,
		},
		"list": {
			"petCoverage", "benefits", "surgery;  dental", `{"benefits":["surgery","dental"]}`,
		},
		"list of identifiers": {"travelCoverage", "travellerIds", "a;b", `{"travellerIds":["a","b"]}`},
		"whole address":       {"personal", "address", `{"city":"Bern"}`, `{"address":{"city":"Bern"}}`},
		"member of a licence": {
			"driver", "licence.expiryDate", "2040-01-01", `{"licence":{"expiryDate":"2040-01-01"}}`,
		},
		"empty is absent":               {"pet", "petName", "", `{}`},
		"unnamed number":                {"pet", "weight", "3", `{"weight":3}`},
		"unnamed number meant as text":  {"pet", "chip", `"3"`, `{"chip":"3"}`},
		"unnamed with leading zeroes":   {"pet", "chip", "003", `{"chip":"003"}`},
		"dot within the name of member": {"pet", `a\.b`, "x", `{"a.b":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			reader, err := of(t, c.resource).NewReader([]string{c.column})
			if err != nil {
				t.Fatal(err)
			}
			got, err := reader.Record([]string{c.cell})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestRowsThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		header, row []string
		want        string
	}{
		"short": {[]string{"petName", "age"}, []string{"Rex"}, "1 cells under 2 columns"},
		"whole and parts": {
			[]string{"address", "address.city"}, []string{`{}`, "Bern"}, "both whole and by its members",
		},
		"not UTF-8": {[]string{"petName"}, []string{"Zo\xeb"}, "petName"},
	} {
		t.Run(name, func(t *testing.T) {
			reader, err := of(t, "pet").NewReader(c.header)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := reader.Record(c.row); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %s, %v; want an error with %q", got, err, c.want)
			}
		})
	}
	for name, header := range map[string][]string{"unnamed": {"petName", ""}, "twice": {"age", "age"},
		"half a name": {"address."}} {
		if _, err := of(t, "pet").NewReader(header); err == nil {
			t.Errorf("%s: header %q is taken", name, header)
		}
	}
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
