package rest_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// shelf is a record that names crates.
type shelf struct {
	ID     string   `json:"id,omitzero"`
	Label  *string  `json:"label,omitzero"`
	Top    string   `json:"top,omitzero" refers:"crate"`
	Crates []string `json:"crates,omitzero" refers:"crate"`
	Note   *string  `json:"note,omitzero"`
}

func (s *shelf) RecordID() string      { return s.ID }
func (s *shelf) SetRecordID(id string) { s.ID = id }

// shelves returns a server of shelves, crates and barrels.
func shelves(t *testing.T, further ...search.Expansion) (*world, error) {
	t.Helper()
	return shelvesWith(t, "", further...)
}

// shelvesWith returns a server of shelves, and of crates and barrels that share a collection, if it is named.
func shelvesWith(t *testing.T, collection string, further ...search.Expansion) (*world, error) {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "rest.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	server := rest.NewServer(rest.Config{
		Store: store, Sets: known, Now: time.Now,
	})
	for _, name := range []string{"crate", "barrel"} {
		rest.Add(server, rest.Resource[*crate]{Name: name, Collection: collection, Search: crateFields})
	}
	rest.Add(server, rest.Resource[*shelf]{
		Name: "shelf", Search: []search.Field{search.Text("label").Leads()},
		Expand: append([]search.Expansion{search.Expand("upper", "top"), search.Expand("all", "crates")}, further...),
	})
	if err := server.Open(t.Context()); err != nil {
		return nil, err
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	if err := server.Mount(engine, ada); err != nil {
		t.Fatal(err)
	}
	return &world{t: t, handler: engine}, nil
}

// made creates a record and returns its id.
func (w *world) made(resource string, body map[string]any) string {
	w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	var record struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(w.do(201, "POST", "/"+resource, string(text)).Body.Bytes(), &record); err != nil {
		w.t.Fatal(err)
	}
	return record.ID
}

func TestASearchEmbedsWhatRecordsName(t *testing.T) {
	w, err := shelves(t)
	if err != nil {
		t.Fatal(err)
	}
	one, two := w.made("crate", map[string]any{"code": "1"}), w.made("crate", map[string]any{"code": "2"})
	barrel := w.made("barrel", map[string]any{"code": "b"})
	w.made("shelf", map[string]any{"label": "a", "top": one, "crates": []string{two, one}})
	w.made("shelf", map[string]any{"label": "b", "crates": []string{anID(1), one, barrel, "x,y", ""}})
	w.made("shelf", map[string]any{"label": "c", "crates": []string{}})
	crate := func(id, code string) string { return `{"id":"` + id + `","code":"` + code + `"}` }
	for query, want := range map[string]string{
		"label=a&fields=label&expand=upper": `[{"label":"a","upper":` + crate(one, "1") + `}]`,
		"label=a&fields=label&expand=all,upper,all": `[{"label":"a","all":[` + crate(two, "2") + "," + crate(one, "1") +
			`],"upper":` + crate(one, "1") + `}]`,
		"label=b&fields=label&expand=upper,all": `[{"label":"b","all":[null,` + crate(one, "1") +
			`,null,null,null],"unresolved":["all"]}]`,
		"label=c&fields=label&expand=upper,all": `[{"label":"c","all":[]}]`,
	} {
		if got := w.do(200, "GET", "/x/search/shelf?"+query, "").Body.String(); got != want {
			t.Errorf("%s\nreturns %s\nnot     %s", query, got, want)
		}
	}
	for _, query := range []string{"expand=top", "expand=", "expand=upper,", "expand=upper&expand=all"} {
		w.wants(w.send("GET", "/x/search/shelf?"+query, ""), problem.BadParameter)
	}
	if text := w.send("GET", "/x/search/shelf?expand=lower", "").Body.String(); !strings.Contains(text, "upper, all") {
		t.Errorf("the refusal does not name what can be embedded: %s", text)
	}
	w.wants(w.send("GET", "/x/search/crate?expand=upper", ""), problem.BadParameter)
}

