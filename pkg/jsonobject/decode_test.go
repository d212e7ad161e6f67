package jsonobject

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/problem"
)

type sample struct {
	Name   *string          `json:"name,omitzero"`
	Flag   *bool            `json:"flag,omitzero"`
	List   []string         `json:"list,omitzero"`
	Nested *sampleNested    `json:"nested,omitzero"`
	Many   []sampleNested   `json:"many,omitzero"`
	Raw    []jsontext.Value `json:"raw,omitzero"`
	Rest   jsontext.Value   `json:",embed"`
}

type sampleNested struct {
	City *string `json:"city,omitzero"`
	Code *string `json:"code,omitzero"`
}

func TestDecodeReportsEveryViolation(t *testing.T) {
	long := strings.Repeat("x", MaxString+1)
	list := func(elements int) string { return "[" + strings.Repeat(`"a",`, elements-1) + `"a"]` }
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
		{"too deep", `{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, problem.Malformed,
			[]string{"/x" + strings.Repeat("/0", MaxDepth-1)}},
		{"long string", `{"name":"` + long + `"}`, problem.Malformed, []string{"/name"}},
		{"long extension", `{"list":["a"],"x":{"y":["` + long + `"]}}`, problem.Malformed, []string{"/x/y/0"}},
		{"long after an escape", `{"name":"\"` + long[1:] + `\u0041"}`, problem.Malformed, []string{"/name"}},
		{"long name", `{"nested":{"` + long + `":1}}`, problem.Malformed, []string{"/nested"}},
		{"long number", `{"x":[1,` + strings.Repeat("1", MaxNumber+1) + `]}`, problem.Malformed, []string{"/x/1"}},
		{"long exponent", `{"x":-1e` + strings.Repeat("0", MaxNumber) + `}`, problem.Malformed, []string{"/x"}},
		{"long list", `{"list":` + list(MaxElements+1) + `}`, problem.Malformed, []string{"/list"}},
		{"long list in an extension", `{"x":{"a":[1,2],"b":[[1],` + list(MaxElements+1) + `]}}`, problem.Malformed,
			[]string{"/x/b/1"}},
		{"members", `{"x":[` + strings.TrimSuffix(strings.Repeat(`{"a":1,"b":{}},`, MaxMembers/2), ",") + `]}`,
			problem.Malformed, []string{""}},
		{"elements", `{"x":[` + strings.TrimSuffix(strings.Repeat(list(MaxElements)+",", 5), ",") + `]}`,
			problem.Malformed, []string{""}},
		{"empty lists", `{"x":[` + strings.TrimSuffix(strings.Repeat("[[[[[[[]]]]]]],", MaxElements), ",") + `]}`,
			problem.Malformed, []string{""}},
		{"null in a list", `{"list":["a",null]}`, problem.Invalid, []string{"/list/1"}},
		{"null in a list, and more", `{"name":7,"list":[null,"a",1]}`, problem.Invalid,
			[]string{"/name", "/list/0", "/list/2"}},
		{"null in a list of objects", `{"many":[{"city":1},null]}`, problem.Invalid,
			[]string{"/many/0/city", "/many/1"}},
		{"duplicate of a long name", `{"` + long[:2000] + `":1,"` + long[:2000] + `":2}`,
			problem.Malformed, []string{""}},
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

// TestWhatIsInBoundsIsTaken goes to each bound, counted as it is said to be.
func TestWhatIsInBoundsIsTaken(t *testing.T) {
	for name, body := range map[string]string{
		"string":           `{"name":"` + strings.Repeat("x", MaxString) + `"}`,
		"string of quotes": `{"name":"` + strings.Repeat(`\"`, MaxString) + `"}`,
		"string of escapes": `{"name":"` +
			strings.Repeat(`\u0041\u00e9\u20ac\ud83d\ude00`, MaxString/10) + `"}`,
		"member name": `{"` + strings.Repeat("x", MaxString) + `":1}`,
		"number":      `{"x":-` + strings.Repeat("1", MaxNumber-1) + `}`,
		"list": `{"list":[` + strings.Repeat(`"a",`, MaxElements-1) + `"a"],"x":[` +
			strings.Repeat("{},", MaxElements-1) + `[1,2,3]]}`,
		"members": `{"x":[` +
			strings.TrimSuffix(strings.Repeat(`{"a":{"b":":"}},`, MaxMembers/2-1), ",") + `],"y":1}`,
		"elements": `{"x":[` +
			strings.TrimSuffix(strings.Repeat("["+strings.Repeat("1,", MaxElements-2)+"1],", 5), ",") + `]}`,
		"nesting":            `{"x":` + strings.Repeat("[", MaxDepth-1) + strings.Repeat("]", MaxDepth-1) + `}`,
		"digits in a string": `{"name":"` + strings.Repeat("1", 2*MaxNumber) + `"}`,
		"brackets in a string": `{"name":"` +
			strings.Repeat("[", 2*MaxDepth) + strings.Repeat(",", 2*MaxElements) + `"}`,
		"null in lists of any value": `{"raw":[null,{"a":[null]}],"x":[null],"list":null}`,
	} {
		var v sample
		if p := Decode([]byte(body), &v); p != nil {
			t.Errorf("%s: %v %v", name, p, p.Violations)
		}
	}
}

func TestViolationsBeyondTheListedAreCounted(t *testing.T) {
	body := `{"list":[` + strings.Repeat("7,", MaxElements-1) + `7]}`
	var v sample
	p := Decode([]byte(body), &v)
	if p == nil || len(p.Violations) != problem.MaxViolations || p.More != MaxElements-problem.MaxViolations {
		t.Fatalf("%v", p)
	}
}

// BenchmarkManyMembers shows the work on a body of many members: ten times the members, about as many as a body may
// have, are to take ten times as long.
func BenchmarkManyMembers(b *testing.B) {
	for _, n := range []int{1_000, 9_990} {
		var members strings.Builder
		for i := range n {
			members.WriteString(`"m` + strconv.Itoa(i) + `":7,`)
		}
		for name, body := range map[string]string{
			"alias":     `{` + members.String() + `"premium":1}`,
			"flattened": `{"both":{` + members.String() + `"a":1},"z":1}`,
			"wrong": `{"list":[` + strings.Repeat("7,", n/10) + `7],"many":[` +
				strings.Repeat(`{"city":7},`, n/10) + `1]}`,
		} {
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				for b.Loop() {
					renamed, _, p := Rename([]byte(body), map[string]string{"premium": "grossWrittenPremium"},
						[]string{"both"})
					if p != nil {
						b.Fatal(p)
					}
					var v sample
					if p := Decode(renamed, &v); (p != nil) != (name == "wrong") {
						b.Fatal(p)
					}
				}
			})
		}
	}
}

