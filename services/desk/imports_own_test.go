package desk_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// policyHead begins a file of policies, up to the last cell of the first.
const policyHead = "policyholderId,inceptionDate,expiryDate,vehicleId,driverId,perils\nP,2026-01-01,2027-01-01,V,D,"

// TestCellsOfATableOfTheExchange reads cells as exports write them, below columns that are named as members.
func TestCellsOfATableOfTheExchange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ resource, file, query, want string }{
		"spreadsheets shout":           {"driver", "isPrimaryDriver\nTRUE\n", "", `{"isPrimaryDriver":true}`},
		"number with spaces":           {"pet", "age\n 3.50 \n", "", `{"age":3.50}`},
		"digits":                       {"pet", "age\n420.500000000000000001\n", "", `{"age":420.500000000000000001}`},
		"exponent":                     {"pet", "age\n1.20e+3\n", "", `{"age":1.20e+3}`},
		"grouped digits are no number": {"pet", "age\n\"1,000\"\n", "", "declare as groupingMark"},
		"payload name":                 {"driver", "dob\n1990-12-10\n", "", `{"driverDOB":"1990-12-10"}`},
		"payload name of a text": {
			"debtor", "name,parentCompany,registrationNumber\nA,42,1\n", "", `"ultimateParentCompany":"42"`,
		},
		"in another case":     {"pet", "PETNAME\nRex\n", "", `{"petName":"Rex"}`},
		"head of an amount":   {"property", "sumInsuredBuilding (minor GBP)\n7\n", "", `{"sumInsuredBuilding":7}`},
		"list":                {"motorCoverage", policyHead + "\"fire;  theft\"\n", "", `"perils":["fire","theft"]`},
		"odd list":            {"motorCoverage", policyHead + "\"[\"\"a;b\"\"]\"\n", "", `"perils":["a;b"]`},
		"list of one bracket": {"motorCoverage", policyHead + "[x\n", "", `"perils":["[x"]`},
		"whole address":       {"property", "address\n\"{\"\"city\"\":\"\"Bern\"\"}\"\n", "", `{"address":{"city":"Bern"}}`},
		"whole and parts":     {"property", "address,address.city\n{},Bern\n", "", "gives a part of what"},
		"free members": {
			"vehicle", "registration.year,registration.code,registration.none,vin\n2020,\"\"\"12\"\"\",{},V\n", "",
			`{"registration":{"code":"12","none":{},"year":2020},"vin":"V"}`,
		},
		"free array":             {"driver", "convictions\n\"[{\"\"points\"\":3}]\"\n", "", `{"convictions":[{"points":3}]}`},
		"own members":            {"pet", "chip,weight,code,a\\.b.c\n003,3,\"\"\"3\"\"\",x\n", "&extensions=true", `{"a.b":{"c":"x"},"chip":"003","code":"3","weight":3}`},
		"reason of before":       {"pet", "rejectedBecause,petName\nis late,Rex\n", "&extensions=true", `{"petName":"Rex"}`},
		"text in quotes":         {"vehicle", "plateNumber,vin\n\"\"\"  \"\"\",V\n", "", `{"plateNumber":"  ","vin":"V"}`},
		"lines":                  {"pet", "petName\n\"one\n\ttwo\"\n", "", `{"petName":"one\n\ttwo"}`},
		"lines of an identifier": {"vehicle", "vin\n\"one\ntwo\"\n", "", "has control characters"},
		"formula":                {"pet", "petName\n'=1+1\n", "", `{"petName":"=1+1"}`},
		"formula of a text":      {"pet", "petName\n''=1+1\n", "", `{"petName":"'=1+1"}`},
		"apostrophe of a text":   {"pet", "petName\n'-5\n", "", `{"petName":"'-5"}`},
		"points":                 {"property", "sumInsuredBuilding\n250.000\n", "", "decimalMark is not declared"},
		"points that are said":   {"property", "sumInsuredBuilding\n250.000\n", "&decimalMark=,&groupingMark=.", `{"sumInsuredBuilding":250000}`},
		"a fraction that is":     {"pet", "age\n1.250\n", "&decimalMark=.&groupingMark=,", `{"age":1.250}`},
		"a fraction":             {"pet", "age\n1.250\n", "", `{"age":1.250}`},
		"groups":                 {"pet", "age\n1.250\n", "&decimalMark=,&groupingMark=.", `{"age":1250}`},
		"day and time":           {"claimsBordereau", "fnol\n04.04.2026 9:30\n", "&dateOrder=dmy", `{"fnol":"2026-04-04T09:30:00Z"}`},
		"no time":                {"claimsBordereau", "fnol\n04.04.2026 25:30\n", "&dateOrder=dmy", "is no date"},
		"day for an instant":     {"claimsBordereau", "fnol\n2026-04-04\n", "", `{"fnol":"2026-04-04T00:00:00Z"}`},
		"another encoding":       {"pet", "petName\nZo\xeb\n", "", "has characters that the declared"},
		"another in the header":  {"pet", "petName,Gr\xf6\xdfe\nRex,1\n", "", `{"petName":"Rex"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMakers(t)
			s := m.start(servicetest.OpenStore(t))
			of := s.Must(200, "POST", imports+"?resource="+c.resource+c.query, c.file, "Content-Type", "text/csv")
			applied(s, of)
			if !strings.HasPrefix(c.want, "{") && !strings.HasPrefix(c.want, `"`) {
				rows := s.Must(200, "GET", imports+"/"+of.Member("id")+"/rows", "")
				if len(m.records) > 0 || !strings.Contains(rows.Text, c.want) {
					t.Errorf("%v, %s", m.records, rows.Text)
				}
				return
			}
			if len(m.records) != 1 || !strings.Contains(m.records[0].body, c.want) ||
				c.want[0] == '{' && m.records[0].body != c.want {
				t.Errorf("%v is made, not %s: %s", m.records, c.want, of.Text)
			}
		})
	}
}

