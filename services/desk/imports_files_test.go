package desk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// TestNumbersOfRows reads numbers in the forms of a profile; one of two columns is taken away from the other.
func TestNumbersOfRows(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	s.Must(200, "PUT", profiles+"pets", `{"format":"csv","delimiter":";","encoding":"utf-8","headerRow":1,
		"decimalMark":",","groupingMark":".","sign":"trailingMinus","totals":{"rule":"none"},"nil":["nil"],
		"records":[{"name":"pet","resource":"pet"}],"columns":[{"column":"Name","means":"pet.petName"},
			{"column":"Years","means":"pet.age","optional":true},
			{"column":"Away","means":"pet.age","less":true,"optional":true}]}`)
	of := s.Must(200, "POST", imports+"?profile=pets", "Name;Years;Away\nA;1.004,50;\nB;12,5-;\nC;3;0,50\nD;1.23.4;\n"+
		"E;nil;\nF;0,123456789;\n", "Content-Type", "text/csv")
	applied(s, of)
	var bodies []string
	for _, r := range m.records {
		bodies = append(bodies, r.body)
	}
	slices.Sort(bodies)
	want := []string{`{"age":-12.5,"petName":"B"}`, `{"age":0.123456789,"petName":"F"}`, `{"age":1004.50,"petName":"A"}`,
		`{"age":2.50,"petName":"C"}`, `{"petName":"E"}`}
	if !slices.Equal(bodies, want) {
		t.Errorf("the records are %s", bodies)
	}
	if rows := rowsOf(s, of.Member("id"), "refused"); !strings.HasPrefix(rows, "5,refused,B5 ") {
		t.Error(rows)
	}
}

// TestAFileIsDeclaredByParameters reads a file whose columns are named as members and whose cells are written as in
// Germany.
func TestAFileIsDeclaredByParameters(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	const file = "Pets of 2026\npetName;age;birth\nM\xfcller;1.004,5;\n"
	of := s.Must(200, "POST", imports+"?resource=pet&delimiter=semicolon&encoding=windows-1252&decimalMark=,"+
		"&groupingMark=.&headerRow=2&dateOrder=dmy", file, "Content-Type", "text/csv")
	if applied(s, of); len(m.records) != 1 || m.records[0].body != `{"age":1004.5,"petName":"Müller"}` {
		t.Errorf("%v of %s", m.records, of.Text)
	}
	own := s.Must(200, "POST", imports+"?resource=pet&extensions=true",
		"petName,tag.colour,tag.number\nA,red,07\nB,,12\n", "Content-Type", "text/csv")
	s.Must(200, "PUT", profiles+"fleet", fleet)
	quoted := s.Must(200, "POST", imports+"?profile=fleet", "Name;Passport;VIN\n\"\"\"Lee\"\"\";Q;V\n",
		"Content-Type", "text/csv")
	if !strings.Contains(quoted.Text, `"read":"\"Lee\""`) {
		t.Error(quoted.Text)
	}
	if applied(s, own); !strings.Contains(fmt.Sprint(m.records), `{"petName":"A","tag":{"colour":"red","number":"07"}}`) ||
		!strings.Contains(fmt.Sprint(m.records), `{"petName":"B","tag":{"number":12}}`) {
		t.Errorf("%v of %s", m.records, own.Text)
	}
	if a := s.Do("POST", imports+"?resource=pet&delimiter=semicolon&headerRow=2", file, "Content-Type",
		"text/csv"); a.Status == 200 && a.Member("id") == of.Member("id") {
		t.Error("the same file that is read in another way is the same import")
	}
}

