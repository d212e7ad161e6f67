package e2e_test

import (
	"encoding/json"
	"fmt"
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
	"insurance.example/exchange/pkg/wait"
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

// TestExamplesWork sends every example, in an order in which they work, on an exchange of its own: they move its clock.
// Ids and numbers that the exchange has issued replace those of the examples. The first of an operation is the one that
// the document shows, and its response is the one that the document shows.
func TestExamplesWork(t *testing.T) {
	t.Parallel()
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	e, err := commands.Plain().RunInOne(t.TempDir(), "EXCHANGE_TEST_CLOCK=2026-01-05T09:30:00Z")
	trial.EndWith(t, e, err)
	doc, c := served(t, e), client(t, e, "example-client", trial.Developer, trial.Admin)
	issued, sent := map[string]string{}, map[string]bool{}
	for _, e := range all {
		method, path, _ := strings.Cut(e.Operation, " ")
		operation := doc.Paths.Value(path).GetOperation(method)
		response := tryExample(t, c, e, issued, operation.RequestBody)
		if response.Status >= 300 {
			t.Fatalf("%s: %d %s", e.Operation, response.Status, response.Body)
		}
		var is, want any
		if err := json.Unmarshal(response.Body, &is); err != nil {
			t.Fatal(err)
		}
		learn(issued, e.Issues, is)
		if sent[e.Operation] {
			continue
		}
		sent[e.Operation] = true
		content := operation.Responses.Value(strconv.Itoa(response.Status)).Value.Content
		if content["application/json"].Example == nil {
			if path != "/x/claim/admissibility" {
				t.Errorf("%s shows no response", e.Operation)
			}
			continue
		}
		if err := json.Unmarshal([]byte(now(issued, shown(t, content))), &want); err != nil {
			t.Fatal(err)
		}
		if list, lists := is.([]any); lists {
			is = list[:min(len(list), len(want.([]any)))]
		}
		if !reflect.DeepEqual(is, want) {
			t.Errorf("%s returns\n%s, the document shows\n%v", e.Operation, response.Body, want)
		}
	}
	everyBodyWasSent(t, doc, sent)
}

// tryExample sends an example with the body that is shown, until what it needs has been added up.
func tryExample(t *testing.T, c *trial.Client, e examples.Example, issued map[string]string,
	body *openapi3.RequestBodyRef,
) (response trial.Response) {
	t.Helper()
	method, target := e.Target()
	text, headers := "", []string{"Content-Type", "application/json"}
	switch {
	case e.CSV != "":
		text, headers = body.Value.Content["text/csv"].Example.(string), []string{"Content-Type", "text/csv"}
	case e.Body != nil:
		sent, err := json.Marshal(e.Body)
		if err != nil {
			t.Fatal(err)
		}
		text = string(sent)
	}
	for name, value := range e.Headers {
		headers = append(headers, name, value)
	}
	wait.Until(t, func() error {
		response = c.Do(t, method, now(issued, target), now(issued, text), headers...)
		if response.Status == http.StatusServiceUnavailable {
			return fmt.Errorf("%s: not yet: %s", e.Operation, response.Body)
		}
		return nil
	})
	return response
}

// everyBodyWasSent reports operations beyond the interface that take a body and have no example. Those of webhooks need
// a receiver, and those of access an exchange that organisations share.
func everyBodyWasSent(t *testing.T, doc *openapi3.T, sent map[string]bool) {
	t.Helper()
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody != nil && strings.HasPrefix(path, "/x/") && !sent[method+" "+path] &&
				!strings.HasPrefix(path, "/x/webhook/") && !strings.HasPrefix(path, "/x/access/") {
				t.Errorf("%s %s has no example", method, path)
			}
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
