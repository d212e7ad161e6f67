package pages_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/gateway/pages"
	"insurance.example/exchange/pkg/problem"
)

// public are the pages of a local exchange. Making them costs more than serving them.
var public = sync.OnceValues(func() (map[string]http.Handler, error) {
	return pages.New(pages.Config{Sets: valuesets.Published(),
		Tokens: pages.Tokens{Local: true, Issuer: "exchange-local"}})
})

// serve returns the response of a page. headers are names and values in turn.
func serve(t *testing.T, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	all, err := public()
	if err != nil {
		t.Fatal(err)
	}
	response := httptest.NewRecorder()
	page, found := all[path]
	if !found {
		response.WriteHeader(http.StatusNotFound) // what the gateway makes of a path without a page
		return response
	}
	page.ServeHTTP(response, request(method, path, headers...))
	return response
}

func request(method, path string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func get(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	return serve(t, http.MethodGet, path, headers...)
}

func TestRootRedirectsToTheViewer(t *testing.T) {
	for path, want := range map[string]string{"/": "/docs", "/docs/": "/docs", "/problems/": "/problems"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			response := serve(t, method, path)
			if response.Code != http.StatusFound || response.Header().Get("Location") != want {
				t.Errorf("%s %s: %d to %q", method, path, response.Code, response.Header().Get("Location"))
			}
		}
		if response := get(t, want); response.Code != http.StatusOK {
			t.Errorf("%s: %d", want, response.Code)
		}
	}
}

// viewerOrder returns the order that the page gives to the viewer.
func viewerOrder(t *testing.T) (groups, operations []string) {
	t.Helper()
	data := regexp.MustCompile(`data-order="([^"]*)"`).FindStringSubmatch(get(t, "/docs").Body.String())
	if data == nil {
		t.Fatal("the page gives the viewer no order")
	}
	var order struct{ Groups, Operations []string }
	if err := json.Unmarshal([]byte(strings.ReplaceAll(data[1], "&#34;", `"`)), &order); err != nil {
		t.Fatal(err)
	}
	return order.Groups, order.Operations
}

func TestViewerHasTheOrderOfTheInterface(t *testing.T) {
	groups, operations := viewerOrder(t)
	if len(groups) != 7 {
		t.Fatalf("the groups are %q", groups)
	}
	for i, want := range []string{"parties", "products", "coverage", "objects", "claims", "premium"} {
		if !strings.EqualFold(groups[i], want) {
			t.Errorf("group %d is %q, not %s", i+1, groups[i], want)
		}
	}
	claims := []string{
		"POST /claim", "GET /claim", "GET /claim/{id}", "PUT /claim/{id}", "POST /claim/{id}/documents",
		"POST /claim/{id}:settle",
		"POST /claim/{id}:reopen", "POST /claimsBordereau", "GET /claimsBordereau", "GET /claimsBordereau/{id}",
	}
	first := slices.Index(operations, claims[0])
	if first < 0 || first+len(claims) > len(operations) || !slices.Equal(operations[first:first+len(claims)], claims) {
		t.Errorf("the claims are not in order in %q", operations)
	}
	beyond := slices.IndexFunc(operations, func(o string) bool { return strings.Contains(o, " /x/") })
	for i, o := range operations {
		if strings.Contains(o, " /x/") != (i >= beyond) {
			t.Errorf("%s is in place %d, and what is beyond the interface begins at %d", o, i, beyond)
		}
	}
}