func TestRename(t *testing.T) {
	aliases := map[string]string{"premium": "grossWrittenPremium", "dropped": ""}
	flatten := []string{"both"}
	for body, want := range map[string]string{
		`{"premium":1.50}`:                           `{"grossWrittenPremium":1.50}`,
		`{"grossWrittenPremium":2}`:                  `{"grossWrittenPremium":2}`,
		`{"premium":1.5,"grossWrittenPremium":1.50}`: `{"grossWrittenPremium":1.50}`,
		`{"x":{"premium":1}}`:                        `{"x":{"premium":1}}`,
		// null is absent, under whichever name.
		`{"premium":null,"grossWrittenPremium":2}`:      `{"grossWrittenPremium":2}`,
		`{"premium":2,"grossWrittenPremium":null}`:      `{"grossWrittenPremium":2}`,
		`{"grossWrittenPremium":null,"premium":2}`:      `{"grossWrittenPremium":2}`,
		`{"premium":null}`:                              `{"grossWrittenPremium":null}`,
		`{"premiu\u006d":3}`:                            `{"grossWrittenPremium":3}`,
		`{"both":{"a":null,"b":2},"a":1,"b":null}`:      `{"a":1,"b":2}`,
		`{"a":1,"both":{"a":1.0},"dropped":7,"x":null}`: `{"a":1,"x":null}`,
		`{"both":null}`:                                 `{}`,
	} {
		got, _, p := Rename([]byte(body), aliases, flatten)
		if p != nil || string(got) != want {
			t.Errorf("%s became %s (%v), want %s", body, got, p, want)
		}
	}
	for body, pointer := range map[string]string{
		`{"premium":1,"grossWrittenPremium":2}`: "/premium",
		`{"grossWrittenPremium":2,"premium":1}`: "/premium",
		`{"a":1,"both":{"a":2}}`:                "/both/a",
		`{"both":{"a":2},"a":1}`:                "/both/a",
		`{"both":[]}`:                           "/both",
	} {
		_, _, p := Rename([]byte(body), aliases, flatten)
		if p == nil || len(p.Violations) != 1 || p.Violations[0].Pointer != pointer {
			t.Errorf("%s: %v, want a violation at %s", body, p, pointer)
		}
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
		{`-120`, `-1.20e2`, true},
		{`999999999999999999`, `9.99999999999999999E+17`, true},
		{`7`, `7e0`, true},
		{`7`, `-7`, false},
		{`70`, `7`, false},
	} {
		if Equal([]byte(c.a), []byte(c.b)) != c.same {
			t.Errorf("%s and %s: want same=%v", c.a, c.b, c.same)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `{"name":7,"nested":{"city":1}}`, `{"list":[1,"a"]}`, `{"a":{"b":[[]]}}`,
		"{\"name\":\"\xff\"}", `[`, `{"name":"a","name":"b"}`} {
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
			t.Fatalf("no violation reported for %q", body)
		}
		if p == nil {
			if _, err := Canonical(body); err != nil {
				t.Fatalf("no canonical form of %q: %v", body, err)
			}
		}
	})
}

func TestTextReadsOneMember(t *testing.T) {
	for _, c := range []struct{ object, want string }{
		{`{"a":"first","b":"other"}`, "first"},
		{`{"b":{"a":"below"},"c":["a","a"],"a":"last"}`, "last"},
		{`{"b":"\"a\":\"within\"","a":"\u00e9\n"}`, "é\n"},
		{`{"\u0061":"escaped name"}`, "escaped name"},
		{`{"a":1}`, ""}, {`{"a":null}`, ""}, {`{"a":["x"]}`, ""}, {`{"a":{"a":"x"}}`, ""}, {`{}`, ""},
		{`{"b":"x"}`, ""},
		{`{"a":"read","b":` + "what follows is not read", "read"},
	} {
		if got, err := jsonmember.Text([]byte(c.object), "a"); got != c.want || err != nil {
			t.Errorf("%s: %q, error %v, want %q", c.object, got, err, c.want)
		}
	}
	for _, broken := range []string{``, `{"b":`, `{"b"`, `{"a":`} {
		if text, err := jsonmember.Text([]byte(broken), "a"); err == nil {
			t.Errorf("%s: %q, no error", broken, text)
		}
	}
}
