//go:build !noconsole

package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/gateway/console"
)

// The budget of the console.
const (
	mostFirst = 60 << 10  // bytes, compressed, that a browser loads before it shows a screen
	mostAll   = 150 << 10 // bytes, compressed, of all files
	mostLines = 600       // of a file
)

// get returns the response of a console to a GET from a browser.
func get(pages map[string]http.Handler, path string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	pages[path].ServeHTTP(w, r)
	return w.Result()
}

// TestBudget holds how much a browser loads, and how long the files are. All that it loads is the source, unchanged.
func TestBudget(t *testing.T) {
	pages := console.Pages(console.Config{OwnTokens: true})
	first, all := 0, 0
	for path := range maps.Keys(pages) {
		response := get(pages, path)
		var body bytes.Buffer
		if _, err := body.ReadFrom(response.Body); err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: status %d, %v", path, response.StatusCode, response.Header)
		}
		all += body.Len()
		// All modules are imported by the first one; the words of the other language are not.
		if !strings.HasSuffix(path, "/de.js") {
			first += body.Len()
		}
		immutable := strings.Contains(response.Header.Get("Cache-Control"), "immutable")
		if immutable != (path != console.Path) {
			t.Errorf("%s: Cache-Control is %q", path, response.Header.Get("Cache-Control"))
		}
	}
	t.Logf("%d bytes at the first load, %d in all", first, all)
	if first > mostFirst || all > mostAll {
		t.Errorf("the first load has %d bytes, of at most %d; all files have %d, of at most %d", first, mostFirst, all,
			mostAll)
	}
	files, err := fs.Glob(os.DirFS("page"), "*")
	if err != nil || len(files) != len(pages) {
		t.Fatalf("%d files, %d paths, %v", len(files), len(pages), err)
	}
	for _, name := range files {
		text, err := os.ReadFile("page/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > mostLines {
			t.Errorf("%s has %d lines, of at most %d", name, n, mostLines)
		}
		for _, forbidden := range []string{
			"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc",
		} {
			if bytes.Contains(text, []byte(forbidden)) {
				t.Errorf("%s has %s: text becomes text nodes only", name, forbidden)
			}
		}
	}
}

// TestPolicyOfThePage holds the headers that keep scripts, frames and other hosts out.
func TestPolicyOfThePage(t *testing.T) {
	header := get(console.Pages(console.Config{OwnTokens: true}), console.Path).Header
	for _, directive := range []string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'",
		"base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
	} {
		if !slices.Contains(strings.Split(header.Get("Content-Security-Policy"), "; "), directive) {
			t.Errorf("Content-Security-Policy %q lacks %s", header.Get("Content-Security-Policy"), directive)
		}
	}
	for name, want := range map[string]string{
		"X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
		"Cross-Origin-Opener-Policy": "same-origin",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
}

// TestAmounts compares the amounts that the page knows with those that the interface document marks.
func TestAmounts(t *testing.T) {
	text, err := os.ReadFile("page/dom.js")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?s)AMOUNTS = new Set\(\[(.*?)\]\)`).FindSubmatch(text)
	var known []string
	for _, name := range regexp.MustCompile(`'(\w+)'`).FindAllSubmatch(list[1], -1) {
		known = append(known, string(name[1]))
	}
	var document any
	if err := json.Unmarshal(openapi.Published(), &document); err != nil {
		t.Fatal(err)
	}
	marked := map[string]bool{}
	collect(document, marked)
	if want := slices.Sorted(maps.Keys(marked)); !slices.Equal(known, want) {
		t.Errorf("the page knows the amounts %v, the document has %v", known, want)
	}
}

// collect adds the members of all schemas that are amounts.
func collect(of any, marked map[string]bool) {
	switch of := of.(type) {
	case []any:
		for _, one := range of {
			collect(one, marked)
		}
	case map[string]any:
		properties, _ := of["properties"].(map[string]any)
		for name, property := range properties {
			if schema, _ := property.(map[string]any); schema[openapi.AmountExtension] == true {
				marked[name] = true
			}
		}
		for _, one := range of {
			collect(one, marked)
		}
	}
}

// TestWords holds that what has words in English has them in German, and so has each member of a record and of a
// request about one.
func TestWords(t *testing.T) {
	words := map[string]map[string]bool{}
	for _, language := range []string{"en", "de"} {
		text, err := os.ReadFile("page/" + language + ".js")
		if err != nil {
			t.Fatal(err)
		}
		words[language] = map[string]bool{}
		for _, found := range regexp.MustCompile(`(?m)(?:^|[ {])(?:'([^']+)'|(\w+)): ['"]`).FindAllSubmatch(text, -1) {
			words[language][string(found[1])+string(found[2])] = true
		}
	}
	for word := range words["en"] {
		if !words["de"][word] {
			t.Errorf("de.js lacks %s", word)
		}
	}
	var document struct {
		Paths      map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(openapi.Published(), &document); err != nil {
		t.Fatal(err)
	}
	members := map[string]bool{}
	for path, operations := range document.Paths {
		if strings.HasPrefix(path, "/x/") {
			continue
		}
		for _, name := range regexp.MustCompile(`schemas/(\w+)`).FindAllStringSubmatch(fmt.Sprint(operations["post"]), -1) {
			properties, _ := document.Components.Schemas[name[1]].(map[string]any)["properties"].(map[string]any)
			for member, schema := range properties {
				if !strings.Contains(fmt.Sprint(schema), "Another name of") && name[1] != "Problem" {
					members[member] = true
				}
			}
		}
	}
	if len(members) < 90 {
		t.Errorf("only %d members", len(members))
	}
	for member := range members {
		if !words["de"][member] {
			t.Errorf("de.js lacks the member %s", member)
		}
	}
}

