package rest_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/problem"
)

var next = regexp.MustCompile(`^<(/[^>]+)>; rel="next"$`)

// contents returns the contents of the parcels of a page, and the path of the next page.
func (w *world) contents(path string) (all []string, following string) {
	w.t.Helper()
	r := w.do(200, "GET", path, "")
	var page []parcel
	if err := json.Unmarshal(r.Body.Bytes(), &page); err != nil {
		w.t.Fatal(err)
	}
	for _, p := range page {
		all = append(all, *p.Contents)
	}
	if m := next.FindStringSubmatch(r.Header().Get("Link")); m != nil {
		following = m[1]
	}
	return all, following
}

func TestPagesLeaveNothingOutWhileOthersInsert(t *testing.T) {
	w := start(t, nil)
	depot := w.depot("Ghent")
	add := func(i int) {
		w.do(201, "POST", "/parcel", fmt.Sprintf(`{"depot":%q,"weight":1,"contents":"c%d"}`, depot, i))
	}
	for i := range 5 {
		add(i)
	}
	var seen []string
	for path, i := "/parcel?limit=2", 5; path != ""; i++ {
		var page []string
		page, path = w.contents(path)
		if len(page) > 2 {
			t.Fatalf("a page of %d", len(page))
		}
		seen = append(seen, page...)
		if i < 7 {
			add(i)
		}
	}
	if want := []string{"c0", "c1", "c2", "c3", "c4", "c5", "c6"}; !slices.Equal(seen, want) {
		t.Errorf("pages of %v, want %v", seen, want)
	}
	if skipped, _ := w.contents("/parcel?skip=5"); !slices.Equal(skipped, []string{"c5", "c6"}) {
		t.Errorf("skipped to %v", skipped)
	}
	if found, _ := w.contents("/parcel?contents=C3"); !slices.Equal(found, []string{"c3"}) {
		t.Errorf("found %v", found)
	}
}

// TestAPageEndsByItsBytes checks that a page ends before it becomes too large, with a link to the next one, and that a
// record which is too large alone has a page of its own.
func TestAPageEndsByItsBytes(t *testing.T) {
	w := start(t, nil)
	depot := w.depot("Ghent")
	for i, kilobytes := range []int{400, 400, 400, 1200, 1, 1} {
		w.do(201, "POST", "/parcel", fmt.Sprintf(`{"depot":%q,"weight":1,"contents":"c%d","more":[%s]}`, depot, i,
			strings.TrimSuffix(strings.Repeat(list(100)+",", kilobytes/100), ",")))
	}
	var pages [][]string
	for path := "/parcel?limit=200"; path != ""; {
		var page []string
		page, path = w.contents(path)
		pages = append(pages, page)
	}
	if want := [][]string{{"c0", "c1"}, {"c2"}, {"c3"}, {"c4", "c5"}}; !reflect.DeepEqual(pages, want) {
		t.Errorf("pages of %v, want %v", pages, want)
	}
}

// TestAListShowsStatesThatTimeChanged checks that a list, which reads no State, shows a temporary state as long as it
// lasts.
func TestAListShowsStatesThatTimeChanged(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	w.do(200, "POST", path+":hold", "")
	for _, want := range []string{"held", "stored"} {
		page := w.do(200, "GET", "/parcel", "")
		if !strings.Contains(page.Body.String(), `"state":"`+want+`"`) {
			t.Errorf("want %s: %s", want, page.Body)
		}
		if length := page.Header().Get("Content-Length"); length != fmt.Sprint(page.Body.Len()) {
			t.Errorf("a page of %d bytes says that it has %s", page.Body.Len(), length)
		}
		w.pass(time.Hour)
	}
}

func TestNumbersOfAListAreDigits(t *testing.T) {
	w := start(t, nil)
	for _, query := range []string{"limit=+5", "limit=%2B5", "limit=0", "limit=201", "limit=-1", "limit=", "limit=5.0",
		"skip=100001", "skip=-0"} {
		w.wants(w.do(400, "GET", "/parcel?"+query, ""), problem.BadParameter)
	}
	for _, query := range []string{"limit=%zz", "a;b"} {
		if r := w.do(400, "GET", "/parcel?"+query, ""); !strings.Contains(r.Body.String(),
			`"errors":[{"parameter":"`+query+`"`) {
			t.Errorf("%s: %s", query, r.Body)
		}
	}
	w.do(200, "GET", "/parcel?skip=100000&limit=200", "")
	w.do(400, "GET", w.parcel("")+"?limit=5", "")
}

func TestHistoryListsEachChange(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	w.do(200, "PUT", path, w.body(`"size":"small"`))
	w.do(200, "POST", path+":deliver", signed)
	r := w.do(200, "GET", "/x/history"+path, "")
	var history struct {
		Resource string
		Version  int
		History  []struct {
			Event, By, To string
			Change        map[string]any
		}
	}
	if err := json.Unmarshal(r.Body.Bytes(), &history); err != nil {
		t.Fatal(err)
	}
	h := history.History
	if history.Resource != "parcel" || history.Version != 3 || len(h) != 3 || h[0].To != "stored" || h[0].By != "ada" ||
		h[1].Event != "replaced" || h[1].Change["size"] != "small" || h[1].Change["contents"] != nil ||
		h[2].Event != "deliver" || h[2].To != "delivered" || h[2].Change["signature"] != "Bo" {
		t.Errorf("history %s", r.Body)
	}
	w.do(404, "GET", "/x/history/parcel/no-id", "")
	w.do(404, "GET", "/x/history/depot/"+path[len("/parcel/"):], "") // a record of another resource
	w.do(405, "POST", "/x/history"+path, "")
}

func TestPathsAndMethods(t *testing.T) {
	w := start(t, nil)
	path := w.parcel("")
	for _, c := range []struct {
		method, path, allow string
		status              int
	}{
		{"DELETE", path, "GET, HEAD, PUT", 405}, {"PATCH", "/parcel", "GET, HEAD, POST", 405},
		{"PUT", "/parcel", "GET, HEAD, POST", 405},
		{"GET", path + "/scan", "POST", 405}, {"POST", path, "GET, HEAD, PUT", 405}, {"GET", "/parcel/no-id", "", 404},
		{"GET", "/parcel/00000000-0000-7000-8000-000000000000", "", 404}, {"PUT", "/parcel/no-id", "", 404},
	} {
		if r := w.do(c.status, c.method, c.path, "{}"); r.Header().Get("Allow") != c.allow {
			t.Errorf("%s %s: Allow %q, want %q", c.method, c.path, r.Header().Get("Allow"), c.allow)
		}
	}
	w.do(200, "HEAD", path, "")
	w.wants(w.do(415, "POST", "/parcel", "{}", "Content-Type", "text/plain"), problem.MediaType)
	w.wants(w.do(415, "POST", "/parcel", "{}", "Content-Encoding", "gzip"), problem.MediaType)
	w.do(404, "POST", "/parcel", `{"depot":"no-id"}`, "Content-Type", "application/vnd.parcel+json; charset=utf-8")
}