// TestASearchEmbedsOnlyTheResourcesThatAMemberNames has a shelf name barrels, of which its member cannot speak: the
// search embeds none of them, whether they are kept with the crates or apart. Other services may name any record.
func TestASearchEmbedsOnlyTheResourcesThatAMemberNames(t *testing.T) {
	for _, collection := range []string{"", "goods"} {
		w, err := shelvesWith(t, collection)
		if err != nil {
			t.Fatal(err)
		}
		crate, barrel := w.made("crate", map[string]any{"code": "1"}), w.made("barrel", map[string]any{"code": "b"})
		w.made("shelf", map[string]any{"label": "a", "top": barrel, "crates": []string{barrel, crate}})
		shown := `{"id":"` + crate + `","code":"1"}`
		want := `[{"label":"a","upper":null,"all":[null,` + shown + `],"unresolved":["upper","all"]}]`
		if got := w.do(200, "GET", "/x/search/shelf?fields=label&expand=upper,all", "").Body.String(); got != want {
			t.Errorf("collection %q: the search returns %s, not %s", collection, got, want)
		}
		named := func(id, resource, code string) string {
			return `{"name":"` + id + `","resource":"` + resource + `","id":"` + id + `","record":{"id":"` + id +
				`","code":"` + code + `"}}`
		}
		want = `{"records":[` + named(barrel, "barrel", "b") + "," + named(crate, "crate", "1") + `],"looked":3}`
		got := w.do(200, "GET", "/internal/records/"+barrel+","+anID(1)+","+crate, "").Body.String()
		if got != want {
			t.Errorf("collection %q: the look-up returns %s, not %s", collection, got, want)
		}
	}
}

// TestWhatAPageEmbedsIsBounded follows the links of pages that could embed more than one may.
func TestWhatAPageEmbedsIsBounded(t *testing.T) {
	w, err := shelves(t)
	if err != nil {
		t.Fatal(err)
	}
	var small, large []string
	for i := range search.MostExpanded + 10 {
		small = append(small, w.made("crate", map[string]any{"code": fmt.Sprint(i)}))
	}
	for range 5 {
		parts := slices.Repeat([]string{strings.Repeat("x", 60_000)}, 5)
		large = append(large, w.made("crate", map[string]any{"parts": parts}))
	}
	for label, crates := range map[string][][]string{
		"many": {small[:100], small[50:150], small[150:], small[:1]}, // 200 and 60 different ones
		"more": {small[:1], small, small[:2]},
		"size": {large[:2], large[2:4], large[4:], large},
		"same": {large[:1], large[:1], large[:1], large[:1], large[:1], large[:1]},
		"each": {slices.Repeat(large[:1], 5)},
	} {
		var ids []string
		for _, names := range crates {
			ids = append(ids, w.made("shelf", map[string]any{"label": label, "crates": names}))
		}
		if got := w.along("/x/search/shelf?label=" + label + "&expand=all"); !slices.Equal(got, ids) {
			t.Errorf("%s: the pages have %v, not %v", label, got, ids)
		}
		pages := 0
		for path := "/x/search/shelf?label=" + label + "&expand=all"; path != ""; pages++ {
			page := w.do(200, "GET", path, "")
			if page.Body.Len() > 2*search.MostBytes {
				t.Errorf("%s: a page has %d bytes", label, page.Body.Len())
			}
			unresolved := strings.Contains(page.Body.String(), `"unresolved"`)
			if first := pages == 0 && label != "each"; unresolved && (first || label == "many" || label == "same") {
				t.Errorf("%s: the page %.200s has unresolved names", label, page.Body)
			}
			path, _, _ = strings.Cut(strings.TrimPrefix(page.Header().Get("Link"), "<"), ">")
		}
		if want := map[string]int{"many": 2, "more": 2, "size": 3, "same": 2, "each": 1}[label]; pages != want {
			t.Errorf("%s: %d pages, not %d", label, pages, want)
		}
	}
	names := strings.Join(small, ",")
	w.wants(w.send("GET", "/internal/records/"+names, ""), problem.BadParameter)
	w.wants(w.send("GET", "/internal/records/"+small[0]+"?limit=1", ""), problem.BadParameter)
	names = strings.Join(small[:search.MostExpanded], ",")
	all := w.do(200, "GET", "/internal/records/"+names, "").Body.String()
	if strings.Count(all, `"code"`) != search.MostExpanded {
		t.Error(all)
	}
	some := w.do(200, "GET", "/internal/records/"+strings.Join(large, ","), "").Body.String()
	if strings.Count(some, `"name"`) != 3 || !strings.Contains(some, `"looked":3}`) {
		t.Errorf("%d large records of %d bytes are returned", strings.Count(some, `"name"`), len(some))
	}
}

func TestExpansionsThatAreNone(t *testing.T) {
	for fault, e := range map[string]search.Expansion{
		"names no member that refers": search.Expand("x", "label"), "names no member": search.Expand("x", "y"),
		"has the name of a member": search.Expand("label", "top"),
	} {
		if _, err := shelves(t, e); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", fault, err)
		}
	}
}
