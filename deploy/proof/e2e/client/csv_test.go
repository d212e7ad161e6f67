package client_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const drivers = `{"name":"Ada; \"A\"","dob":"1990-12-10","licence":{"licenceNumber":"007","expiryDate":"2040-01-01","country":"GB"},"isPrimaryDriver":true}
{"name":"42","convictions":[{"code":"SP30","points":3}],"score":0.100000000000000000055511151231257827,"tags":["a","b"]}
{"name":"two\nlines","licence":{"points":12345678901234567890},"number":"0012","empty":""}
`

// TestCSVRoundTrip imports an exported CSV file and gets the same values.
func TestCSVRoundTrip(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.pipe(t, drivers, "import", "driver", "-", "--format", "ndjson", "--concurrency", "1").want(t, 0, "3 created")
	s.run(t, "export", "driver", "--out", "drivers.csv").want(t, 0, "3 records exported")
	header, _, _ := strings.Cut(s.read(t, "drivers.csv"), "\n")
	if want := "id,externalReference,name,driverDOB,licence.licenceNumber,licence.issueDate,licence.expiryDate," +
		"licence.country,licence.points,convictions,isPrimaryDriver,empty,number,score,tags"; header != want {
		t.Errorf("header\n%s, want\n%s", header, want)
	}
	s.run(t, "import", "driver", "drivers.csv", "--extensions").want(t, 0, "3 created")
	all := s.run(t, "export", "driver").want(t, 0).lines()
	comesBack(t, all)
}

// comesBack fails the test unless the second half of some records is equal to the first, in any order.
func comesBack(t *testing.T, all []string) {
	t.Helper()
	for i, record := range all {
		all[i] = withoutID(t, record)
	}
	sent, back := all[:len(all)/2], all[len(all)/2:]
	slices.Sort(sent)
	slices.Sort(back)
	if len(sent) == 0 || !slices.Equal(sent, back) {
		t.Errorf("sent %s\nback %s", strings.Join(sent, "\n"), strings.Join(back, "\n"))
	}
}

// withoutID returns a record without its identifier. Members are in order, and digits are as they were.
func withoutID(t *testing.T, record string) string {
	t.Helper()
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(record), &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "id")
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSpreadsheet imports a file as a spreadsheet writes it: with a byte order mark, carriage returns, TRUE and FALSE
// in capitals, and empty rows.
func TestSpreadsheet(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.write(t, "pets.csv",
		"\ufeffpetName,petKind,age,purebred,address.city\r\nRex,cat,3.50,TRUE,Bern\r\n"+
			",,,,\r\nTom,cat,old,FALSE,\r\nTim,unicorn,1\r\n")
	s.run(t, "import", "pet", "pets.csv", "--extensions").want(t, 1, "3 records: 1 created, 0 already there, 2 refused")
	pets := s.run(t, "list", "pet", "--output", "json").want(t, 0).lines()
	if len(pets) != 1 || withoutID(t,
		pets[0]) != `{"address":{"city":"Bern"},"age":3.50,"petKind":"cat","petName":"Rex","purebred":true}` {
		t.Errorf("pets: %s", pets)
	}
	// The rejected rows have the form of the input, each with a reason.
	rejected := s.read(t, "pets.rejected.csv")
	for _, line := range []string{
		"\ufeffrejectedBecause,petName,petKind,age,purebred,address.city\r\n",
		",Tom,cat,old,FALSE,\r\n",
		",Tim,unicorn,1\r\n",
	} {
		if !strings.Contains(rejected, line) {
			t.Errorf("rejected lacks %q: %q", line, rejected)
		}
	}
	if n := strings.Count(rejected, "\n"); n != 3 {
		t.Errorf("rejected has %d lines, want 3: %q", n, rejected)
	}
	// Once they are corrected in that file, they can be imported. The column of reasons is ignored.
	mended := strings.NewReplacer(",old,", ",4,", ",unicorn,1\r", ",cat,1,TRUE,\r").Replace(rejected)
	s.write(t, "pets.rejected.csv", mended)
	s.run(t, "import", "pet", "pets.rejected.csv", "--extensions").
		want(t, 0, "2 records: 2 created, 0 already there, 0 refused")
	all := s.run(t, "list", "pet").want(t, 0).stdout
	if strings.Contains(all, "rejectedBecause") || !strings.Contains(all, "Tim") {
		t.Errorf("pets: %s", all)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for name, c := range map[string]struct {
		file, text, words string
		status            int
	}{
		"no header":         {"a.csv", "", "no header", 1},
		"one name twice":    {"b.csv", "petName,petName\nx,y\n", "it has two: A1 and B1", 1},
		"quote left open":   {"c.csv", "petName\n\"Rex\n", "c.csv", 1},
		"no known format":   {"d.txt", "petName\n", "--format", 2},
		"rejected is input": {"e.csv", "petName\n", "overwrite", 2},
	} {
		s.write(t, c.file, c.text)
		args := []string{"import", "pet", c.file}
		if name == "rejected is input" {
			args = append(args, "--rejected", "./"+c.file)
		}
		t.Run(name, func(t *testing.T) { s.run(t, args...).want(t, c.status, c.words) })
	}
	s.run(t, "import", "pet", "none.csv").want(t, 2, "none.csv")
	s.pipe(t, "not json\n[]\n", "import", "pet", "-", "--format", "ndjson").
		want(t, 1, "2 records: 0 created, 0 already there, 2 refused", "pet.rejected.ndjson")
}