// TestViewerOrderIsWhole compares the order with the document: no operation is missing or invented.
func TestViewerOrderIsWhole(t *testing.T) {
	var document struct {
		Paths map[string]map[string]struct{ Tags []string }
	}
	if err := json.Unmarshal(get(t, "/openapi.json").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	var want []string
	groups, operations := viewerOrder(t)
	for path, item := range document.Paths {
		for method, operation := range item {
			want = append(want, strings.ToUpper(method)+" "+path)
			for _, tag := range operation.Tags {
				if !slices.Contains(groups, tag) {
					t.Errorf("the group %s is not shown", tag)
				}
			}
		}
	}
	page := html.UnescapeString(get(t, "/docs").Body.String())
	for _, operation := range want {
		if !strings.Contains(page, "<code>"+operation+"</code>") {
			t.Errorf("the search of the browser does not find %s in the page", operation)
		}
	}
	slices.Sort(want)
	slices.Sort(operations)
	if len(want) < 50 || !slices.Equal(want, operations) {
		t.Errorf("%d operations are in the document, %d in order", len(want), len(operations))
	}
}

func TestPagesSayWhereTokensComeFrom(t *testing.T) {
	for _, test := range []struct {
		tokens    pages.Tokens
		want, not string
	}{
		{pages.Tokens{Local: true, Issuer: "exchange-local"}, "exchange token", "identity provider"},
		{pages.Tokens{Local: true, Issuer: "exchange-local", Command: "docker compose run token"},
			"docker compose run token", "exchange token"},
		{pages.Tokens{Issuer: "https://login.example/realm"}, "https://login.example/realm", "exchange token"},
		{pages.Tokens{}, "ask its operator", "exchange token"},
	} {
		all, err := pages.New(pages.Config{Sets: valuesets.Published(), Tokens: test.tokens})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/docs", "/docs/start"} {
			response := httptest.NewRecorder()
			all[path].ServeHTTP(response, request(http.MethodGet, path))
			if text := response.Body.String(); !strings.Contains(text, test.want) || strings.Contains(text, test.not) {
				t.Errorf("%s with %+v: want %q and not %q", path, test.tokens, test.want, test.not)
			}
		}
	}
	if text := get(t, "/docs").Body.String(); !strings.Contains(text, "session storage") {
		t.Error("the viewer does not say where the token is kept")
	}
}

// TestViewerMayAskForATokenAtTheTokenURL renders the pages with a token URL and without.
func TestViewerMayAskForATokenAtTheTokenURL(t *testing.T) {
	for tokenURL, want := range map[string]string{
		"": "connect-src 'self';",
		"https://login.example:8443/realm/token?a=b": "connect-src 'self' https://login.example:8443;",
	} {
		all, err := pages.New(pages.Config{Sets: valuesets.Published(), Tokens: pages.Tokens{URL: tokenURL}})
		if err != nil {
			t.Fatal(err)
		}
		for path, named := range map[string]bool{"/docs": tokenURL != "", "/docs/start": tokenURL != "",
			"/openapi.json": tokenURL != ""} {
			response := httptest.NewRecorder()
			all[path].ServeHTTP(response, request(http.MethodGet, path))
			if is := strings.Contains(response.Body.String(),
				"https://login.example:8443/realm/token?a=b"); is != named {
				t.Errorf("%s names the token URL %q: %v", path, tokenURL, is)
			}
			if policy := response.Header().Get("Content-Security-Policy"); path == "/docs" &&
				!strings.Contains(policy, want) {
				t.Errorf("with the token URL %q the policy is %q", tokenURL, policy)
			}
		}
	}
}

func TestCommandsCallTheAddressOfThePage(t *testing.T) {
	all, err := public()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		host, forwarded, want string
		status                int
	}{
		{"exchange.example", "", "URL=http://exchange.example\n", 200},
		{"127.0.0.1:8081", "", "URL=http://127.0.0.1:8081\n", 200},
		{"[::1]:8081", "", "URL=http://[::1]:8081\n", 200},
		{"exchange.example", "https", "URL=https://exchange.example\n", 200},
		{"$(reboot)", "", "", 400},
		{"a;b", "", "", 400},
		{"", "", "", 400},
	} {
		r := request(http.MethodGet, "/docs/start", "X-Forwarded-Proto", test.forwarded)
		r.Host = test.host
		response := httptest.NewRecorder()
		all["/docs/start"].ServeHTTP(response, r)
		if response.Code != test.status || !strings.Contains(response.Body.String(), test.want) {
			t.Errorf("%s, %q: status %d", test.host, test.forwarded, response.Code)
		}
		if strings.Contains(response.Body.String(), "exchange.invalid") {
			t.Errorf("%s: an address is not filled in", test.host)
		}
	}
}

// explained is a page about a problem, as JSON.
type explained struct {
	Type, Title, Row, Means, Mend string
	Status                        int
	Example                       map[string]any
	Operations                    []struct{ Method, Path string }
}

func explain(t *testing.T, path string) explained {
	t.Helper()
	response := get(t, path)
	var page explained
	if err := json.Unmarshal(response.Body.Bytes(), &page); err != nil {
		t.Fatalf("%s: status %d, %v", path, response.Code, err)
	}
	return page
}

