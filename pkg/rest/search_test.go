package rest_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/cases"

	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// crate is a record with a member of every kind that can be searched.
type crate struct {
	ID     string         `json:"id,omitzero"`
	Code   *string        `json:"code,omitzero"`
	Owner  *string        `json:"owner,omitzero"`
	Holder *string        `json:"holder,omitzero"`
	Packed *string        `json:"packed,omitzero"`
	Due    *instant       `json:"due,omitzero"`
	Worth  jsontext.Value `json:"worth,omitzero"`
	Parts  []string       `json:"parts,omitzero"`
	Place  *place         `json:"place,omitzero"`
}

type place struct {
	Town *string `json:"town,omitzero"`
}

// instant is an instant in UTC.
type instant struct{ time.Time }

func (i instant) String() string { return i.UTC().Format(time.RFC3339Nano) }

func (c *crate) RecordID() string      { return c.ID }
func (c *crate) SetRecordID(id string) { c.ID = id }

// crateFields has an index for some of the fields, which a filter has, or only the search.
var crateFields = []search.Field{
	search.Text("code").Leads(), search.Name("owner").Leads(), search.ID("holder").Leads(),
	search.Day("packed").Leads(),
	search.Instant("due").LeadsByMonth(), search.Text("place.town").Leads(), search.Number("worth"), search.ID("parts"),
}

// crates returns a server of crates, which share their collection with others.
func crates(t testing.TB) (*world, *sqlitestore.Store) {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "rest.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return cratesOn(t, store), store
}

func cratesOn(t testing.TB, store docstore.Store) *world {
	t.Helper()
	server := rest.NewServer(rest.Config{
		Store: store, Sets: known, Now: time.Now,
	})
	for _, name := range []string{"crate", "barrel"} {
		rest.Add(server, rest.Resource[*crate]{
			Name: name, Collection: "goods", Search: crateFields,
			Filters: []rest.Filter[*crate]{
				rest.Exact("code", func(c *crate) string { return rest.Text(c.Code) }),
				rest.Prefix("owner", func(c *crate) string { return rest.Text(c.Owner) }),
			},
		})
	}
	server.SearchTogether("good", "goods")
	if err := server.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	if err := server.Mount(engine, ada); err != nil {
		t.Fatal(err)
	}
	return &world{t: t, handler: engine}
}

// anyCrate returns the body of a crate whose members have few values, or are missing.
func anyCrate(random *rand.Rand) map[string]any {
	body := map[string]any{}
	for member, values := range map[string][]any{
		"code":   {"a", "A", "a b", "é", "e\u0301"},
		"owner":  {"Straße", "STRASSE 2", "Ångström", "ångström & co", "Strand", "o"},
		"holder": {anID(1), anID(2), anID(3)},
		"packed": {"2026-01-01", "2026-01-02", "2026-02-01", "2027-12-31"},
		"due": {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z", "2026-01-01T23:59:59.999999999Z",
			"2026-01-02T00:00:00Z", "2026-01-01T00:00:10Z"},
		"worth": {json10("10"), json10("10.00"), json10("9.999999999999999999999999"), json10("1e2"),
			json10("-3"), "10"},
		"parts": {[]string{anID(1)}, []string{anID(2), anID(3)}, []string{}},
		"place": {map[string]any{"town": "Ghent"}, map[string]any{"town": "Bruges"}, map[string]any{}},
	} {
		if random.IntN(5) > 0 {
			body[member] = values[random.IntN(len(values))]
		}
	}
	return body
}

func json10(number string) jsontext.Value { return jsontext.Value(number) }

func anID(n int) string { return fmt.Sprintf("0195a000-0000-7000-8000-%012d", n) }

