package template_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/pkg/sheet/sheettest"
	"insurance.example/exchange/services/desk/intake/template"
)

func written(t *testing.T, f template.Form, catalog *resource.Catalog) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := template.Write(&text, f, catalog); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return text.Bytes()
}

// examples are cells of the example row, by the names of forms and columns.
var examples = map[string]map[string]sheet.Cell{
	"motor": {
		"holder.firstName": {Text: "Ada"}, "holder.lastName": {Text: "Example"},
		"holder.address.building":   {Text: "12"},
		"holder.dob":                {Kind: sheet.Day, Text: "1990-12-10"},
		"holder.address.streetName": {Text: "Example Street"},
		"holder.address.city":       {Text: "London"}, "holder.address.country": {Text: "GB"},
		"holder.address.postalCode": {Text: "SW1Y 4JH"}, "holder.idType": {Text: "passport"},
		"holder.idNumber": {Text: "X1234567"}, "vehicle.plateNumber": {Text: "EX 2026"},
		"vehicle.vin": {Text: "WVWZZZ1JZXW000001"}, "driver.name": {Text: "Ada Example"},
		"driver.driverDOB":       {Kind: sheet.Day, Text: "1990-12-10"},
		"driver.isPrimaryDriver": {Text: "TRUE"}, "driver.licence.licenceNumber": {Text: "EXAMP"},
		"driver.licence.expiryDate": {Kind: sheet.Day, Text: "2099-12-31"}, "driver.licence.country": {Text: "GB"},
		"policy.perils": {Text: "fire; theft"}, "policy.grossWrittenPremium": {Kind: sheet.Number, Text: "420"},
		"policy.inceptionDate": {Text: "2026-01-01T00:00:00Z"}, "policy.expiryDate": {Text: "2027-01-01T00:00:00Z"},
	},
	"commercial": {
		"name": {Text: "Example Carriers Ltd"}, "registrationNumber": {Text: "09876543"},
		"registeredAddress.city": {Text: "Leeds"}, "registeredAddress.country": {Text: "GB"},
	},
	"beneficiary": {
		"name": {Text: "Bea Example"}, "share": {Kind: sheet.Number, Text: "0.5"}, "address.city": {Text: "London"},
		"address.country": {Text: "GB"},
	},
	"travel": {
		"policy.destination": {Kind: sheet.Number, Text: "250"}, "policy.length": {Kind: sheet.Number, Text: "14"},
		"policy.isAnnualPolicy": {Text: "FALSE"}, "policy.isGroup": {Text: "FALSE"},
		"traveller.dob": {Kind: sheet.Day, Text: "1990-12-10"},
	},
	"property": {
		"policy.deductibleAmountBuilding": {Kind: sheet.Number, Text: "500"},
		"policy.deductibleAmountContent":  {Kind: sheet.Number, Text: "250"},
	},
	"businessInterruptionCoverage": {
		"propertyRef":       {Text: "0195a000-0000-7000-8000-000000000007"},
		"type":              {Text: "Business Interruption"},
		"IndemnityPeriod":   {Kind: sheet.Number, Text: "12"},
		"grossAnnualProfit": {Kind: sheet.Number, Text: "300000"},
	},
}

// whole are the forms of which examples has all cells.
var whole = []string{"motor", "commercial", "beneficiary", "businessInterruptionCoverage"}

// TestWorkbooksReadBack reads the workbook of each form: it has the header, and one row with a value in each cell that
// is required.
func TestWorkbooksReadBack(t *testing.T) {
	t.Parallel()
	catalog, tried := published(t), map[string]bool{}
	for _, f := range every(t, catalog) {
		book := written(t, f, catalog)
		var rows [][]sheet.Cell
		if err := sheet.XLSX(bytes.NewReader(book), int64(len(book)), sheet.Of{}, func(row sheet.Row) error {
			if len(rows)+1 != row.Number || row.Hidden {
				t.Errorf("%s: row %d is hidden: %v", f.Name, row.Number, row.Hidden)
			}
			rows = append(rows, slices.Clone(row.Cells))
			return nil
		}); err != nil || len(rows) != 2 || len(rows[0]) != len(f.Columns) || len(rows[1]) > len(f.Columns) {
			t.Fatalf("%s: the rows are %v (%v)", f.Name, rows, err)
		}
		want := examples[f.Name]
		for i, c := range f.Columns {
			var cell sheet.Cell
			if i < len(rows[1]) {
				cell = rows[1][i]
			}
			if rows[0][i].Text != c.Column {
				t.Errorf("%s: column %d is named %q, not %s", f.Name, i+1, rows[0][i].Text, c.Column)
			}
			if !c.Optional && !cell.Filled() || cell.Wrong != "" || cell.Formula {
				t.Errorf("%s: %s, which is required, has the cell %+v", f.Name, c.Column, cell)
			}
			wanted, is := want[c.Column]
			tried[f.Name+" "+c.Column] = true
			if (is || slices.Contains(whole, f.Name)) && (cell.Kind != wanted.Kind || cell.Text != wanted.Text) {
				t.Errorf("%s: %s has the cell %+v; want %+v", f.Name, c.Column, cell, wanted)
			}
		}
	}
	for name, of := range examples {
		for column := range of {
			if !tried[name+" "+column] {
				t.Errorf("no form %s has a column %s", name, column)
			}
		}
	}
}

