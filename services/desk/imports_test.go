package desk_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"insurance.example/exchange/pkg/servicetest"
)

const imports = "/x/import"

// fleet is a profile of files whose rows make an individual and a vehicle that refers to it.
const fleet = `{"format":"csv","delimiter":";","encoding":"utf-8","headerRow":1,"decimalMark":",","groupingMark":".",
	"sign":"trailingMinus","dateForms":["dd.mm.yyyy"],"totals":{"rule":"marked","column":"Name","word":"Total"},
	"nil":["-"],"records":[{"name":"holder","resource":"personal","values":{"idType":"passport"}},
		{"name":"car","resource":"vehicle","values":{"plateNumber":"@holder.id"}}],
	"columns":[{"column":"Name","means":"holder.lastName"},{"column":"Passport","means":"holder.idNumber"},
		{"column":"Born","means":"holder.dob","optional":true},{"column":"VIN","means":"car.vin"},
		{"column":"Ref","means":"car.externalReference","optional":true},
		{"column":"Doors","means":"car.physical.doors","optional":true},
		{"column":"Colour","means":"car.physical.colour","optional":true,"values":{"Rot":"red","Blau":"blue"}}]}`

// fleetOf returns a file of that profile with a number of rows.
func fleetOf(rows int) string {
	file := &strings.Builder{}
	file.WriteString("Name;Passport;VIN\n")
	for n := range rows {
		fmt.Fprintf(file, "N%d;X%d;V%d\n", n, n, n)
	}
	return file.String()
}

// sends sends a file by the profile of fleets, and returns the import.
func sends(s *servicetest.Service, file string) servicetest.Response {
	of := begins(s, file)
	for of.Member("state") == "checking" { // a request works for some seconds only
		of = s.Must(200, "POST", imports+"/"+of.Member("id")+":check", "")
	}
	return of
}

// begins sends a file, and returns what the request that brings it comes to.
func begins(s *servicetest.Service, file string) servicetest.Response {
	s.Must(200, "PUT", profiles+"fleet", fleet)
	return s.Must(200, "POST", imports+"?profile=fleet", file, "Content-Type", "text/csv")
}

// rowsOf returns the rows of an import with an outcome as CSV, without their header.
func rowsOf(s *servicetest.Service, id, outcome string) string {
	file := s.Must(200, "GET", imports+"/"+id+"/rows?outcome="+outcome, "", "Accept", "text/csv")
	_, rows, _ := strings.Cut(file.Text, "\n")
	return strings.ReplaceAll(rows, "\r", "")
}

// applied applies an import to its end, as clients do.
func applied(s *servicetest.Service, of servicetest.Response, header ...string) servicetest.Response {
	for {
		if done := applies(s, of, header...); done.Status != 200 || done.Member("state") != "applying" {
			return done
		}
	}
}

// applies is one request of applied.
func applies(s *servicetest.Service, of servicetest.Response, header ...string) servicetest.Response {
	return s.Do("POST", imports+"/"+of.Member("id")+":apply", `{"digest":"`+of.Member("digest")+`"}`, header...)
}

// TestRowsBecomeRecords reads cells in the forms of a profile, and makes two records of each row.
func TestRowsBecomeRecords(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	of := sends(s, strings.Join([]string{"Name;Passport;Born;VIN;Ref;Doors;Colour;Remark",
		"Lee;0012;31.12.1990;V1;R1;5;Rot;as is", "O'Hara;X2;-;V2;;two;blau;", "Bad;X3;31.02.1990;V3;;5;Rot;",
		"Worse;X4;;V4;;;Grün;", "refuse me;X5;;V5;;;;", "Total;;;;;;;", ""}, "\n"))
	for _, part := range []string{
		`"state":"checked"`, `"rows":5`, `"outcomes":{"ready":2,"refused":3}`,
		`{"kind":"columns-not-read","count":1,"places":["H"]}`,
		`"name":"Born","means":"holder.dob","form":"date","examples":[{"cell":"C2","sent":"31.12.1990","read":"1990-12-31"}]`,
		`{"cell":"F2","sent":"5","read":5},{"cell":"F3","sent":"two","read":"two"}`,
		`{"cell":"G3","sent":"blau","read":"blue"}`,
	} {
		if !strings.Contains(of.Text, part) {
			t.Errorf("no %s in %s", part, of.Text)
		}
	}
	if len(m.records) > 0 {
		t.Errorf("a check makes %v", m.records)
	}
	wrong := rowsOf(s, of.Member("id"), "refused")
	for _, part := range []string{
		"4,refused,C4  is no date in a form that the profile declares", "5,refused,G5  is no word that the profile has",
		"6,refused,A6 holder/lastName is refused,",
	} {
		if !strings.Contains(wrong, part) {
			t.Errorf("no %q in %s", part, wrong)
		}
	}
	done := applied(s, of)
	if !strings.Contains(done.Text, `"state":"applied"`) || !strings.Contains(done.Text, `"outcomes":{"made":2,"refused":3}`) {
		t.Error(done.Text)
	}
	var bodies []string
	for _, r := range m.records {
		bodies = append(bodies, r.resource+" "+r.body)
	}
	for _, part := range []string{
		`personal {"dob":"1990-12-31","idNumber":"0012","idType":"passport","lastName":"Lee"}`,
		`"externalReference":"R1","physical":{"colour":"red","doors":5},"plateNumber":"01930000-`,
		`personal {"idNumber":"X2","idType":"passport","lastName":"O'Hara"}`, `"doors":"two"`,
	} {
		if !strings.Contains(strings.Join(bodies, "\n"), part) {
			t.Errorf("no %s in %s", part, strings.Join(bodies, "\n"))
		}
	}
	if len(bodies) != 4 {
		t.Errorf("there are %d records", len(bodies))
	}
	made := rowsOf(s, of.Member("id"), "made")
	if !strings.HasPrefix(made, "2,made,,01930000-") ||
		!strings.Contains(made, ",Lee,0012,31.12.1990,V1,R1,5,Rot,as is\n") {
		t.Error(made)
	}
	if again := sends(s, "Name;Passport;VIN\nLee;0012;V1\n"); again.Member("id") == of.Member("id") {
		t.Error("another file is the same import")
	}
}