// conditions are values of each parameter, and whether a text of the member meets it.
var conditions = []struct {
	parameter, member string
	values            []string
	meets             func(text, value string) bool
}{
	{"code", "code", []string{"a", "A", "é", "e\u0301", "none"}, func(text, value string) bool {
		return strings.ReplaceAll(text, "e\u0301", "é") == strings.ReplaceAll(value, "e\u0301", "é")
	}},
	{"owner", "owner", []string{"strasse", "ÅNGSTRÖM", "O"}, func(text, value string) bool {
		return cases.Fold().String(text) == cases.Fold().String(value)
	}},
	{"ownerPrefix", "owner", []string{"stra", "STRASSE", "ån", "zz"}, func(text, value string) bool {
		return strings.HasPrefix(cases.Fold().String(text), cases.Fold().String(value))
	}},
	{"holder", "holder", []string{anID(1), strings.ToUpper(anID(2))}, strings.EqualFold},
	{"parts", "parts", []string{anID(1), anID(3)}, strings.EqualFold},
	{"packed", "packed", []string{"2026-01-02", "2020-01-01"}, func(text, value string) bool { return text == value }},
	{"packedFrom", "packed", []string{"2026-01-02", "2026-01-15"},
		func(text, value string) bool { return text >= value }},
	{"packedTo", "packed", []string{"2026-01-02", "2026-01-15"},
		func(text, value string) bool { return text <= value }},
	{"due", "due", []string{"2026-01-01T01:00:00+01:00", "2026-01-01"}, func(text, value string) bool {
		return ranged(text, value, value)
	}},
	{"dueFrom", "due", []string{"2026-01-01T00:00:00.4Z", "2026-01-02"}, func(text, value string) bool {
		return ranged(text, value, "9999-01-01")
	}},
	{"dueTo", "due", []string{"2026-01-01T00:00:10Z", "2026-01-01"}, func(text, value string) bool {
		return ranged(text, "0001-01-01", value)
	}},
	{"town", "town", []string{"Ghent", "ghent"}, func(text, value string) bool { return text == value }},
	{"worth", "worth", []string{"10", "10.0", "100"}, func(text, value string) bool { return order(text, value) == 0 }},
	{"worthFrom", "worth", []string{"10", "-3.0", "0"},
		func(text, value string) bool { return order(text, value) >= 0 }},
	{"worthTo", "worth", []string{"9.9999999999999999999999999", "10"},
		func(text, value string) bool { return order(text, value) <= 0 }},
}

// ranged reports whether an instant lies between two, of which each may be a day.
func ranged(text, from, to string) bool {
	at := func(text string, dayEnds bool) time.Time {
		if day, err := time.Parse(time.DateOnly, text); err == nil {
			if dayEnds {
				return day.AddDate(0, 0, 1).Add(-1)
			}
			return day
		}
		instant, _ := time.Parse(time.RFC3339Nano, text)
		return instant
	}
	return !at(text, false).Before(at(from, false)) && !at(text, false).After(at(to, true))
}

// order compares two numbers.
func order(a, b string) int {
	x, _ := new(big.Rat).SetString(a)
	y, _ := new(big.Rat).SetString(b)
	return x.Cmp(y)
}

// texts returns the values of a member of a stored record, each as a text.
func texts(record map[string]jsontext.Value, member string) []string {
	value := record[member]
	if member == "town" {
		var at map[string]string
		_ = json.Unmarshal(record["place"], &at)
		if at["town"] == "" {
			return nil
		}
		return []string{at["town"]}
	}
	var all []string
	switch value.Kind() {
	case '[':
		_ = json.Unmarshal(value, &all)
	case '"':
		text, _ := jsontext.AppendUnquote(nil, value)
		if member != "worth" { // a text is no number
			all = append(all, string(text))
		}
	case '0':
		all = append(all, string(value))
	}
	return all
}

