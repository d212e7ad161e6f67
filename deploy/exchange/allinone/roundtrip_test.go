package allinone

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/pkg/resource"
)

// inOrder are the resources whose records are created, each after those that it names.
var inOrder = strings.Fields("personal commercial insuranceEntity beneficiary policyWording product vehicle driver " +
	"business traveller property debtor pet businessInterruptionCoverage cyberLiabilityCoverage motorCoverage " +
	"petCoverage propertyCoverage tradeCreditCoverage travelCoverage claim receipt claimsBordereau premiumBordereau")

// odd are texts that tables get wrong.
var odd = []string{
	"=1+1", "'=1", "''=1", "-5", "'-5", "@x", "\tx", "two\nlines", "a\r\nb", "12", "1e5", "007", "TRUE", `"quoted"`,
	"_x0041_ and _x000D_", "Größe 😀", ";", "[x", " spaced ", "  ", "sep=;", "a;b", "2026-01-02", "x,y\"z", "'", "null",
}

// oddRecords are records whose values are of any type, or whose members are nested and of the caller's own.
var oddRecords = map[string][]string{
	"vehicle": {
		`{"registration":{"year":2020,"by":"DVLA","code":"12","marks":[1,"a"],"none":{}}}`,
		`{"branch":{"er":{"est":1}},"a.b":{"c\\d":"x"},"weight":12.50,"chip":"985","tame":true}`,
	},
	"driver": {
		`{"name":"A","convictions":[{"code":"SP30","points":3}],"score":0.1,"tags":["a","b"],"number":"0012"}`,
		`{"name":"B","isPrimaryDriver":false,"licence":{"points":3},"since":"2026-01-02"}`,
		`{"driverDOB":"1850-02-03","long":12345678901234567890,"exponent":1.20e+3}`,
	},
	"claimsBordereau": {
		`{"treatyReference":"T","GrosslLossReserve":1234567.50,"paid":0.1,"fnol":"2026-01-02T03:04:05.123Z"}`,
		`{"treatyReference":"T","GrosslLossReserve":12345678901234567.89,"paid":-100,"fnol":"2026-12-31T23:59:59.999Z"}`,
		`{"treatyReference":"T","GrosslLossReserve":1,"fnol":"2026-10-25T01:30:00Z"}`,
		`{"treatyReference":"T","GrosslLossReserve":1,"fnol":"2026-07-01T00:00:00Z"}`,
	},
}

// inventor makes records of an exchange, each with a name of its own.
type inventor struct {
	*importing
	random  *rand.Rand
	catalog *resource.Catalog
	names   map[string][]string // of the records there are, by resource
	changed int                 // how many values could be odd
}

// target returns a name of a record of a resource that a member names.
func (i *inventor) target(targets []string) string {
	name, _, _ := strings.Cut(targets[i.random.IntN(len(targets))], ".")
	if name == "policy" {
		name = "motorCoverage"
	}
	return "ref:" + i.names[name][i.random.IntN(len(i.names[name]))]
}

// record makes a record like the example, some of whose values are odd where the exchange takes that.
func (i *inventor) record(of resource.Resource, body map[string]any) {
	i.t.Helper()
	name := fmt.Sprintf("%s %d", of.Name, len(i.names[of.Name])+1)
	body["externalReference"] = name
	for _, m := range of.Sent {
		at := m.Path
		if m.Returned != "" {
			at = m.Returned
		}
		returned, _ := of.Member(at)
		if _, given := body[m.Path]; !given || len(returned.Targets) == 0 {
			continue
		}
		if _, several := body[m.Path].([]any); several {
			body[m.Path] = []string{i.target(returned.Targets)}
		} else {
			body[m.Path] = i.target(returned.Targets)
		}
	}
	if _, has := body["lossCause"]; has {
		body["lossCause"] = "fire" // which every policy of the example covers
	}
	for _, unique := range []string{"idNumber", "registrationNumber"} {
		if _, has := body[unique]; has {
			body[unique] = fmt.Sprintf("00%d", len(i.names[of.Name])+1)
		}
	}
	members := slices.Clone(of.Sent)
	i.random.Shuffle(len(members), func(a, b int) { members[a], members[b] = members[b], members[a] })
	var added []string
	for _, m := range members {
		_, given := body[m.Path]
		if value := i.value(m); !given && value != nil && len(added) < 4 && len(resource.Split(m.Path)) == 1 &&
			m.Path != "externalReference" && m.Returned == "" {
			body[m.Path], added = value, append(added, m.Path)
		}
	}
	for {
		text, err := json.Marshal(body)
		if err != nil {
			i.t.Fatal(err)
		}
		made := i.send(http.MethodPost, "/"+of.Name, string(text), nil)
		switch {
		case made.status == 201:
			i.names[of.Name] = append(i.names[of.Name], name)
			i.changed += len(added)
			return
		case len(added) == 0:
			i.t.Fatalf("%s %s: %d %s", of.Name, text, made.status, made.body)
		}
		delete(body, added[len(added)-1])
		added = added[:len(added)-1]
	}
}

