// Package template has the forms of files that the exchange knows, whose rows become records, and for each form a
// workbook to fill in. What a form has follows from the OpenAPI document, so that a member that is added to a resource
// is a column of its forms.
package template

import (
	"cmp"
	"slices"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/resource"
)

// Form is a form of files that the exchange knows.
type Form struct {
	Name string
	// Records are the records that each row makes, each after those that it refers to.
	Records []reconciliation.FileRecord
	// Columns are the members that may be sent, in the order of the records.
	Columns []reconciliation.FileColumn
}

// line is a line of business: the resource of those who hold its policies, and what the policies insure.
type line struct {
	name, holder string
	insured      []insured
}

// insured is a resource, and the member of a policy that refers to its record.
type insured struct{ resource, member string }

var lines = []line{
	{"businessInterruption", "commercial", []insured{{"property", "propertyRef"}}},
	{"cyberLiability", "commercial", []insured{{"business", "businessId"}}},
	{"motor", "personal", []insured{{"vehicle", "vehicleId"}, {"driver", "driverId"}}},
	{"pet", "personal", []insured{{"pet", "petId"}}},
	{"property", "personal", []insured{{"property", "propertyId"}}},
	{"tradeCredit", "commercial", []insured{{"debtor", "debtorId"}}},
	{"travel", "personal", []insured{{"traveller", "travellerIds"}}},
}

// alone are the resources with a form of their own.
var alone = []string{"beneficiary", "claim", "commercial", "insuranceEntity", "personal", "receipt"}

// The names of records in the forms of lines. What is insured is named as its resource.
const (
	holder = "holder"
	policy = "policy"
)

// Forms returns the forms that are shipped, by name.
func Forms(catalog *resource.Catalog) []Form {
	var all []Form
	for _, of := range lines {
		all = append(all, of.form(catalog))
	}
	for _, name := range alone {
		if f, known := OfResource(catalog, name); known {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b Form) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// form returns the form whose rows make a policy, with the records that it refers to.
func (l line) form(catalog *resource.Catalog) Form {
	f := Form{Name: l.name, Records: []reconciliation.FileRecord{{Name: holder, Resource: l.holder}}}
	values := map[string]string{"policyholderId": "@" + holder + ".id"}
	for _, of := range l.insured {
		f.Records = append(f.Records, reconciliation.FileRecord{Name: of.resource, Resource: of.resource})
		values[of.member] = "@" + of.resource + ".id"
	}
	f.Records = append(f.Records,
		reconciliation.FileRecord{Name: policy, Resource: l.name + "Coverage", Values: values})
	for _, record := range f.Records {
		r, _ := catalog.Find(record.Resource)
		for _, c := range columnsOf(r, record) {
			for i, synonym := range c.Synonyms {
				c.Synonyms[i] = record.Name + "." + synonym
			}
			c.Column = c.Means
			f.Columns = append(f.Columns, c)
		}
	}
	return f
}

// OfResource returns the form whose columns are named as the members of a resource: each row makes one record. known is
// false for a resource that there is not, and for one of which no record can be created.
func OfResource(catalog *resource.Catalog, name string) (f Form, known bool) {
	r, known := catalog.Find(name)
	if !known || !r.Creatable {
		return Form{}, false
	}
	record := reconciliation.FileRecord{Name: name, Resource: name}
	return Form{name, []reconciliation.FileRecord{record}, columnsOf(r, record)}, true
}

// columnsOf returns the columns of a record, named as its members, or as another name under which a member may be sent.
// A member that refers to another record of the row has one too: a row that gives it refers to a record that is there.
func columnsOf(r resource.Resource, record reconciliation.FileRecord) (all []reconciliation.FileColumn) {
	for _, m := range members(r) {
		_, given := record.Values[m.Path]
		c := reconciliation.FileColumn{
			Column: m.Path, Means: record.Name + "." + m.Path,
			Optional: given || !slices.Contains(r.Required, m.Path),
		}
		for _, sent := range r.Sent {
			if sent.Returned == m.Path && sent.Path != m.Path {
				c.Synonyms = append(c.Synonyms, sent.Path)
			}
		}
		all = append(all, c)
	}
	return all
}

// members returns the members of a record that a cell can give, in the order of a response: those that may be sent,
// each once, under the name that responses have. One of any type is left out, as no cell says what is in it.
func members(r resource.Resource) (all []resource.Member) {
	for _, m := range r.Members {
		i := slices.IndexFunc(r.Sent, func(sent resource.Member) bool { return sent.Path == m.Path })
		if i >= 0 && r.Sent[i].Kind != resource.Free {
			all = append(all, r.Sent[i])
		}
	}
	return all
}

// Terms returns the profile by which a file of the form is read, for a format.
func (f Form) Terms(format string) reconciliation.FileProfileTerms {
	terms := reconciliation.FileProfileTerms{
		Format: format, HeaderRow: 1, DecimalMark: ".", Sign: reconciliation.Minus,
		Totals: reconciliation.FileTotals{Rule: reconciliation.NoTotals}, Records: f.Records, Columns: f.Columns,
	}
	if format == reconciliation.CSV {
		terms.Delimiter, terms.Encoding = ",", reconciliation.UTF8
	}
	return terms
}