// TestSearchFindsWhatAFilterFinds compares searches of any conditions with a filter over all records.
func TestSearchFindsWhatAFilterFinds(t *testing.T) {
	w, _ := crates(t)
	random := rand.New(rand.NewPCG(20, 5))
	var stored []map[string]jsontext.Value
	for i := range 200 {
		body, err := json.Marshal(anyCrate(random))
		if err != nil {
			t.Fatal(err)
		}
		resource := []string{"crate", "crate", "barrel"}[i%3]
		made := w.do(201, "POST", "/"+resource, string(body))
		record := map[string]jsontext.Value{}
		if err := json.Unmarshal(made.Body.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		record["resource"], _ = jsontext.AppendQuote(nil, resource)
		stored = append(stored, record)
	}
	found := 0
	for range chance.Fewer(500, 10) {
		resource := []string{"crate", "barrel", "good"}[random.IntN(3)]
		query, meets, leads := anySearch(random)
		if !leads {
			w.do(400, "GET", "/x/search/"+resource+"?"+query.Encode(), "")
			continue
		}
		var want []string
		for _, record := range stored {
			of, _ := jsontext.AppendUnquote(nil, record["resource"])
			if (resource == "good" || string(of) == resource) && meets(record) {
				id, _ := jsontext.AppendUnquote(nil, record["id"])
				want = append(want, string(id))
			}
		}
		if query.Get("order") == "newest" {
			slices.Reverse(want)
		}
		if got := w.along("/x/search/" + resource + "?" + query.Encode()); !slices.Equal(got, want) {
			t.Fatalf("%s?%v finds %v, not %v", resource, query, got, want)
		}
		found += len(want)
	}
	if found < chance.Fewer(1500, 10) {
		t.Errorf("all searches together found %d records", found)
	}
}

// anySearch returns a search of up to four conditions and the filter that it stands for, and whether one of them leads.
func anySearch(random *rand.Rand) (query url.Values, meets func(map[string]jsontext.Value) bool, leads bool) {
	query, leads = url.Values{"limit": {fmt.Sprint(1 + random.IntN(60))}}, true
	if random.IntN(2) == 0 {
		query.Set("order", "newest")
	}
	var all []func(map[string]jsontext.Value) bool
	for i := range random.IntN(5) {
		c := conditions[random.IntN(len(conditions))]
		if query.Has(c.parameter) {
			continue
		}
		leads = leads && i > 0 || c.member != "worth" && c.member != "parts"
		values := []string{c.values[random.IntN(len(c.values))]}
		if !strings.HasSuffix(c.parameter, "From") && !strings.HasSuffix(c.parameter, "To") {
			for range random.IntN(3) {
				values = append(values, c.values[random.IntN(len(c.values))])
			}
		}
		query[c.parameter] = values
		all = append(all, func(record map[string]jsontext.Value) bool {
			return slices.ContainsFunc(texts(record, c.member), func(text string) bool {
				return slices.ContainsFunc(values, func(value string) bool { return c.meets(text, value) })
			})
		})
	}
	return query, func(record map[string]jsontext.Value) bool {
		for _, meets := range all {
			if !meets(record) {
				return false
			}
		}
		return true
	}, leads
}

// along returns the ids of all pages of a search.
func (w *world) along(path string) (ids []string) {
	w.t.Helper()
	for path != "" {
		page := w.do(200, "GET", path, "")
		var records []struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(page.Body.Bytes(), &records); err != nil {
			w.t.Fatal(err)
		}
		for _, record := range records {
			ids = append(ids, record.ID)
		}
		path, _, _ = strings.Cut(strings.TrimPrefix(page.Header().Get("Link"), "<"), ">")
	}
	return ids
}

func TestSearchRefusesWhatItDoesNotTake(t *testing.T) {
	w, _ := crates(t)
	for range 3 {
		w.do(201, "POST", "/crate", `{"code":"a"}`)
	}
	link := w.do(200, "GET", "/x/search/crate?code=a&limit=1", "").Header().Get("Link")
	next, _, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">")
	at, err := url.Parse(next)
	if err != nil {
		t.Fatal(err)
	}
	cursor := at.Query().Get("cursor")
	refused := []string{
		"colour=red", "codePrefix=ab", "worthPrefix=10", "ownerPrefix=s", "owner=", "owner=%ff",
		"code=" + strings.Repeat("x", 1025),
		"code=1&code=2&code=3&code=4&code=5&code=6", "packedFrom=2026-01-01&packedFrom=2026-01-02",
		"packed=2026-02-30", "due=soon", "due=2026-13-01T00:00:00Z", "holder=7", "code=a&worth=1e2", "code=a&worth=ten",
		"worth=10", "worthFrom=1&parts=" + anID(1), "limit=0", "limit=201", "order=random", "order=newest&order=newest",
		"fields=colour", "fields=", "cursor=", "code=b&cursor=" + cursor, "code=a&order=newest&cursor=" + cursor,
		"cursor=" + cursor, "code=a&code=a&cursor=" + cursor,
	}
	for i := range cursor {
		for _, other := range []byte("A-z0") {
			if altered := []byte(cursor); altered[i] != other {
				altered[i] = other
				refused = append(refused, "code=a&cursor="+string(altered))
			}
		}
	}
	for _, parameter := range []string{"due", "dueFrom", "dueTo"} {
		r := w.send("GET", "/x/search/crate?"+parameter+"=2026-03-31T00:00:00+02:00", "")
		if !strings.Contains(r.Body.String(), "a + is written %2B") {
			t.Errorf("%s with a + that is not encoded: %s", parameter, r.Body)
		}
		w.send("GET", "/x/search/crate?"+parameter+"=2026-03-31T00:00:00%2B02:00", "")
	}
	for _, query := range refused {
		w.wants(w.send("GET", "/x/search/crate?"+query, ""), problem.BadParameter)
	}
	if ids := w.along("/x/search/crate?code=a&limit=2&cursor=" + cursor); len(ids) != 2 {
		t.Errorf("the cursor is followed by %d records", len(ids))
	}
	w.do(404, "GET", "/x/search/lorry", "")
	w.do(405, "POST", "/x/search/crate", "{}")
	if body := w.send("GET", "/x/search/crate?worth=10", "").Body.String(); !strings.Contains(body, "ownerPrefix") ||
		strings.Contains(body, "worthFrom") {
		t.Errorf("the refusal does not name what leads: %s", body)
	}
}

func TestSearchReturnsTheMembersAskedFor(t *testing.T) {
	w, _ := crates(t)
	w.do(201, "POST", "/crate", `{"code":"a","owner":"Ada","worth":123456789012345678.12}`)
	if body := w.do(200, "GET", "/x/search/crate?code=a&fields=worth,owner", "").Body.String(); body !=
		`[{"owner":"Ada","worth":123456789012345678.12}]` {
		t.Error(body)
	}
	if body := w.do(200, "GET", "/x/search/good?code=a&fields=resource,code", "").Body.String(); body !=
		`[{"code":"a","resource":"crate"}]` {
		t.Error(body)
	}
}