// TestFilesThatAreNoImports refuses what cannot be read, and says why.
func TestFilesThatAreNoImports(t *testing.T) {
	t.Parallel()
	s := newMakers(t).start(servicetest.OpenStore(t))
	s.Must(200, "PUT", profiles+"fleet", fleet)
	s.Must(200, "PUT", profiles+"stated", `{`+plain+`,"currency":"EUR",
		"columns":[{"column":"Policy","means":"policyNumber"},{"column":"Gross","means":"gross"}]}`)
	for query, want := range map[string]string{
		"": `400 "parameter":"profile","reason":"is required`, "?resource=boat": `400 "parameter":"resource"`,
		"?profile=none": `404 There is no profile`, "?profile=stated": `400 "parameter":"profile","reason":"is of statements`,
		"?profile=fleet&resource=pet":                      `400 "parameter":"resource","reason":"is none that the profile makes`,
		"?profile=fleet&batch=" + strings.Repeat("b", 101): `400 "parameter":"batch"`,
		"?resource=personal&delimiter=,":                   `400 "parameter":"delimiter"`,
		"?resource=personal&headerRow=0":                   `400 "parameter":"headerRow"`,
		"?resource=personal&encoding=ebcdic":               `400 "parameter":"encoding"`,
		"?profile=motor&decimalMark=x":                     `400 "parameter":"decimalMark"`,
		"?profile=motor&extensions=true":                   `400 "parameter":"extensions"`,
		"?profile=fleet&dateOrder=dmy":                     `400 "parameter":"profile","reason":"says how the file is written`,
		"?profile=fleet":                                   `400 Row 1 has not one column`,
		"?resource=personal":                               `400 has not one column`,
		"?profile=motor":                                   `400 has not one column`,
	} {
		a := s.Do("POST", imports+query, "Policy;Gross\nP;1\n", "Content-Type", "text/csv")
		status, text, _ := strings.Cut(want, " ")
		if fmt.Sprint(a.Status) != status || !strings.Contains(a.Text, text) {
			t.Errorf("%s: %d %s, want %s", query, a.Status, a.Text, want)
		}
	}
	if a := s.Must(400, "POST", imports+"?profile=fleet", "Name;Passport;VIN\n", "Content-Type", "text/csv"); !strings.
		Contains(a.Text, "has no rows") {
		t.Error(a.Text)
	}
	if a := s.Must(400, "POST", statements+"?profile=fleet", "Name;Passport;VIN\n", "Content-Type",
		"text/csv"); !strings.Contains(a.Text, "is of files that are imported") {
		t.Error(a.Text)
	}
	long := strings.Repeat("x", 3900)
	of := sends(s, "Name;Passport;VIN;Ref;Colour\n"+long+";X1;"+long+";"+long+";"+long+";"+long+
		"\n@a.id;X2;V2\n;;V3\n;;;R\n")
	for _, part := range []string{
		"2,refused,A2  begins a row of more than 16384 bytes", "3,refused,\"A3 holder/lastName begins with @",
		"\n4,ready", "5,ready",
	} {
		if rows := "\n" + rowsOf(s, of.Member("id"), ""); !strings.Contains(rows, part) {
			t.Errorf("no %q in %s", part, rows)
		}
	}
	for of, want := range map[string]string{
		`"name":"holder"|"name":"h-1"`:                                                  "/records/0/name",
		`"resource":"vehicle"|"resource":"boat"`:                                        "/records/1/resource",
		`"plateNumber":"@holder.id"|"plateNumber":"@car.id"`:                            "/records/1/values/plateNumber",
		`"plateNumber":|"plate":`:                                                       "/records/1/values/plate",
		`"means":"car.vin"|"means":"car.wheels"`:                                        "/columns/3/means",
		`"means":"car.vin"|"means":"holder.lastName"`:                                   "/columns/3/means",
		`"column":"VIN","means":"car.vin"|"column":"Name","means":"car.vin"`:            "/columns/3/column",
		`"column":"VIN","means":"car.vin"|"column":"VIN","less":true,"means":"car.vin"`: "/columns/3/less",
	} {
		from, to, _ := strings.Cut(of, "|")
		if a := s.Must(400, "PUT", profiles+"other", strings.Replace(fleet, from, to, 1)); !strings.Contains(a.Text,
			`"pointer":"`+want+`"`) {
			t.Errorf("%s: %s", of, a.Text)
		}
	}
}

// TestRowsThatAreTooLargeTogether has services that take no large trial: rows are tried one by one then, and one that
// is too large by itself is refused.
func TestRowsThatAreTooLargeTogether(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	m.most = 3000
	file := &strings.Builder{}
	file.WriteString("Name;Passport;VIN\n")
	for n := range 60 {
		fmt.Fprintf(file, "%s;X%d;V%d\n", strings.Repeat("N", 500+3000*(n/59)), n, n)
	}
	of := sends(s, file.String())
	if !strings.Contains(of.Text, `"outcomes":{"ready":59,"refused":1}`) {
		t.Error(of.Text)
	}
	const wrong = "61,refused,What is sent together is too large"
	if rows := rowsOf(s, of.Member("id"), "refused"); !strings.HasPrefix(rows, wrong) {
		t.Error(rows)
	}
}
