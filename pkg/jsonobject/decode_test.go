package jsonobject

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/problem"
)

type sample struct {
	Name   *string        `json:"name,omitzero"`
	Flag   *bool          `json:"flag,omitzero"`
	List   []string       `json:"list,omitzero"`
	Nested *sampleNested  `json:"nested,omitzero"`
	Rest   jsontext.Value `json:",embed"`
}

type sampleNested struct {
	City *string `json:"city,omitzero"`
	Code *string `json:"code,omitzero"`
}

func TestDecodeTellsEveryViolation(t *testing.T) {
	long := strings.Repeat("x", maxString+1)
	for _, c := range []struct {
		name, body string
		kind       problem.Kind
		pointers   []string
	}{
		{"empty", " ", problem.Malformed, []string{""}},
		{"byte order mark", "\ufeff{}", problem.Malformed, []string{""}},
		{"array", `[]`, problem.Malformed, []string{""}},
		{"scalar", `7`, problem.Malformed, []string{""}},
		{"null", ` null `, problem.Malformed, []string{""}},
		{"truncated", `{"name":"a`, problem.Malformed, []string{"/name"}},
		{"trailing data", `{} {}`, problem.Malformed, []string{""}},
		{"duplicate", `{"name":"a","name":"b"}`, problem.Malformed, []string{"/name"}},
		{"nested duplicate", `{"x":{"y":1,"y":2}}`, problem.Malformed, []string{"/x/y"}},
		{"bad UTF-8", "{\"name\":\"\xff\"}", problem.Malformed, []string{"/name"}},
		{"syntax after a wrong type", `{"name":7,"flag":tru}`, problem.Malformed, []string{"/flag"}},
		{"too deep", `{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, problem.Malformed, []string{"/x" + strings.Repeat("/0", maxDepth-1)}},
		{"long string", `{"name":"` + long + `"}`, problem.Malformed, []string{"/name"}},
		{"long extension", `{"list":["a"],"x":{"y":["` + long + `"]}}`, problem.Malformed, []string{"/x/y/0"}},
		{"all wrong", `{"name":7,"flag":"no","list":"a","nested":{"city":1,"code":[]}}`, problem.Invalid,
			[]string{"/name", "/flag", "/list", "/nested/city", "/nested/code"}},
		{"wrong element", `{"list":["a",1,"b",2]}`, problem.Invalid, []string{"/list/1", "/list/3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v sample
			p := Decode([]byte(c.body), &v)
			if p == nil {
				t.Fatal("accepted")
			}
			if p.Kind != c.kind {
				t.Errorf("kind %s, want %s", p.Kind.Slug(), c.kind.Slug())
			}
			var pointers []string
			for _, violation := range p.Violations {
				pointers = append(pointers, violation.Pointer)
				if violation.Reason == "" {
					t.Errorf("no reason at %s", violation.Pointer)
				}
			}
			if !slices.Equal(pointers, c.pointers) {
				t.Errorf("pointers %q, want %q", pointers, c.pointers)
			}
		})
	}
}

func TestRename(t *testing.T) {
	aliases := map[string]string{"premium": "grossWrittenPremium"}
	for body, want := range map[string]string{
		`{"premium":1.50}`:                           `{"grossWrittenPremium":1.50}`,
		`{"grossWrittenPremium":2}`:                  `{"grossWrittenPremium":2}`,
		`{"premium":1.5,"grossWrittenPremium":1.50}`: `{"grossWrittenPremium":1.50}`,
		`{"x":{"premium":1}}`:                        `{"x":{"premium":1}}`,
	} {
		got, _, p := Rename([]byte(body), aliases, nil)
		if p != nil || string(got) != want {
			t.Errorf("%s became %s (%v), want %s", body, got, p, want)
		}
	}
	if _, _, p := Rename([]byte(`{"premium":1,"grossWrittenPremium":2}`), aliases, nil); p == nil {
		t.Error("two values for one member were accepted")
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[1,2]}`, ` { "b" : [1.0, 2e0], "a" : 1 } `, true},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		{`{"a":"\u00e9"}`, `{"a":"é"}`, true},
		{`{"a":null}`, `{}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`1e400000`, `1e400000`, true},
		{`0`, `-0.00`, true},
	} {
		if Equal([]byte(c.a), []byte(c.b)) != c.same {
			t.Errorf("%s and %s: want same=%v", c.a, c.b, c.same)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `{"name":7,"nested":{"city":1}}`, `{"list":[1,"a"]}`, `{"a":{"b":[[]]}}`, "{\"name\":\"\xff\"}", `[`, `{"name":"a","name":"b"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var v sample
		p := Decode(body, &v)
		switch {
		case p == nil && !jsontext.Value(body).IsValid():
			t.Fatalf("accepted what is no JSON: %q", body)
		case p != nil && p.Kind.Status() != 400:
			t.Fatalf("status %d", p.Kind.Status())
		case p != nil && p.Kind == problem.Invalid && len(p.Violations) == 0:
			t.Fatalf("no violation told for %q", body)
		}
		if p == nil {
			if _, err := Canonical(body); err != nil {
				t.Fatalf("no canonical form of %q: %v", body, err)
			}
		}
	})
}
