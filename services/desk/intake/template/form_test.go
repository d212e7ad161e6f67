package template_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/services/desk/intake/template"
)

func published(t *testing.T) *resource.Catalog {
	t.Helper()
	catalog, err := resource.Read(openapi.Published())
	if err != nil {
		t.Fatal(err)
	}
	return catalog
}

// every returns the forms that are shipped, and those of all resources.
func every(t *testing.T, catalog *resource.Catalog) []template.Form {
	t.Helper()
	all := template.Forms(catalog)
	for _, r := range catalog.All() {
		f, known := template.OfResource(catalog, r.Name)
		if known != r.Creatable {
			t.Errorf("%s can be created: %v, and has a form: %v", r.Name, r.Creatable, known)
		}
		if known {
			all = append(all, f)
		}
	}
	if _, known := template.OfResource(catalog, "boat"); known {
		t.Error("there is a form of a resource that there is not")
	}
	return all
}

// TestForms looks for a form of each line, of the parties, of claims and of receipts.
func TestForms(t *testing.T) {
	t.Parallel()
	catalog := published(t)
	forms, makes := template.Forms(catalog), map[string]int{}
	var names []string
	for _, f := range forms {
		names = append(names, f.Name)
		if last := f.Records[len(f.Records)-1].Resource; len(f.Records) > 1 || f.Name == last {
			makes[last]++
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("the forms are %q", names)
	}
	want := map[string]int{}
	for _, r := range catalog.All() {
		if r.Creatable && strings.HasSuffix(r.Name, "Coverage") {
			want[r.Name] = 1
		}
	}
	if len(want) != 7 {
		t.Errorf("there are %d lines", len(want))
	}
	for _, name := range []string{"personal", "commercial", "insuranceEntity", "beneficiary", "claim", "receipt"} {
		want[name] = 1
	}
	if !maps.Equal(makes, want) {
		t.Errorf("there are forms that make %v; want %v", makes, want)
	}
}

// TestColumnsOfForms compares the columns of each form with the members that the document has.
func TestColumnsOfForms(t *testing.T) {
	t.Parallel()
	catalog := published(t)
	for _, f := range every(t, catalog) {
		places := map[string]int{}
		for i, c := range f.Columns {
			name, path, _ := strings.Cut(c.Means, ".")
			at := slices.IndexFunc(f.Records, func(r reconciliation.FileRecord) bool { return r.Name == name })
			if at < 0 {
				t.Fatalf("%s: %s is of no record", f.Name, c.Means)
			}
			r, _ := catalog.Find(f.Records[at].Resource)
			sends := slices.ContainsFunc(r.Sent, func(m resource.Member) bool {
				return m.Path == path && m.Kind != resource.Free && m.Returned == ""
			})
			_, given := f.Records[at].Values[path]
			if !sends {
				t.Errorf("%s: %s cannot be sent", f.Name, c.Means)
			}
			if c.Optional != (given || !slices.Contains(r.Required, path)) {
				t.Errorf("%s: %s is optional: %v", f.Name, c.Means, c.Optional)
			}
			head := c.Means
			if len(f.Records) == 1 {
				head = path
			}
			if _, twice := places[c.Means]; twice || c.Column != head {
				t.Errorf("%s: the column %s means %s, twice: %v", f.Name, c.Column, c.Means, twice)
			}
			places[c.Means] = i
		}
		before := map[string]bool{}
		for _, record := range f.Records {
			r, known := catalog.Find(record.Resource)
			if !known || !r.Creatable {
				t.Errorf("%s makes a record of %s", f.Name, record.Resource)
			}
			inOrder(t, f, record, r, places)
			for path, value := range record.Values {
				to, is := strings.CutSuffix(strings.TrimPrefix(value, "@"), ".id")
				refers := slices.ContainsFunc(r.Sent, func(m resource.Member) bool {
					return m.Path == path && m.Refers
				})
				if !is || !refers || !before[to] {
					t.Errorf("%s: %s.%s is %s", f.Name, record.Name, path, value)
				}
			}
			before[record.Name] = true
		}
	}
}

// inOrder fails the test unless the columns of a record are in the order of its members, and there is one for each
// member that is required or that a cell can give.
func inOrder(
	t *testing.T, f template.Form, record reconciliation.FileRecord, r resource.Resource, places map[string]int,
) {
	t.Helper()
	last, there := -1, slices.Collect(maps.Keys(record.Values))
	for _, m := range r.Members {
		place, is := places[record.Name+"."+m.Path]
		if is && place < last {
			t.Errorf("%s: %s is in column %d, after column %d", f.Name, m.Path, place, last)
		}
		if is {
			last, there = place, append(there, m.Path, resource.Split(m.Path)[0])
		}
	}
	for _, name := range r.Required {
		if !slices.Contains(there, name) {
			t.Errorf("%s: nothing gives %s, which a record of %s must have", f.Name, name, r.Name)
		}
	}
	for _, m := range r.Sent {
		if m.Kind != resource.Free && m.Returned == "" && !slices.Contains(there, m.Path) {
			t.Errorf("%s: nothing gives %s of %s", f.Name, m.Path, r.Name)
		}
	}
}

// TestTerms compares the profile of a form with what is declared of its files.
func TestTerms(t *testing.T) {
	t.Parallel()
	f := template.Forms(published(t))[0]
	for format, want := range map[string][2]string{reconciliation.CSV: {",", "utf-8"}, reconciliation.XLSX: {}} {
		is := f.Terms(format)
		if is.Format != format || is.HeaderRow != 1 || is.Sign != "minus" || is.Totals.Rule != "none" ||
			is.DecimalMark != "." || is.Delimiter != want[0] || is.Encoding != want[1] || is.DateOrder != "" ||
			len(is.Records) != len(f.Records) || len(is.Columns) != len(f.Columns) {
			t.Errorf("%s: %+v", format, is)
		}
	}
}