// TestEveryKindHasAPage compares the pages with every kind that there is, and every text with a kind.
func TestEveryKindHasAPage(t *testing.T) {
	texts, err := problems.Texts()
	if err != nil {
		t.Fatal(err)
	}
	kinds := problem.All()
	for _, own := range problems.All() {
		kinds = append(kinds, own)
	}
	for _, kind := range kinds {
		delete(texts, kind.Slug())
		page := explain(t, problem.URI(kind))
		if page.Type != problem.URI(kind) || page.Title != kind.Title() || page.Status != kind.Status() ||
			page.Row == "" || page.Means == "" || page.Mend == "" {
			t.Errorf("%s: %+v", kind.Slug(), page)
		}
		example := page.Example
		if example["type"] != page.Type || example["title"] != page.Title ||
			example["status"] != float64(page.Status) ||
			example["detail"] == "" || example["instance"] == "" {
			t.Errorf("%s: the example is %v", kind.Slug(), example)
		}
	}
	for slug := range texts {
		t.Errorf("the text %s belongs to no problem", slug)
	}
}

func TestProblemsNameTheirOperations(t *testing.T) {
	operations := func(slug string) []string {
		var all []string
		for _, o := range explain(t, "/problems/"+slug).Operations {
			all = append(all, o.Method+" "+o.Path)
		}
		return all
	}
	if is := operations("reference-required"); len(is) == 0 || is[0] != "POST /receipt" {
		t.Errorf("a reference is required by %q", is)
	}
	if is := operations("party-exists"); !slices.Equal(is, []string{"POST /personal", "PUT /personal/{id}"}) {
		t.Errorf("a party exists for %q", is)
	}
	if is := operations("vehicle-not-found"); !slices.Contains(is, "POST /motorCoverage") ||
		slices.Contains(is, "POST /petCoverage") {
		t.Errorf("a vehicle is not found by %q", is)
	}
	_, all := viewerOrder(t)
	if is := operations("unauthorized"); !slices.Equal(is, all) {
		t.Errorf("%d of %d operations need a token", len(is), len(all))
	}
	page := get(t, "/problems/party-exists", "Accept", "text/html").Body.String()
	for _, want := range []string{"How to mend it", "existingId&#34;: &#34;", "POST /personal",
		"/docs#/parties/createPersonal"} {
		if !strings.Contains(strings.ReplaceAll(page, "Parties", "parties"), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
}

func TestProblemsAreNegotiated(t *testing.T) {
	for accept, want := range map[string]string{
		"": "application/json", "*/*": "application/json", "application/json": "application/json",
		"text/html": "text/html",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "text/html",
		"text/html;q=0.1, application/json":                               "application/json",
	} {
		for _, path := range []string{"/problems", "/problems/peril-not-covered"} {
			response := get(t, path, "Accept", accept)
			if is := response.Header().Get("Content-Type"); !strings.HasPrefix(is, want) ||
				!strings.Contains(response.Body.String(), "peril not covered") {
				t.Errorf("%s, Accept %q: %s", path, accept, is)
			}
			if !slices.Contains(response.Header().Values("Vary"), "Accept") {
				t.Errorf("%s does not vary", path)
			}
		}
	}
}

// reference finds what a page loads or links to.
var reference = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// TestPagesNeedNothingFromOutside follows every reference of the pages: all of them are served here.
func TestPagesNeedNothingFromOutside(t *testing.T) {
	for _, path := range []string{"/docs", "/docs/start", "/docs/register", "/problems", "/problems/not-found"} {
		page := get(t, path, "Accept", "text/html")
		policy := page.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'; script-src 'self'; style-src 'self'") ||
			(path != "/docs" && strings.Contains(policy, "unsafe")) {
			t.Errorf("%s has the policy %q", path, policy)
		}
		text := page.Body.String()
		if strings.Contains(text, "<style") ||
			regexp.MustCompile(`<script(>| [^s])|\son[a-z]+=|style=`).MatchString(text) {
			t.Errorf("%s has scripts or styles that its policy forbids", path)
		}
		found := reference.FindAllStringSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s refers to nothing", path)
		}
		for _, match := range found {
			target, fragment, _ := strings.Cut(match[1], "#")
			switch {
			case match[1] == "data:,":
			case target == "":
				if !strings.Contains(text, `id="`+fragment+`"`) {
					t.Errorf("%s refers to its part %s", path, fragment)
				}
			case !strings.HasPrefix(target, "/") || get(t, target).Code != http.StatusOK:
				t.Errorf("%s refers to %s", path, match[1])
			}
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := pages.New(pages.Config{Sets: valuesets.Published()}); err != nil {
			b.Fatal(err)
		}
	}
}