// TestConsoleIsOff asks gateways whose tokens an identity provider issues.
func TestConsoleIsOff(t *testing.T) {
	pages := console.Pages(console.Config{})
	response := get(pages, console.Path)
	var problem struct{ Detail string }
	if err := json.NewDecoder(response.Body).Decode(&problem); err != nil {
		t.Fatal(err)
	}
	if len(pages) != 1 || response.StatusCode != http.StatusNotFound ||
		!strings.Contains(problem.Detail, "identity provider") {
		t.Errorf("%d pages, status %d, %q", len(pages), response.StatusCode, problem.Detail)
	}
}

// TestLink follows a link in all the ways that must fail, then once, then again.
func TestLink(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	link := console.NewLink(func() (string, error) { return "TOKEN", nil }, func() time.Time { return now })
	pages := console.Pages(console.Config{OwnTokens: true, Local: console.Local{Link: link}})
	follow := func(code string, change ...func(*http.Request)) (int, string) {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/console/sign-in", strings.NewReader(code))
		r.RemoteAddr = "127.0.0.1:50000"
		for _, c := range change {
			c(r)
		}
		w := httptest.NewRecorder()
		pages["/console/sign-in"].ServeHTTP(w, r)
		if cache := w.Header().Get("Cache-Control"); w.Code == http.StatusOK && cache != "no-store" {
			t.Errorf("the token may be kept: Cache-Control is %q", cache)
		}
		return w.Code, w.Body.String()
	}
	if code, _ := follow(""); code != http.StatusNotFound {
		t.Errorf("before there is a link: %d", code)
	}
	code := strings.TrimPrefix(link.URL("http://127.0.0.1:8080"), "http://127.0.0.1:8080/console#sign-in=")
	for what, change := range map[string]func(*http.Request){
		"from another machine": func(r *http.Request) { r.RemoteAddr = "192.0.2.1:50000" },
		"behind a proxy":       func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") },
		"behind a newer proxy": func(r *http.Request) { r.Header.Set("Forwarded", "for=192.0.2.1") },
		"by another name":      func(r *http.Request) { r.Host = "rebound.example" },
		"from another page":    func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"too late":             func(*http.Request) { now = now.Add(time.Minute + time.Second) },
	} {
		if status, _ := follow(code, change); status != http.StatusNotFound {
			t.Errorf("%s: status %d", what, status)
		}
	}
	now = now.Add(-time.Minute)
	for _, wrong := range []string{"", code[1:], code + "A", strings.Repeat("A", 1<<20)} {
		if status, _ := follow(wrong); status != http.StatusNotFound {
			t.Errorf("a wrong code of %d bytes: status %d", len(wrong), status)
		}
	}
	if status, body := follow(code); status != http.StatusOK || body != `{"token":"TOKEN"}`+"\n" {
		t.Errorf("followed: %d %s", status, body)
	}
	if status, _ := follow(code); status != http.StatusNotFound {
		t.Errorf("followed twice: %d", status)
	}
}

// TestSeed fills only for a page of this machine, with the caller's token, and says what failed.
func TestSeed(t *testing.T) {
	var got string
	var fails error
	pages := console.Pages(console.Config{OwnTokens: true, Local: console.Local{
		Seed: func(_ context.Context, token string) error { got = token; return fails },
	}})
	ask := func(from, authorization string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "http://localhost:8080/console/seed", nil)
		r.RemoteAddr = from
		r.Header.Set("Authorization", authorization)
		w := httptest.NewRecorder()
		pages["/console/seed"].ServeHTTP(w, r)
		return w
	}
	if w := ask("[::1]:50000", "Bearer T"); w.Code != http.StatusNoContent || got != "T" {
		t.Errorf("status %d, token %q", w.Code, got)
	}
	if w := ask("192.0.2.1:50000", "Bearer T"); w.Code != http.StatusNotFound {
		t.Errorf("from another machine: %d", w.Code)
	}
	if w := ask("127.0.0.1:50000", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", w.Code)
	}
	fails = errors.New("no disk")
	if w := ask("127.0.0.1:50000", "Bearer T"); w.Code != http.StatusServiceUnavailable ||
		!strings.Contains(w.Body.String(), "no disk") {
		t.Errorf("a failure: %d %s", w.Code, w.Body)
	}
}