// TestValuesAreOffered looks for the values of each column in its validation, and for the formats of the cells below
// the example.
func TestValuesAreOffered(t *testing.T) {
	t.Parallel()
	catalog := published(t)
	for _, f := range every(t, catalog) {
		book, err := excelize.OpenReader(bytes.NewReader(written(t, f, catalog)))
		if err != nil {
			t.Fatal(err)
		}
		offers := offered(t, f, book)
		for i, c := range f.Columns {
			name, path, _ := strings.Cut(c.Means, ".")
			at := slices.IndexFunc(f.Records, func(r reconciliation.FileRecord) bool { return r.Name == name })
			r, _ := catalog.Find(f.Records[at].Resource)
			m, _ := r.Member(path)
			letters := sheet.Column(i + 1)
			offer := offers[letters+"2:"+letters+"1048576"]
			if !slices.Equal(offer.values, m.Values) || offer.refuses != (m.Values != nil && m.Kind != resource.List) {
				t.Errorf("%s: %s offers %+v; want %q", f.Name, c.Column, offer, m.Values)
			}
			style, err := book.GetColStyle(f.Name, letters)
			if err != nil {
				t.Fatal(err)
			}
			of, err := book.GetStyle(style)
			if err != nil {
				t.Fatal(err)
			}
			day := of.CustomNumFmt != nil && *of.CustomNumFmt == "yyyy-mm-dd"
			if text := of.NumFmt == 49; text != (m.Kind == resource.Text || m.Kind == resource.List) ||
				day != (m.Kind == resource.Date) {
				t.Errorf("%s: %s has cells of texts: %v, of days: %v", f.Name, c.Column, text, day)
			}
		}
	}
}

// offer is what a validation offers, and whether it refuses other values.
type offer struct {
	values  []string
	refuses bool
}

// offered returns what the validations of a workbook offer, by their places.
func offered(t *testing.T, f template.Form, book *excelize.File) map[string]offer {
	t.Helper()
	all, err := book.GetDataValidations(f.Name)
	if err != nil {
		t.Fatal(err)
	}
	offers := map[string]offer{}
	for _, of := range all {
		var values []string
		if at, is := strings.CutPrefix(of.Formula1, "Values!"); is {
			first, last, _ := strings.Cut(strings.ReplaceAll(at, "$", ""), ":")
			column, from, err1 := excelize.CellNameToCoordinates(first)
			other, to, err2 := excelize.CellNameToCoordinates(last)
			columns, err3 := book.GetCols("Values")
			if err := errors.Join(err1, err2, err3); err != nil || other != column || len(columns[column-1]) < to {
				t.Fatalf("%s: %s refers to %s (%v)", f.Name, of.Sqref, of.Formula1, err)
			}
			values = columns[column-1][from-1 : to]
		} else {
			values = strings.Split(strings.Trim(of.Formula1, `"`), ",")
		}
		if of.Type != "list" || len(of.Formula1) > 257 || !of.AllowBlank {
			t.Errorf("%s: %+v", f.Name, of)
		}
		offers[of.Sqref] = offer{values, of.ShowErrorMessage}
	}
	return offers
}