// TestNumbersOfWhatIsThere finds policies that are there, at the check and after it: each is shown with its number.
func TestNumbersOfWhatIsThere(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	m.records = append(m.records, madeRecord{"01930000-0000-7000-8000-00000000000f", "motorCoverage", "",
		`{"externalReference":"R1"}`})
	const head, terms = "externalReference,policyholderId,inceptionDate,expiryDate,vehicleId,driverId,perils\n",
		",P,2026-01-01,2027-01-01,V,D,fire\n"
	of := s.Must(200, "POST", imports+"?resource=motorCoverage", head+"R1"+terms+"R2"+terms+"R3"+terms,
		"Content-Type", "text/csv")
	const first = `"id":"01930000-0000-7000-8000-00000000000f","policyNumber":"POL-1"`
	if page := s.Must(200, "GET", imports+"/"+of.Member("id")+"/rows", ""); !strings.Contains(page.Text, first) {
		t.Error(page.Text)
	}
	m.records = append(m.records, madeRecord{"01930000-0000-7000-8000-00000000000e", "motorCoverage", "",
		`{"externalReference":"R3"}`})
	if done := applied(s, of); !strings.Contains(done.Text, `"outcomes":{"made":1,"there":2}`) {
		t.Error(done.Text)
	}
	const table = "2,there,,01930000-0000-7000-8000-00000000000f,POL-1,R1,"
	if rows := rowsOf(s, of.Member("id"), "there"); !strings.HasPrefix(rows, table) ||
		!strings.Contains(rows, "\n4,there,,01930000-0000-7000-8000-00000000000e,POL-2,R3,") {
		t.Error(rows)
	}
}

// TestARowMadeInPartIsMended has rows made in part, of holders of whom nothing but the name is known. A row that was
// mended takes over the holder that it has left, whatever else is in the file, and no row gets the holder of another.
func TestARowMadeInPartIsMended(t *testing.T) {
	t.Parallel()
	const head = "Name;Passport;VIN;Doors\n"
	for name, c := range map[string]struct {
		// first is the file that is made in part, as the rows with the VIN "X" are refused at last, and then are those
		// that are sent afterwards, in their order. holders is how many there are in the end.
		first   string
		then    []string
		holders int
	}{
		"mended":              {"Lee;;V1;\nLee;;X;\n", []string{"Lee;;V1;\nLee;;V2;\n"}, 2},
		"alone":               {"Lee;;V1;\nLee;;X;\n", []string{"Lee;;V2;\n"}, 2},
		"moved":               {"Lee;;V1;\nLee;;X;\n", []string{"Lee;;V2;\nLee;;V1;\n"}, 2},
		"refused again":       {"Lee;;X;\n", []string{"Lee;;X;1\n", "Lee;;X;2\n", "Lee;;V2;2\n"}, 1},
		"of nobody":           {"Lee;;V1;\n", []string{"Lee;;V2;\n"}, 2},
		"of one row":          {"Lee;;X;\n", []string{"Lee;;V1;\nLee;;V2;\n", "Lee;;V3;\n"}, 3},
		"another holder":      {"Lee;;X;\n", []string{"Ray;;V1;\n"}, 2},
		"as it was, too late": {"Lee;;X;\n", []string{"Lee;;V1;\n", "Lee;;V1;\nLee;;X;\n"}, 2},
		"as it was, and more": {"Lee;;X;\n", []string{"Lee;;V1;\nLee;;X;\n"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMakers(t)
			s := m.start(servicetest.OpenStore(t))
			m.spoiled = []string{`"X"`}
			applied(s, sends(s, head+c.first))
			for _, file := range c.then {
				done := applied(s, sends(s, head+file))
				if done.Member("state") != "applied" {
					t.Fatal(done.Text)
				}
			}
			holders, of := map[string]bool{}, map[string]bool{}
			for _, r := range m.records {
				if r.resource == "personal" {
					holders[r.id] = true
				} else if holder := member1(r.body, "plateNumber"); of[holder] {
					t.Errorf("%s has two vehicles: %v", holder, m.records)
				} else {
					of[holder] = true
				}
			}
			if len(holders) != c.holders {
				t.Errorf("there are %d holders: %v", len(holders), m.records)
			}
		})
	}
}

