package e2e_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/examples"
	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// served returns the document that an exchange serves.
func served(t testing.TB, e *trial.Exchange) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(page(t, e, "/openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// page returns a public page, requested without a token.
func page(t testing.TB, e *trial.Exchange, path string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.Base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", path, response.StatusCode, err)
	}
	return text
}

func TestServedDocumentIsValid(t *testing.T) {
	t.Parallel()
	doc := served(t, whole)
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if !doc.IsOpenAPI31OrLater() || doc.Paths.Len() < 50 {
		t.Errorf("version %s, %d paths", doc.OpenAPI, doc.Paths.Len())
	}
	earlier, err := openapi3.NewLoader().LoadFromData(page(t, whole, "/openapi-3.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := earlier.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if !earlier.IsOpenAPI30() || earlier.Paths.Len() != doc.Paths.Len() {
		t.Errorf("version %s, %d paths", earlier.OpenAPI, earlier.Paths.Len())
	}
}

// TestExamplesWork sends every example of the document, in an order in which they work. Ids and numbers that the
// exchange has issued replace those of the examples. The responses are those that the document shows.
func TestExamplesWork(t *testing.T) {
	t.Parallel()
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	doc, c := served(t, whole), caller(t)
	issued := map[string]string{"X1234567": fresh("X")} // the idNumber of the examples may be taken already
	for _, e := range all {
		method, path, _ := strings.Cut(e.Operation, " ")
		operation := doc.Paths.Value(path).GetOperation(method)
		body := ""
		if e.Body != nil {
			body = now(issued, shown(t, operation.RequestBody.Value.Content))
		}
		var headers []string
		for name, value := range e.Headers {
			headers = append(headers, name, value)
		}
		response := c.Do(t, method, now(issued, strings.Replace(path, "{id}", e.On, 1)), body, headers...)
		if response.Status >= 300 {
			t.Fatalf("%s: %d %s", e.Operation, response.Status, response.Body)
		}
		content := operation.Responses.Value(strconv.Itoa(response.Status)).Value.Content
		if content["application/json"].Example == nil {
			if !strings.HasPrefix(path, "/x/") {
				t.Errorf("%s shows no response", e.Operation)
			}
			continue
		}
		var is, want any
		if err := json.Unmarshal(response.Body, &is); err != nil {
			t.Fatal(err)
		}
		learn(issued, e.Issues, is)
		if err := json.Unmarshal([]byte(now(issued, shown(t, content))), &want); err != nil {
			t.Fatal(err)
		}
		if list, lists := is.([]any); lists {
			is = list[:min(len(list), len(want.([]any)))]
		}
		if !reflect.DeepEqual(is, want) {
			t.Errorf("%s returns\n%v, the document shows\n%v", e.Operation, is, want)
		}
	}
}

// shown returns the example of a body.
func shown(t *testing.T, content openapi3.Content) string {
	t.Helper()
	text, err := json.Marshal(content["application/json"].Example)
	if err != nil || string(text) == "null" {
		t.Fatalf("an example is missing (%v)", err)
	}
	return string(text)
}

// now replaces the ids and numbers of the examples by those that the exchange has issued. A day may be the beginning of
// an instant, so the longest texts come first.
func now(issued map[string]string, text string) string {
	var pairs []string
	for _, example := range slices.SortedFunc(maps.Keys(issued), func(a, b string) int { return len(b) - len(a) }) {
		pairs = append(pairs, example, issued[example])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// learn compares an example with a response, and records each text of the example for which the response has another
// text.
func learn(issued map[string]string, example, is any) {
	switch example := example.(type) {
	case string:
		if text, same := is.(string); same && text != example {
			issued[example] = text
		}
	case []any:
		list, _ := is.([]any)
		for i := range min(len(example), len(list)) {
			learn(issued, example[i], list[i])
		}
	case map[string]any:
		object, _ := is.(map[string]any)
		for name := range example {
			learn(issued, example[name], object[name])
		}
	}
}

// TestEveryOperationIsInTheDocument compares the routing table with the document. Both have the same operations.
func TestEveryOperationIsInTheDocument(t *testing.T) {
	t.Parallel()
	doc := served(t, whole)
	table, err := routes.Load()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]bool{} // the methods of each path
	add := func(path string, methods ...string) {
		if all[path] == nil {
			all[path] = map[string]bool{}
		}
		for _, method := range methods {
			if method != http.MethodHead { // served where GET is
				all[path][method] = true
			}
		}
	}
	for _, r := range table.Resources {
		add("/"+r.Resource, r.Collection...)
		if len(r.Item) > 0 {
			add("/"+r.Resource+"/{id}", r.Item...)
		}
		for _, action := range r.Actions {
			add("/"+r.Resource+"/{id}:"+action, http.MethodPost)
		}
		for _, sub := range r.Subs {
			add("/"+r.Resource+"/{id}/"+sub, http.MethodPost)
		}
	}
	for _, x := range table.Extensions {
		add(x.Path, x.Method)
	}
	if doc.Paths.Len() != len(all) {
		t.Errorf("%d paths are in the document, %d are routed", doc.Paths.Len(), len(all))
	}
	for path, want := range all {
		item := doc.Paths.Value(path)
		if item == nil {
			t.Errorf("%s is not in the document", path)
			continue
		}
		for method := range item.Operations() {
			if !want[method] {
				t.Errorf("%s %s is no operation", method, path)
			}
			delete(want, method)
		}
		for method := range want {
			t.Errorf("%s %s is not in the document", method, path)
		}
	}
}
