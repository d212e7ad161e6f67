package pages_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/gateway/pages"
	"insurance.example/exchange/pkg/problem"
)

// public are the pages; making them costs more than serving them.
var public = sync.OnceValues(func() (map[string]http.Handler, error) { return pages.New(valuesets.Published()) })

// serve answers what a page answers; headers are names and values in turn.
func serve(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	all, err := public()
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	answer := httptest.NewRecorder()
	all[name].ServeHTTP(answer, request)
	return answer
}

// TestEveryKindHasAPage holds the registry against every kind that there is, and every text against a kind.
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
		answer := serve(t, problem.URI(kind))
		var page struct {
			Type, Title, Row, Means, Mend string
			Status                        int
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil {
			t.Fatalf("%s: status %d, %v", kind.Slug(), answer.Code, err)
		}
		if page.Type != problem.URI(kind) || page.Title != kind.Title() || page.Status != kind.Status() ||
			page.Row == "" || page.Means == "" || page.Mend == "" {
			t.Errorf("%s: %+v", kind.Slug(), page)
		}
	}
	for slug := range texts {
		t.Errorf("the text %s is of no problem", slug)
	}
}

func TestProblemsAreNegotiated(t *testing.T) {
	for accept, want := range map[string]string{
		"": "application/json", "*/*": "application/json", "application/json": "application/json", "text/html": "text/html",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "text/html",
		"text/html;q=0.1, application/json":                               "application/json",
	} {
		for _, path := range []string{"/problems", "/problems/peril-not-covered"} {
			answer := serve(t, path, "Accept", accept)
			if is := answer.Header().Get("Content-Type"); !strings.HasPrefix(is, want) || !strings.Contains(answer.Body.String(), "peril not covered") {
				t.Errorf("%s, Accept %q: %s", path, accept, is)
			}
		}
	}
}

func TestUnknownPagesAreProblems(t *testing.T) {
	for _, path := range []string{"/problems/nonsense", "/docs/nonsense", "/docs/../secret", "/openapi.json/x"} {
		answer := serve(t, path)
		if answer.Code != http.StatusNotFound || answer.Header().Get("Content-Type") != problem.ContentType {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Header().Get("Content-Type"))
		}
	}
}

func TestContentIsCompressedAndRevalidated(t *testing.T) {
	plain := serve(t, "/docs/swagger-ui-bundle.js")
	small := serve(t, "/docs/swagger-ui-bundle.js", "Accept-Encoding", "gzip")
	if small.Header().Get("Content-Encoding") != "gzip" || plain.Header().Get("Content-Encoding") != "" || small.Body.Len() > plain.Body.Len()/2 {
		t.Errorf("%d bytes plain, %d compressed", plain.Body.Len(), small.Body.Len())
	}
	tag := plain.Header().Get("ETag")
	if tag == "" || tag == small.Header().Get("ETag") {
		t.Errorf("the tags are %q and %q", tag, small.Header().Get("ETag"))
	}
	again := serve(t, "/docs/swagger-ui-bundle.js", "If-None-Match", tag)
	if body, _ := io.ReadAll(again.Body); again.Code != http.StatusNotModified || len(body) > 0 {
		t.Errorf("a known tag answers %d, %d bytes", again.Code, len(body))
	}
}

// reference finds what a page loads or links to.
var reference = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

// TestPagesNeedNothingFromOutside follows every reference of the pages: all of them are served here.
func TestPagesNeedNothingFromOutside(t *testing.T) {
	for _, path := range []string{"/docs", "/docs/register", "/problems", "/problems/not-found"} {
		page := serve(t, path, "Accept", "text/html")
		if !strings.Contains(page.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s may load anything", path)
		}
		found := reference.FindAllStringSubmatch(page.Body.String(), -1)
		if len(found) == 0 {
			t.Errorf("%s refers to nothing", path)
		}
		for _, match := range found {
			if match[1] == "data:," {
				continue
			}
			if !strings.HasPrefix(match[1], "/") || serve(t, match[1]).Code != http.StatusOK {
				t.Errorf("%s refers to %s", path, match[1])
			}
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := pages.New(valuesets.Published()); err != nil {
			b.Fatal(err)
		}
	}
}