// TestAnImportThatWasStoppedIsMended has an import stop within a row, and cancels it. The mended file makes the rest.
func TestAnImportThatWasStoppedIsMended(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	of := sends(s, "Name;Passport;VIN;Doors\nLee;;V1;4\n")
	m.left, m.happens = 2, true // the state of the import, the holder, the vehicle
	if a := applied(s, of); a.Status != 503 || len(m.records) != 2 {
		t.Fatalf("%d records, %s", len(m.records), a.Text)
	}
	s.Must(200, "POST", imports+"/"+of.Member("id")+":cancel", "")
	m.records = slices.DeleteFunc(m.records, func(r madeRecord) bool { return r.resource == "vehicle" })
	done := applied(s, sends(s, "Name;Passport;VIN;Doors\nLee;;V1;5\n"))
	if done.Member("state") != "applied" || len(m.records) != 2 ||
		member1(m.records[1].body, "plateNumber") != m.records[0].id {
		t.Errorf("%v, %s", m.records, done.Text)
	}
}

// TestAFileIsCutOff sends a file whose end is missing: nothing is made of the row in which it ends.
func TestAFileIsCutOff(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	of := sends(s, "Name;Passport;VIN;Ref;Doors\nLee;X1;V1;R1\nRay;X2\nSam;X3;V3;R")
	for _, part := range []string{
		`"outcomes":{"ready":1,"refused":2}`, `{"kind":"short-rows","count":1,"places":["2"]}`,
	} {
		if !strings.Contains(of.Text, part) {
			t.Errorf("no %s in %s", part, of.Text)
		}
	}
	const want = `3,refused,"B3  ends its row, which has 2 of 5 cells",,,Ray,X2,,,` + "\n" +
		`4,refused,"D4  ends its row, which has 4 of 5 cells; the file ends there without a line end, ` +
		`so that it may have been cut off",,,Sam,X3,V3,R,` + "\n"
	if rows := rowsOf(s, of.Member("id"), "refused"); rows != want {
		t.Error(rows)
	}
}

// TestAFileIsCheckedOnceMore sends the same file in another attempt, once what it names is there: that is made, and
// what was made before is there.
func TestAFileIsCheckedOnceMore(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	send := func(attempt string) servicetest.Response {
		return s.Must(200, "POST", imports+"?resource=vehicle&attempt="+url.QueryEscape(attempt),
			"vin,plateNumber\nV1,A\nV2,B\n", "Content-Type", "text/csv")
	}
	m.spoiled = []string{`"V2"`}
	first := send("1")
	if done := applied(s, first); !strings.Contains(done.Text, `"outcomes":{"made":1,"refused":1}`) {
		t.Fatal(done.Text)
	}
	m.spoiled = nil
	if again := send("1"); again.Member("id") != first.Member("id") {
		t.Error("the same attempt is another import")
	}
	second := send("2")
	if second.Member("id") == first.Member("id") || !strings.Contains(second.Text, `"outcomes":{"ready":1,"there":1}`) {
		t.Fatal(second.Text)
	}
	if done := applied(s, second); !strings.Contains(done.Text, `"outcomes":{"made":1,"there":1}`) {
		t.Error(done.Text)
	}
	var made []string
	for _, r := range m.records {
		made = append(made, member1(r.body, "vin"))
	}
	if !slices.Equal(made, []string{"V1", "V2"}) {
		t.Errorf("made are %v", made)
	}
	s.Must(400, "POST", imports+"?resource=vehicle&attempt="+strings.Repeat("a", 101), "vin\nV\n", "Content-Type",
		"text/csv")
}
