package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// The limits of a body that the interface accepts.
const (
	// longestString is the greatest length of a string, in bytes of UTF-8.
	longestString = 64 << 10
	// deepest is the number of objects and arrays that may be nested, including the record itself.
	deepest = 64
	// longestNumber is the greatest length of a number, in characters.
	longestNumber = 64
	// longestList is the greatest number of elements of a list.
	longestList = 10_000
)

// limits are the limits of a body. Each has the member that is sent, a value at the limit and one beyond it.
var limits = []struct {
	what, member    string
	within, without any
}{
	{"strings of up to 64 KiB", "vin", strings.Repeat("v", longestString), strings.Repeat("v", longestString+1)},
	{"strings of up to 64 KiB in members that are not named", "x-text", strings.Repeat("é", longestString/2), strings.Repeat("é", longestString/2) + "e"},
	{"64 levels of nesting", "x-deep", nested(deepest - 1), nested(deepest)},
	{"numbers of up to 64 characters", "x-number", json.Number(strings.Repeat("7", longestNumber)), json.Number(strings.Repeat("7", longestNumber+1))},
	{"lists of up to 10,000 elements", "x-list", make([]bool, longestList), make([]bool, longestList+1)},
}

// nested returns arrays of a depth.
func nested(depth int) json.RawMessage {
	return json.RawMessage(strings.Repeat("[", depth) + strings.Repeat("]", depth))
}

// limitRules are the rules about the limits of a body and of the parameters of a list.
func limitRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, l := range limits {
		add("a body holds "+l.what+", more is 400 at its pointer", func(p *probe) {
			made := p.create("vehicle", record{l.member: l.within})
			p.holds(p.read("/vehicle/"+made.text("id")), record{l.member: l.within})
			problem := p.refused(http.StatusBadRequest, "", p.post("/vehicle", record{l.member: l.without}))
			if !slices.ContainsFunc(problem.pointers(), func(at string) bool { return at == "/"+l.member || strings.HasPrefix(at, "/"+l.member+"/") }) {
				p.fail("the errors point to %v, not to /%s", problem.pointers(), l.member)
			}
		})
	}
	add("a body that is nested a hundred thousand levels deep is 400", func(p *probe) {
		for _, body := range []string{
			`{"x-deep":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, strings.Repeat(`{"a":`, 100_000),
		} {
			p.refused(http.StatusBadRequest, "", p.post("/vehicle", body))
		}
	})
	add("a body whose length is not declared has the same limit", func(p *probe) {
		p.wants(http.StatusCreated, p.post("/vehicle", chunked(padded(maxBody))))
		p.refused(http.StatusRequestEntityTooLarge, "", p.post("/vehicle", chunked(padded(maxBody+1))))
	})
	add("skip beyond 100,000 is 400, and the problem names the cursor", func(p *probe) {
		p.list("/vehicle?limit=1&skip=100000")
		problem := p.refused(http.StatusBadRequest, "", p.get("/vehicle?limit=1&skip=100001"))
		if text := fmt.Sprint(problem); !strings.Contains(text, "cursor") {
			p.fail("the problem does not name the cursor: %s", text)
		}
	})
	add("limit and skip are written in digits alone", func(p *probe) {
		p.refusedQuery("/vehicle?limit=%2B5", "/vehicle?limit=+5", "/vehicle?skip=%2B5", "/vehicle?limit=5.0", "/vehicle?limit=5e0", "/vehicle?limit=0x5",
			"/vehicle?limit=99999999999999999999", "/vehicle?skip=-1", "/vehicle?skip=x")
	})
	add("malformed queries are 400", func(p *probe) {
		p.refusedQuery("/vehicle?%ff=1", "/vehicle?LIMIT=5", "/vehicle?cursor=x", "/personal?lastName=%ff",
			"/receipt?receiptDate=2026-01-01", "/receipt?policyNumber=a&policyNumber=b", "/product?lineOfBusiness=motor")
	})
	add("all parameters that are wrong are listed", func(p *probe) {
		problem := p.refused(http.StatusBadRequest, "", p.get("/vehicle?limit=x&skip=y&colour=z"))
		if n := len(problem.list("errors")); n != 3 {
			p.fail("three parameters are wrong, the problem lists %d", n)
		}
	})
	return rules
}

// padded returns a body of a size in bytes.
func padded(size int) string {
	const begin, end = `{"vin":"1"`, `}`
	return begin + strings.Repeat(" ", size-len(begin)-len(end)) + end
}