// value returns a value that a member may have; nil for one that is left out.
func (i *inventor) value(m resource.Member) any {
	switch {
	case len(m.Values) > 0 && m.Kind == resource.List:
		return m.Values[:1+i.random.IntN(min(3, len(m.Values)))]
	case len(m.Values) > 0:
		return m.Values[i.random.IntN(len(m.Values))]
	case m.Refers:
		return nil
	}
	switch m.Kind {
	case resource.Text:
		if strings.HasSuffix(m.Path, "Number") || m.Path == "vin" {
			return "007" // an identifier has no lines
		}
		return odd[i.random.IntN(len(odd))]
	case resource.Number:
		return json.Number(fmt.Sprint(i.random.IntN(1_000_000)))
	case resource.Flag:
		return i.random.IntN(2) == 0
	case resource.List:
		return []string{odd[i.random.IntN(len(odd))], "fire"}
	case resource.Date:
		return time.Date(1890+i.random.IntN(120), 2, 28, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	case resource.Free:
		// The names of columns keep no carriage return.
		name := strings.ReplaceAll(odd[i.random.IntN(len(odd))], "\r", "") + "x"
		return map[string]any{name: odd[i.random.IntN(len(odd))], "n": 1.5}
	}
	return nil
}

// invent makes records of every resource.
func (i *inventor) invent() {
	i.t.Helper()
	for _, name := range inOrder {
		of, _ := i.catalog.Find(name)
		for range 4 {
			body := map[string]any{}
			if err := json.Unmarshal(of.Example, &body); err != nil {
				i.t.Fatal(err)
			}
			i.record(of, body)
		}
		for _, text := range oddRecords[name] {
			own := fmt.Sprintf(`{"externalReference":"%s odd %d",`, name, len(i.names[name]))
			i.want(201, "POST", "/"+name, own+text[1:])
			i.names[name] = append(i.names[name], "")
		}
		i.names[name] = slices.DeleteFunc(i.names[name], func(name string) bool { return name == "" })
	}
}

// records returns the records of a resource by their names, without what an exchange issues.
func (i *importing) records(of resource.Resource, exact bool) map[string]string {
	i.t.Helper()
	out, said, status := i.command(nil, "export", of.Name, "--references")
	if status != 0 {
		i.t.Fatal(said)
	}
	all := map[string]string{}
	for line := range strings.Lines(out) {
		record := map[string]any{}
		read := json.NewDecoder(strings.NewReader(line))
		read.UseNumber()
		if err := read.Decode(&record); err != nil {
			i.t.Fatal(err)
		}
		name, named := record["externalReference"].(string)
		if !named {
			continue // made by the exchange
		}
		maps.DeleteFunc(record, func(path string, _ any) bool {
			_, is := of.Member(path)
			return is && !slices.ContainsFunc(of.Sent, func(m resource.Member) bool { return m.Path == path })
		})
		if !exact {
			loosen(record)
		}
		text, err := json.Marshal(record)
		if err != nil {
			i.t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

// loosen writes numbers and instants as a workbook keeps them.
func loosen(values map[string]any) {
	for name, value := range values {
		switch is := value.(type) {
		case json.Number:
			number, err := is.Float64()
			if len(strings.NewReplacer("-", "", ".", "").Replace(is.String())) <= 15 && err == nil {
				values[name] = number
			}
		case string:
			if at, err := time.Parse(time.RFC3339Nano, is); err == nil {
				values[name] = at.UTC().Round(time.Millisecond).Format(time.RFC3339Nano)
			}
		case map[string]any:
			loosen(is)
		}
	}
}

// TestTablesComeBack exports the records of every resource in each form of a table, and imports them into an empty
// exchange: they are equal but for what an exchange issues. The records follow from a seed.
func TestTablesComeBack(t *testing.T) {
	document := openapi.Published()
	catalog, err := resource.Read(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range catalog.All() {
		if of.Creatable != slices.Contains(inOrder, of.Name) {
			t.Errorf("%s is created: %t", of.Name, of.Creatable)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("the seed is %d", seed)
	zone := []string{"--time-zone", "Europe/London"}
	here := &inventor{
		importing: newImporting(t, zone...), random: rand.New(rand.NewPCG(seed, 0)), catalog: catalog,
		names: map[string][]string{},
	}
	here.invent()
	if here.changed < 40 {
		t.Errorf("only %d values are invented", here.changed)
	}
	wanted := map[string]map[string]string{}
	for _, dialect := range []string{
		"a.csv", "b.csv --delimiter semicolon --bom", "c.csv --delimiter tab", "d.xlsx",
	} {
		parts := strings.Fields(dialect)
		exact := strings.HasSuffix(parts[0], ".csv")
		there := newImporting(t, zone...)
		for _, name := range inOrder {
			of, _ := catalog.Find(name)
			file := filepath.Join(t.TempDir(), parts[0])
			args := slices.Concat([]string{"export", name, "--references", "--out", file}, parts[1:])
			if name == "premiumBordereau" {
				args = append(args, "--filter", "treatyReference=QS-2026-01") // others follow from the receipts
			}
			if _, said, status := here.command(nil, args...); status != 0 {
				t.Fatal(said)
			}
			_, said, status := there.command(nil, "import", name, file, "--extensions")
			if status != 0 {
				t.Errorf("%s: %s%s", dialect, said, refusals(t, file))
			}
			key := fmt.Sprint(name, exact)
			if wanted[key] == nil {
				wanted[key] = here.records(of, exact)
			}
			want, got := wanted[key], there.records(of, exact)
			for reference := range want {
				if want[reference] != got[reference] {
					t.Errorf("%s: %s\nwas %s\nis  %s", dialect, reference, want[reference], got[reference])
				}
			}
			if len(want) != len(got) || len(want) < 4 {
				t.Errorf("%s: there are %d of %s, not %d", dialect, len(got), name, len(want))
			}
		}
	}
}

// refusals returns the file of refused rows of an import.
func refusals(t *testing.T, file string) string {
	t.Helper()
	ending := filepath.Ext(file)
	return tableText(strings.TrimSuffix(file, ending) + ".rejected" + ending)
}