// TestValuesWithCommas offers values that have a comma or a quote, between which a validation could not tell, from the
// sheet of values. The resource is one that the published document does not have, and has no example.
func TestValuesWithCommas(t *testing.T) {
	t.Parallel()
	catalog, err := resource.Read([]byte(`{"paths": {"/boat": {"get": {"responses": {"200": {"content":
		{"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/boat"}}}}}}},
		"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/boat"}}}}}}},
		"components": {"schemas": {"boat": {"x-property-order": ["rig", "hull", "sail", "mast"], "properties": {
		"rig": {"type": "string", "enum": ["sloop, gaff", "yawl"]}, "hull": {"enum": ["12\"", "14\""]},
		"sail": {"type": "string", "enum": ["jib", "main"]}, "mast": {"enum": ["sloop, gaff", "yawl"]}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	f, _ := template.OfResource(catalog, "boat")
	book, err := excelize.OpenReader(bytes.NewReader(written(t, f, catalog)))
	if err != nil {
		t.Fatal(err)
	}
	offers := offered(t, f, book)
	for letters, want := range map[string][]string{
		"A": {"sloop, gaff", "yawl"}, "B": {`12"`, `14"`}, "C": {"jib", "main"}, "D": {"sloop, gaff", "yawl"},
	} {
		if is := offers[letters+"2:"+letters+"1048576"]; !slices.Equal(is.values, want) {
			t.Errorf("column %s offers %q", letters, is.values)
		}
	}
	if lists, err := book.GetRows("Values"); err != nil || !slices.Equal(lists[0], []string{"rig", "hull"}) {
		t.Errorf("the sheet of values has %q, %v", lists, err)
	}
}

// TestColumnsAreExplained reads what a workbook says of its columns.
func TestColumnsAreExplained(t *testing.T) {
	t.Parallel()
	catalog := published(t)
	said := map[string][]string{}
	for _, f := range every(t, catalog) {
		book, err := excelize.OpenReader(bytes.NewReader(written(t, f, catalog)))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := book.GetRows("Columns")
		if err != nil || len(rows) != 1+len(f.Columns) {
			t.Fatalf("%s: %d rows are about %d columns (%v)", f.Name, len(rows), len(f.Columns), err)
		}
		for i, row := range rows[1:] {
			if len(row) != 8 || row[0] != f.Columns[i].Column || row[1]+"."+row[3] != f.Columns[i].Means ||
				row[7] == "" {
				t.Errorf("%s: column %d is %q", f.Name, i+1, row)
			}
			said[f.Name+" "+row[0]] = row[4:]
		}
	}
	for of, want := range map[string][]string{
		"motor holder.lastName": {"yes", "text", "", "The last name."},
		"motor holder.address.country": {"one of holder.address", "text", "249 values, in column A of the sheet Values",
			"The country, as its ISO 3166-1 alpha-2 code."},
		"personal idType": {"yes", "text", "passport; national id; driving licence; national insurance number; other",
			"The kind of identity document."},
		"personal address.city": {"one of address", "text", "", "The city, town or village."},
		"motorCoverage vehicleId": {"yes", "text: an id, or ref: with the externalReference of the record", "",
			"The id of the vehicle that the policy insures."},
		"motor policy.inceptionDate": {"yes", "date-time: a date, or an instant such as 2026-04-03T09:30:00Z", "",
			"The instant at which the term begins."},
	} {
		if !slices.Equal(said[of], want) {
			t.Errorf("%s: %q; want %q", of, said[of], want)
		}
	}
}

// TestWorkbooksAreTheSame writes each workbook twice, and reads its parts as documents.
func TestWorkbooksAreTheSame(t *testing.T) {
	t.Parallel()
	catalog := published(t)
	for _, f := range every(t, catalog) {
		book := written(t, f, catalog)
		if !bytes.Equal(book, written(t, f, published(t))) {
			t.Errorf("%s: the workbook is another one when it is written again", f.Name)
		}
		sheettest.WellFormed(t, book)
	}
}

// TestTableIsFirst looks at how the table is shown: its header is bold, always in sight, and filters.
func TestTableIsFirst(t *testing.T) {
	t.Parallel()
	catalog := published(t)
	for _, f := range template.Forms(catalog) {
		book, err := excelize.OpenReader(bytes.NewReader(written(t, f, catalog)))
		if err != nil {
			t.Fatal(err)
		}
		active := book.GetActiveSheetIndex()
		if sheets := book.GetSheetList(); sheets[0] != f.Name || sheets[1] != "Columns" || active != 0 {
			t.Errorf("%s: the sheets are %q, and the one in sight is %d", f.Name, sheets, active)
		}
		panes, err := book.GetPanes(f.Name)
		if err != nil || !panes.Freeze || panes.YSplit != 1 {
			t.Errorf("%s: %+v, %v", f.Name, panes, err)
		}
		style, err := book.GetCellStyle(f.Name, "A1")
		if err != nil {
			t.Fatal(err)
		}
		if of, err := book.GetStyle(style); err != nil || of.Font == nil || !of.Font.Bold {
			t.Errorf("%s: the header is %+v, %v", f.Name, of, err)
		}
		names := book.GetDefinedName()
		if len(names) != 1 || names[0].Scope != f.Name || !strings.HasSuffix(names[0].Name, "_FilterDatabase") {
			t.Errorf("%s: the names are %+v", f.Name, names)
		}
	}
}
