package desk_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/desk"
)

// TestViewsAreOfTheirPerson keeps views of two people of one organisation, and of the same subject of another one.
func TestViewsAreOfTheirPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "2026-02-01T12:00:00Z")
	s := servicetest.Start(t, desk.Service().Definition(),
		servicetest.Options{Clock: w.clock, Peers: w.peers(), Flags: []string{"--org-claim", "org"}})
	path := "/x/view/" + url.PathEscape("Läuft im Frühling aus")
	const motor = `{"list":"policies","query":"line=motorCoverage&sort=-open"}`
	type send = func(status int, method, body string, header ...string) servicetest.Response
	as := func(organisation, subject string) send {
		return func(status int, method, body string, header ...string) servicetest.Response {
			t.Helper()
			return s.As(organisation).Must(status, method, path, body,
				append(header, request.CallerHeader, subject)...)
		}
	}
	mary, john, other := as("acme", "mary"), as("acme", "john"), as("zenith", "mary")
	made := mary(200, "PUT", motor)
	if made.Body["rows"] != "/x/book/policies?line=motorCoverage&sort=-open" ||
		made.Body["name"] != "Läuft im Frühling aus" || made.Body["setAt"] != "2026-02-01T12:00:00Z" {
		t.Errorf("made: %s", made.Text)
	}
	if again := mary(200, "PUT", motor); again.Header.Get("ETag") != made.Header.Get("ETag") {
		t.Errorf("the same again is %s, was %s", again.Header.Get("ETag"), made.Header.Get("ETag"))
	}
	john(404, "GET", "")
	other(404, "DELETE", "")
	john(200, "PUT", `{"list":"claims"}`)
	if is := mary(200, "GET", ""); is.Text != made.Text {
		t.Errorf("mary has %s, had %s", is.Text, made.Text)
	}
	mary(412, "PUT", `{"list":"claims"}`, "If-None-Match", "*")
	changed := mary(200, "PUT", `{"list":"late"}`, "If-Match", made.Header.Get("ETag"))
	mary(412, "DELETE", "", "If-Match", made.Header.Get("ETag"))
	if was := mary(200, "DELETE", "", "If-Match", changed.Header.Get("ETag")); was.Text != changed.Text {
		t.Errorf("removed %s, had %s", was.Text, changed.Text)
	}
	mary(404, "GET", "")
	if is := john(200, "GET", ""); is.Body["rows"] != "/x/book/claims" {
		t.Errorf("john has %s", is.Text)
	}
}

// TestViewsAreBounded fills the places of a person, from several sides at once, and frees one.
func TestViewsAreBounded(t *testing.T) {
	t.Parallel()
	s := newWorld(t, "2026-02-01T12:00:00Z").start()
	const most = 100
	var together sync.WaitGroup
	for i := range most + 10 {
		together.Go(func() { s.Do("PUT", fmt.Sprintf("/x/view/V%03d", i), `{"list":"policies"}`) })
	}
	together.Wait()
	for i := range most + 10 { // those of the first that others have come before in each try
		s.Do("PUT", fmt.Sprintf("/x/view/V%03d", i), `{"list":"policies"}`)
	}
	all := func() (names []string) {
		for _, view := range s.Must(200, "GET", "/x/view", "").Body["views"].([]any) {
			names = append(names, view.(map[string]any)["name"].(string))
		}
		return names
	}
	is := all()
	if len(is) != most {
		t.Fatalf("there are %d views, want %d", len(is), most)
	}
	refusal := s.Must(413, "PUT", "/x/view/another", `{"list":"policies"}`)
	if !strings.Contains(refusal.Text, "100 views") {
		t.Errorf("refused with %s", refusal.Text)
	}
	s.Must(200, "DELETE", "/x/view/"+is[50], "")
	s.Must(200, "PUT", "/x/view/another", `{"list":"policies"}`)
	if is = all(); len(is) != most || is[0] != "V000" || is[most-1] != "another" {
		t.Errorf("there are %d views, from %s to %s", len(is), is[0], is[most-1])
	}
}

// TestViewsAreRefused sends views that cannot be.
func TestViewsAreRefused(t *testing.T) {
	t.Parallel()
	s := newWorld(t, "2026-02-01T12:00:00Z").start()
	for body, pointer := range map[string]string{
		`{}`:                                       "/list",
		`{"list":"Policies"}`:                      "/list",
		`{"list":"claims","query":"?line=a"}`:      "/query",
		`{"list":"claims","query":"a=%zz"}`:        "/query",
		`{"list":"claims","query":"cursor=A"}`:     "/query",
		`{"list":"claims","query":"b=1&limit=20"}`: "/query",
		`{"list":"claims","query":"a=` + strings.Repeat("b", 16<<10) + `"}`: "/query",
	} {
		refusal := s.Must(400, "PUT", "/x/view/v", body)
		if !strings.Contains(refusal.Text, `"pointer":"`+pointer+`"`) {
			t.Errorf("%.60s: %s", body, refusal.Text)
		}
	}
	s.Must(200, "PUT", "/x/view/v", `{"list":"claims","query":"a=`+strings.Repeat("b", 16<<10-2)+`"}`)
	for _, name := range []string{"a:b", " a", "a%20%20b", "a%07", strings.Repeat("n", 101)} {
		s.Must(400, "PUT", "/x/view/"+strings.ReplaceAll(name, " ", "%20"), `{"list":"claims"}`)
	}
}
