package problem_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/problem"
)

// written returns the response of a problem, and its document.
func written(t *testing.T, p *problem.Error) (*httptest.ResponseRecorder, map[string]any) {
	t.Helper()
	w := httptest.NewRecorder()
	w.Header().Set(problem.RequestIDHeader, "r-1")
	problem.Write(w, p)
	var document map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return w, document
}

func TestADocumentHasWhatACallerNeedsAndNoMore(t *testing.T) {
	cause := errors.New("connection to 10.0.0.7 refused")
	w, document := written(t, problem.New(problem.NotFound, "There is no boat 7.").
		With("boat", "7").With("status", 200).WithHeader("Retry-After", "1").Because(cause))
	want := map[string]any{
		"type": "/problems/not-found", "title": "not found", "status": 404.0, "detail": "There is no boat 7.",
		"instance": "r-1", "boat": "7",
	}
	if fmt.Sprint(document) != fmt.Sprint(want) {
		t.Errorf("document %v, want %v", document, want)
	}
	if w.Code != 404 || w.Header().Get("Content-Type") != problem.ContentType || w.Header().Get("Retry-After") != "1" {
		t.Errorf("status %d, headers %v", w.Code, w.Header())
	}
	if strings.Contains(w.Body.String(), "10.0.0.7") {
		t.Errorf("the cause reached the caller: %s", w.Body)
	}
}

func TestTheDetailIsMadeOfTheViolations(t *testing.T) {
	for want, p := range map[string]*problem.Error{
		"invalid field.":     problem.New(problem.Invalid, ""),
		"The body is empty.": problem.New(problem.Malformed, "").At("", "is empty"),
		"limit is too large.": problem.New(problem.BadParameter, "").
			InParameter("limit", "is too large"),
		"a/b is odd. There is 1 more error.": problem.New(problem.Invalid, "").At("/a/b", "is odd").
			At("/c", "is odd"),
		"a is odd. There are 2 more errors.": problem.New(problem.Invalid, "").At("/a", "is odd").
			At("/c", "is odd").At("/d", "is odd"),
		"Written for this occurrence. And no more.": problem.New(problem.Invalid,
			"Written for this occurrence. And no more.").At("/a", "is odd"),
	} {
		if _, document := written(t, p); document["detail"] != want {
			t.Errorf("detail %q, want %q", document["detail"], want)
		}
	}
}

func TestViolationsBeyondTheMostAreCounted(t *testing.T) {
	p := problem.New(problem.Invalid, "")
	for i := range problem.MaxViolations + 5 {
		p.At(fmt.Sprint("/", i), "is odd")
	}
	_, document := written(t, p)
	violations, _ := document["errors"].([]any)
	if len(violations) != problem.MaxViolations || document["moreErrors"] != 5.0 ||
		document["detail"] != fmt.Sprintf("0 is odd. There are %d more errors.", problem.MaxViolations+4) {
		t.Errorf("%d violations, moreErrors %v, detail %q", len(violations), document["moreErrors"], document["detail"])
	}
}

func TestAnyErrorBecomesAProblem(t *testing.T) {
	known := problem.New(problem.NotFound, "")
	if got := problem.From(fmt.Errorf("reading: %w", known)); got != known {
		t.Errorf("a problem in the chain became %v", got)
	}
	odd := errors.New("nobody foresaw this")
	internal := problem.From(odd)
	if internal.Kind != problem.Internal || !errors.Is(internal, odd) {
		t.Errorf("an error became %v", internal)
	}
	if w, _ := written(t, internal); w.Code != 500 || strings.Contains(w.Body.String(), "foresaw") {
		t.Errorf("written as %d %s", w.Code, w.Body)
	}
	if w, _ := written(t, problem.Outage(odd)); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("an outage is %d %v", w.Code, w.Header())
	}
}

// TestAViolationSaysWhereItIs checks that a violation may also be of the whole body: its JSON pointer is "".
func TestAViolationSaysWhereItIs(t *testing.T) {
	_, document := written(t,
		problem.New(problem.Invalid, "").At("", "is empty").At("/a", "is odd").InParameter("limit", "is too large"))
	got, err := json.Marshal(document["errors"])
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"pointer":"","reason":"is empty"},{"pointer":"/a","reason":"is odd"},{"parameter":"limit","reason":"is too large"}]`
	if string(got) != want {
		t.Errorf("errors are %s, want %s", got, want)
	}
}