// TestWhatIsThereIsNotMadeAgain imports rows whose records are there: the last one leaves its row out, and another one
// is what the last one refers to. Rows of one file are no different.
func TestWhatIsThereIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	first := sends(s, "Name;Passport;VIN;Ref\nLee;X1;V1;R1\n")
	applied(s, first)
	const file = "Name;Passport;VIN;Ref\nLee;X1;V2;R2\nLee;X1;V1;R1\nRay;X9;V3;R3\nRay;X9;V4;R4\n"
	of := sends(s, file)
	if !strings.Contains(of.Text, `"outcomes":{"ready":3,"there":1}`) {
		t.Error(of.Text)
	}
	if rows := rowsOf(s, of.Member("id"), ""); !strings.Contains(rows,
		"5,ready,holder is the record of row 4 as well,,,") {
		t.Error(rows)
	}
	there := s.Must(200, "GET", imports+"/"+of.Member("id")+"/rows?outcome=there", "").Text
	if !strings.Contains(there, `{"name":"car","resource":"vehicle","id":"`+m.records[1].id+`"}`) {
		t.Error(there)
	}
	done := applied(s, of)
	if !strings.Contains(done.Text, `"outcomes":{"made":3,"there":1}`) || len(m.records) != 6 {
		t.Errorf("%d records, %s", len(m.records), done.Text)
	}
	holders := map[string]string{}
	for _, r := range m.records {
		if r.resource == "vehicle" {
			holders[member1(r.body, "vin")] = member1(r.body, "plateNumber")
		}
	}
	if holders["V2"] != m.records[0].id || holders["V3"] == "" || holders["V3"] != holders["V4"] {
		t.Errorf("the holders are %v of %v", holders, m.records)
	}
	// The same file is the same import; in another batch it is another one, all of whose rows are there.
	again := sends(s, file)
	if again.Member("id") != of.Member("id") || !strings.Contains(again.Text, `"state":"applied"`) {
		t.Error(again.Text)
	}
	other := s.Must(200, "POST", imports+"?profile=fleet&batch=two", file, "Content-Type", "text/csv")
	if other.Member("id") == of.Member("id") || !strings.Contains(other.Text, `"outcomes":{"there":4}`) {
		t.Error(other.Text)
	}
}

// TestAFileIsMended sends a file again of which one row was mended and others moved: only that one makes anything, also
// of a file whose rows have no name of their own. What is there twice is made twice.
func TestAFileIsMended(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	send := func(file, query string) servicetest.Response {
		return s.Must(200, "POST", imports+"?resource=vehicle"+query, "vin,plateNumber\n"+file,
			"Content-Type", "text/csv")
	}
	first := send("V1,A\nV1,A\nV2,@x.id\n", "")
	if done := applied(s, first); !strings.Contains(done.Text, `"outcomes":{"made":2,"refused":1}`) {
		t.Error(done.Text)
	}
	second := send("V2,C\nV1,A\nV1,A\nV1,A\n", "")
	if !strings.Contains(second.Text, `"outcomes":{"ready":2,"there":2}`) {
		t.Error(second.Text)
	}
	if rows := rowsOf(s, second.Member("id"), "there"); !strings.HasPrefix(rows, "3,there,,"+m.records[0].id) &&
		!strings.HasPrefix(rows, "3,there,,"+m.records[1].id) {
		t.Error(rows)
	}
	if done := applied(s, second); !strings.Contains(done.Text, `"outcomes":{"made":2,"there":2}`) || len(m.records) != 4 {
		t.Errorf("%d records, %s", len(m.records), done.Text)
	}
	if third := send("V2,C\n", "&batch=again"); !strings.Contains(third.Text, `"outcomes":{"ready":1}`) {
		t.Error(third.Text)
	}
	// What somebody else has made is not there for the sender of the file.
	other := s.Must(200, "POST", imports+"?resource=vehicle", "vin,plateNumber\nV2,C\n", "Content-Type", "text/csv",
		caller, "bob")
	if !strings.Contains(other.Text, `"outcomes":{"ready":1}`) {
		t.Error(other.Text)
	}
}

