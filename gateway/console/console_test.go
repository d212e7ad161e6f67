//go:build !noconsole

package console_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/gateway/console"
)

// The budget of the console.
const (
	mostFirst = 80 << 10  // bytes, compressed, that a browser loads before it shows a screen
	mostAll   = 220 << 10 // bytes, compressed, of all files
	mostLines = 600       // of a file
	mostWide  = 120       // columns of a line
	mostGo    = 300       // lines that the gateway has for the console
)

// get returns the response of a console to a GET from a browser.
func get(pages map[string]http.Handler, path string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	pages[path].ServeHTTP(w, r)
	return w.Result()
}

// TestOnlyALocalConsoleFillsAnExchange: the page offers to fill an empty exchange, and takes the request for it, only
// where the console is given what does so, which is in the process that a person has started on this machine.
func TestOnlyALocalConsoleFillsAnExchange(t *testing.T) {
	seed := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for name, local := range map[string]map[string]http.Handler{"local": {console.SeedPath: seed}, "elsewhere": nil} {
		pages := console.Pages(console.Config{OwnTokens: true, Local: local})
		r := httptest.NewRequest(http.MethodGet, console.Path, nil)
		w := httptest.NewRecorder()
		pages[console.Path].ServeHTTP(w, r)
		offered := strings.Contains(w.Body.String(), "data-seed")
		if taken := pages[console.SeedPath] != nil; offered != (local != nil) || taken != offered || w.Code != 200 {
			t.Errorf("%s: status %d, the page offers it: %v, the request is taken: %v", name, w.Code, offered, taken)
		}
	}
}

// TestPreloads compares the files that the page has a browser load at once with those that its script imports.
func TestPreloads(t *testing.T) {
	text, err := os.ReadFile("page/index.html")
	if err != nil {
		t.Fatal(err)
	}
	got := []string{"main.js"}
	for _, found := range regexp.MustCompile(`"modulepreload" href="{{.Folder}}(.*)"`).FindAllSubmatch(text, -1) {
		got = append(got, string(found[1]))
	}
	loaded := map[string]bool{}
	imported(t, "main.js", loaded)
	if want := slices.Sorted(maps.Keys(loaded)); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("the page loads %v at once, and imports %v", got, want)
	}
}

// TestBudget holds how much a browser loads, and how long the files are. All that it loads is the source, unchanged.
func TestBudget(t *testing.T) {
	pages := console.Pages(console.Config{OwnTokens: true})
	loaded := map[string]bool{"console.css": true}
	imported(t, "main.js", loaded)
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
		_, name, _ := strings.Cut(strings.TrimPrefix(path, console.Path+"/"), "/")
		if path == console.Path || loaded[name] {
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
	files, err := fs.Glob(os.DirFS("page"), "*.*")
	if libraries := len(manifest(t)); err != nil || len(files)+libraries != len(pages) {
		t.Fatalf("%d files, %d libraries, %d paths, %v", len(files), libraries, len(pages), err)
	}
	for _, name := range files {
		text, err := os.ReadFile("page/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > mostLines {
			t.Errorf("%s has %d lines, of at most %d", name, n, mostLines)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if wide := utf8.RuneCountInString(line); wide > mostWide {
				t.Errorf("%s:%d has %d columns, of at most %d", name, i+1, wide, mostWide)
			}
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

// library is a file of the npm registry, as the manifest names it.
type library struct{ Name, Version, Licence, Source, File, SHA256 string }

// manifest returns the libraries of the page.
func manifest(t *testing.T) (all []library) {
	t.Helper()
	text, err := os.ReadFile("page/lib/manifest.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLibraries compares the libraries with the manifest: each is there as it is in the registry, none is there without
// an entry, and NOTICE names each with its licence.
func TestLibraries(t *testing.T) {
	notice, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"manifest.json"}
	for _, l := range manifest(t) {
		text, err := os.ReadFile("page/lib/" + l.File)
		if err != nil {
			t.Error(err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(text)); sum != l.SHA256 || l.Source == "" {
			t.Errorf("%s, from %s of %s: the digest is %s, not %s", l.File, l.Source, l.Name, sum, l.SHA256)
		}
		named := fmt.Sprintf("\n- %s %s, %s,", l.Name, l.Version, l.Licence)
		if !strings.Contains(string(notice), named) {
			t.Errorf("NOTICE lacks %q", named)
		}
		want = append(want, l.File)
	}
	var got []string
	files, err := os.ReadDir("page/lib")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		got = append(got, file.Name())
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("there are %v, and the manifest has %v", got, want)
	}
}

// imported adds a file of the page, and all that a browser loads with it: what it imports, but for what is loaded once
// somebody needs it.
func imported(t *testing.T, name string, all map[string]bool) {
	t.Helper()
	if all[name] {
		return
	}
	all[name] = true
	text, err := os.ReadFile("page/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`(?m)^import .* from '\./(.*)';$`).FindAllSubmatch(text, -1) {
		imported(t, string(found[1]), all)
	}
}

// TestGoOfTheConsole counts what the gateway has for the console: this package, and each line of the others that names
// it. What serves the files of /docs serves those of the console as well, and is not counted.
func TestGoOfTheConsole(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"../pages/*.go", "*.go"} {
		found, err := filepath.Glob(more)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	own, others := 0, 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(file) == "." {
			own += bytes.Count(text, []byte("\n"))
		}
		for line := range bytes.Lines(text) {
			if filepath.Dir(file) != "." && bytes.Contains(bytes.ToLower(line), []byte("console")) {
				others++
			}
		}
	}
	if own < 100 || others < 5 || own+others > mostGo {
		t.Errorf("the gateway has %d lines for the console and %d that name it, of at most %d", own, others, mostGo)
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

// TestProvider checks that the page may call the identity provider, and nobody else.
func TestProvider(t *testing.T) {
	response := get(console.Pages(console.Config{Provider: console.Provider{Issuer: "https://id.example/realm",
		Client: "the <console>", Audience: []string{"exchange", "other"}, TokenURL: "https://tokens.example/token"}}),
		console.Path)
	want := "connect-src 'self' https://id.example https://tokens.example"
	policy := response.Header.Get("Content-Security-Policy")
	if response.StatusCode != http.StatusOK || !strings.HasSuffix(policy, "; "+want) {
		t.Errorf("status %d, Content-Security-Policy %q", response.StatusCode, policy)
	}
}

// TestConsoleIsOff asks gateways whose tokens an identity provider issues, which does not know the console.
func TestConsoleIsOff(t *testing.T) {
	pages := console.Pages(console.Config{Provider: console.Provider{Issuer: "https://id.example"}})
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