// TestAnImportIsStoppedAnywhere has each call of another service and each write of an import fail, before it happens or
// after, and somebody else go on.
func TestAnImportIsStoppedAnywhere(t *testing.T) {
	t.Parallel()
	file := "Name;Passport;VIN;Ref\n"
	for n := range 6 {
		file += fmt.Sprintf("N%d;X%d;V%d;R%d\n", n, n, n, n)
	}
	run := func(left int, happens bool) (calls int) {
		m := newMakers(t)
		store := servicetest.OpenStore(t)
		s := m.start(store)
		s.Must(200, "PUT", profiles+"fleet", fleet)
		m.left, m.happens, m.count = left, happens, 0
		var of servicetest.Response
		again := func(ask func(who string) servicetest.Response) servicetest.Response {
			for _, who := range []string{"anna", "bob"} {
				if of = ask(who); of.Status == 200 {
					return of
				}
				if of.Status != 503 {
					t.Fatalf("%d, %v: %d %s", left, happens, of.Status, of.Text)
				}
				s = m.start(store) // the process was killed, and another one goes on
			}
			t.Fatalf("%d, %v: %s", left, happens, of.Text)
			return of
		}
		of = again(func(who string) servicetest.Response {
			return s.Do("POST", imports+"?profile=fleet", file, "Content-Type", "text/csv", caller, who)
		})
		if of.Member("state") == "checking" {
			of = s.Must(200, "POST", imports+"/"+of.Member("id")+":check", "")
		}
		checked := of
		done := again(func(who string) servicetest.Response { return applied(s, checked, caller, who) })
		if done.Member("state") != "applied" || !strings.Contains(done.Text, `"outcomes":{"made":6}`) ||
			done.Member("appliedBy") != "anna" {
			// An apply that failed before it was noted is the next one's.
			if done.Member("appliedBy") != "bob" || done.Member("state") != "applied" {
				t.Fatalf("%d, %v: %s", left, happens, done.Text)
			}
		}
		seen, by := map[string]int{}, map[string]int{}
		for _, r := range m.records {
			seen[r.resource+member1(r.body, "idNumber")+member1(r.body, "vin")]++
			by[r.by]++
		}
		if len(seen) != 12 || len(m.records) != 12 || len(by) != 1 {
			t.Fatalf("%d, %v: %d records of %d, by %v", left, happens, len(m.records), len(seen), by)
		}
		if rows := rowsOf(s, done.Member("id"), "made"); strings.Count(rows, ",made,,01930000-") != 6 {
			t.Fatalf("%d, %v: %s", left, happens, rows)
		}
		return m.count
	}
	calls := run(-1, false)
	if calls < 20 {
		t.Errorf("there are %d calls and writes", calls)
	}
	for left := range calls {
		run(left, false)
		run(left, true)
	}
}

// TestALongImportGoesOnInParts has each call take so long that a request does a part of the work. The clock of the
// exchange stands still meanwhile.
func TestALongImportGoesOnInParts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, goesOnInParts)
}

// inPart is how long a call takes of which the fifth part of an import ends after the eight seconds that a request
// works, and before the ten after which it is given up.
const inPart = 900 * time.Millisecond

func goesOnInParts(t *testing.T) {
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	// The last ten rows are as the first ones, of another request, and make vehicles of their own.
	file := fleetOf(590) + strings.TrimPrefix(fleetOf(10), fleetOf(0))
	m.slow = inPart
	of := begins(s, file)
	if of.Member("state") != "checking" || of.Body["checked"] != 250.0 || of.Member("digest") != "" {
		t.Fatal(of.Text)
	}
	id := of.Member("id")
	if a := s.Must(409, "POST", imports+"/"+id+":apply", `{"digest":"x"}`); a.Member("state") != "checking" {
		t.Error(a.Text)
	}
	if page := s.Must(200, "GET", imports+"/"+id+"/rows?after=248&limit=1", ""); !strings.Contains(page.Text,
		`"rows":[{"row":250,"outcome":"ready"`) || page.Body["next"] != 249.0 {
		t.Error(page.Text)
	}
	if page := s.Must(200, "GET", imports+"/"+id+"/rows?after=249", ""); !strings.Contains(page.Text,
		`"rows":[{"row":251,"outcome":"ready"`) || page.Body["next"] != nil {
		t.Error(page.Text)
	}
	requests := 0
	for ; of.Member("state") == "checking"; requests++ {
		of = s.Must(200, "POST", imports+"/"+id+":check", "", caller, "bob")
	}
	m.slow = time.Second / 5 // eight calls at a time
	for done := 0.0; of.Member("state") != "applied"; requests++ {
		if of = applies(s, of); of.Status != 200 || of.Body["done"].(float64) <= done {
			t.Fatal(of.Text)
		}
		done = of.Body["done"].(float64)
	}
	if requests < 4 || len(m.records) != 590+600 {
		t.Errorf("%d requests make %d records", requests, len(m.records))
	}
	if a := s.Must(409, "POST", imports+"/"+id+":cancel", ""); a.Member("state") != "applied" {
		t.Error(a.Text)
	}
}

// TestTwoApplyAtOnce has two people apply an import at the same time: each record is made once.
func TestTwoApplyAtOnce(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	of := sends(s, fleetOf(600))
	var all sync.WaitGroup
	for _, who := range []string{"anna", "bob"} {
		all.Go(func() {
			if done := applied(s, of, caller, who); done.Member("state") != "applied" {
				t.Errorf("%s: %s", who, done.Text)
			}
		})
	}
	all.Wait()
	of = s.Must(200, "GET", imports+"/"+of.Member("id"), "")
	if len(m.records) != 1200 || !strings.Contains(of.Text, `"outcomes":{"made":600}`) {
		t.Errorf("%d records, %s", len(m.records), of.Text)
	}
}

// TestAnImportIsCancelled ends an import before its last rows are made, and refuses to go on.
func TestAnImportIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, isCancelled)
}

func isCancelled(t *testing.T) {
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	of := sends(s, fleetOf(300))
	m.slow = inPart
	if done := applies(s, of); done.Member("state") != "applying" || done.Body["done"] != 250.0 {
		t.Fatal(done.Text)
	}
	for range 2 {
		if a := s.Must(200, "POST", imports+"/"+of.Member("id")+":cancel", ""); a.Member("state") != "cancelled" {
			t.Error(a.Text)
		}
	}
	if a := applied(s, of); a.Status != 409 || a.Member("state") != "cancelled" {
		t.Error(a.Text)
	}
	if len(m.records) != 500 || strings.Count(rowsOf(s, of.Member("id"), "ready"), "\n") != 50 {
		t.Errorf("%d records", len(m.records))
	}
}

// TestARowThatIsRefusedLate has the exchange refuse at last what the check has passed.
func TestARowThatIsRefusedLate(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t))
	of := sends(s, "Name;Passport;VIN;Ref\nLee;X1;V1\nRay;X2;V2\nSam;X3;V3\nTom;X4;V4;R4\n")
	if a := s.Must(409, "POST", imports+"/"+of.Member("id")+":apply", `{"digest":"x"}`); a.Member("state") != "checked" {
		t.Error(a.Text)
	}
	m.spoiled = []string{`"V1"`, `"X3"`}
	m.records = append(m.records, madeRecord{"01930000-0000-7000-8000-00000000000f", "vehicle", "", `{"externalReference":"R4"}`})
	done := applied(s, of)
	if !strings.Contains(done.Text, `"outcomes":{"made":1,"partial":1,"refused":1,"there":1}`) {
		t.Error(done.Text)
	}
	if there := rowsOf(s, of.Member("id"), "there"); !strings.Contains(there, "-00000000000f,Tom,X4,") {
		t.Error(there)
	}
	row := s.Must(200, "GET", imports+"/"+of.Member("id")+"/rows?outcome=partial", "").Text
	if !strings.Contains(row, `"wrong":[{"cell":"C2","record":"car","pointer":"/vin","reason":"is spoiled"}]`) ||
		!strings.Contains(row, `"records":[{"name":"holder","resource":"personal","id":"01930000-`) {
		t.Error(row)
	}
}

// TestAKeyIsForgotten has an import stay where it was stopped for longer than the keys of its records are remembered.
func TestAKeyIsForgotten(t *testing.T) {
	t.Parallel()
	m := newMakers(t)
	s := m.start(servicetest.OpenStore(t), "--key-retention", "24h")
	of := sends(s, "Name;Passport;VIN\nLee;X1;V1\n")
	m.left, m.happens = 2, true
	if a := applied(s, of); a.Status != 503 {
		t.Fatal(a.Text)
	}
	m.clock.Pass(24 * time.Hour)
	if a := applied(s, of); a.Status != 409 || !strings.Contains(a.Member("detail"), "interrupted so long ago") {
		t.Error(a.Text)
	}
}
