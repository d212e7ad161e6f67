package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// maxBody is the greatest length of a body, in bytes.
const maxBody = 1 << 20

// malformed are bodies that are not exactly one JSON object in UTF-8.
var malformed = []struct{ what, body string }{
	{"nothing", ""},
	{"white space", " \n"},
	{"half an object", `{"vin":"1"`},
	{"no JSON", "vin=1"},
	{"an array", `[{"vin":"1"}]`},
	{"a string", `"vin"`},
	{"null", "null"},
	{"a trailing comma", `{"vin":"1",}`},
	{"a comment", `{"vin":"1"/*1*/}`},
	{"a second object", `{"vin":"1"}{}`},
	{"trailing data", `{"vin":"1"}x`},
	{"a member twice", `{"vin":"1","vin":"1"}`},
	{"a nested member twice", `{"registration":{"a":1,"a":1}}`},
	{"a member twice, written otherwise", `{"x-e":1,"x-\u0065":1}`},
	{"a byte order mark", "\ufeff{\"vin\":\"1\"}"},
	{"invalid UTF-8 in a value", "{\"vin\":\"\xff\xfe\"}"},
	{"invalid UTF-8 in a name", "{\"x-\xc3\x28\":1}"},
	{"half a surrogate pair", `{"vin":"\ud83d"}`},
	{"a number with a leading zero", `{"x-n":01}`},
	{"NaN", `{"x-n":NaN}`},
	{"single quotes", `{'vin':'1'}`},
	{"a control character in a string", "{\"vin\":\"a\nb\"}"},
	{"half a member", `{"vin":"1","plateNumber":"2`},
	{"half a name", `{"vi`},
	{"a bracket that trails", `{"vin":"1"}]`},
	{"a NUL that trails", "{\"vin\":\"1\"}\x00"},
	{"UTF-16", "\xff\xfe{\x00}\x00"},
	{"overlong UTF-8", "{\"vin\":\"\xc0\xaf\"}"},
	{"a member of an extension twice", `{"x-more":{"a":1,"a":2}}`},
}

// mediaTypes are Content-Types of a body, and the status of the response.
var mediaTypes = []struct {
	mediaType string
	status    int
}{
	{"application/json", http.StatusCreated},
	{"application/json; charset=utf-8", http.StatusCreated},
	{`application/json;profile="a;b"`, http.StatusCreated},
	{"application/vnd.example+json", http.StatusCreated},
	{"Application/JSON", http.StatusCreated},
	{"text/json", http.StatusUnsupportedMediaType},
	{"application/jsonl", http.StatusUnsupportedMediaType},
	{"application/json, text/plain", http.StatusUnsupportedMediaType},
	{"json", http.StatusUnsupportedMediaType},
	{none, http.StatusUnsupportedMediaType},
	{"text/plain", http.StatusUnsupportedMediaType},
	{"application/xml", http.StatusUnsupportedMediaType},
	{"application/x-www-form-urlencoded", http.StatusUnsupportedMediaType},
}

func syntaxRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, m := range malformed {
		add("a body that is "+m.what+" is 400", func(p *probe) {
			path := "/vehicle/" + p.id("vehicle")
			for _, a := range []response{p.post("/vehicle", m.body), p.put(path, m.body)} {
				p.refused(http.StatusBadRequest, "", a)
			}
		})
	}
	for _, m := range mediaTypes {
		name := m.mediaType
		if name == none {
			name = "none"
		}
		add("a body of the Content-Type "+name+" is "+http.StatusText(m.status), func(p *probe) {
			got := p.post("/vehicle", record{"vin": "1"}, "Content-Type", m.mediaType)
			if m.status == http.StatusCreated {
				p.wants(m.status, got)
				return
			}
			p.refused(m.status, "", got)
		})
	}
	add("a body with two Content-Types is 400", func(p *probe) {
		p.refused(http.StatusBadRequest, "", p.post("/vehicle", record{"vin": "1"},
			"Content-Type", "application/json", "Content-Type", "application/json"))
	})
	add("POST and PUT take no parameters: one that is sent is 400, and nothing is written", func(p *probe) {
		body := p.body("vehicle", 0)
		path := "/vehicle/" + p.create("vehicle", body).text("id")
		p.refused(http.StatusBadRequest, "", p.put(path+"?dryRun=true", body.with("x-more", 1)))
		if p.read(path)["x-more"] != nil {
			p.fail("the refused replacement was made")
		}
		p.refused(http.StatusBadRequest, "", p.post("/vehicle?dryRun=true", p.body("vehicle", 1)))
	})
	for sent, meant := range map[string]string{"perills": "perils", "Premium": "premium", "x-more": ""} {
		add("a policy with the unknown member "+sent+" is made, with a warning where a field is meant", func(p *probe) {
			body := p.body("motorCoverage", 0).with(sent, 1)
			got := p.create("motorCoverage", body)
			warned := fmt.Sprint(got["warnings"])
			if meant != "" && (!strings.Contains(warned, sent) || !strings.Contains(warned, meant)) ||
				meant == "" && strings.Contains(warned, sent) {
				p.fail("the warnings are %s", warned)
			}
			strict := p.post("/motorCoverage", body, "Prefer", "handling=strict")
			pointers := p.refused(http.StatusBadRequest, "", strict).pointers()
			if len(pointers) != 1 || pointers[0] != "/"+sent ||
				strict.header.Get("Preference-Applied") != "handling=strict" {
				p.fail("the errors point to %v, with the header %v", pointers, strict.header)
			}
		})
	}
	for _, o := range postings() {
		if strings.Contains(o.name, "{id}") {
			add(o.name+" refuses members that the action does not have", func(p *probe) { otherMembers(p, o) })
		}
	}
	add("a missing member is named with the one like it that was sent", func(p *probe) {
		body := p.body("motorCoverage", 0)
		a := p.post("/motorCoverage", body.without("vehicleId").with("vehicleID", body["vehicleId"]))
		if p.refused(http.StatusBadRequest, "", a); !strings.Contains(string(a.body), "vehicleID was sent") {
			p.fail("it is not named")
		}
	})
	for _, encoding := range []string{"gzip", "br", "x-unknown"} {
		add("a body of the Content-Encoding "+encoding+" is 415", func(p *probe) {
			p.refused(http.StatusUnsupportedMediaType, "",
				p.post("/vehicle", record{"vin": "1"}, "Content-Encoding", encoding))
		})
	}
	add("a body of 1 MiB is taken, a larger one is 413", func(p *probe) {
		p.create("vehicle", padded(maxBody))
		p.refused(http.StatusRequestEntityTooLarge, "", p.post("/vehicle", padded(maxBody+1)))
	})
	add("a wrong JSON type is reported before a listed check fails", func(p *probe) {
		problem := p.refused(http.StatusBadRequest, "",
			p.post("/motorCoverage", record{"policyholderId": unknownIDs[0], "perils": 7}))
		if pointers := strings.Join(problem.pointers(), " "); !strings.Contains(pointers, "/perils") {
			p.fail("the errors point to %s", pointers)
		}
	})
	add("access is decided before the body is read", func(p *probe) {
		p.challenged(p.post("/vehicle", "{", "Authorization", none))
	})
	add("all members of a wrong type are listed", func(p *probe) {
		problem := p.refused(http.StatusBadRequest, "", p.post("/vehicle", record{"vin": 1, "plateNumber": true}))
		if pointers := strings.Join(problem.pointers(), " "); !strings.Contains(pointers, "/vin") ||
			!strings.Contains(pointers, "/plateNumber") {
			p.fail("the errors point to %s", pointers)
		}
	})
	add("a wrong member of an address is reported at its pointer", func(p *probe) {
		problem := p.refused(http.StatusBadRequest, "", p.post("/property", record{"address": record{"city": 7}}))
		if pointers := problem.pointers(); len(pointers) != 1 || pointers[0] != "/address/city" {
			p.fail("the errors point to %v", pointers)
		}
	})
	for _, w := range []struct{ resource, body, pointers string }{
		{"motorCoverage", `{"perils":["fire",2]}`, "/perils/1"},
		{"motorCoverage", `{"perils":"fire","premium":"much","inceptionDate":1,"vehicleId":[]}`,
			"/inceptionDate /perils /premium /vehicleId"},
		{"claim", `{"reserve":0.5,"documents":[1]}`, "/documents/0 /reserve"},
		{"driver", `{"dob":5,"licence":{"expiryDate":"2026-02-30","country":1}}`,
			"/dob /licence/country /licence/expiryDate"},
		{"receipt", `{"paymentAmount":1e400}`, "/paymentAmount"},
		{"receipt", `{"paymentAmount":9223372036854775808}`, "/paymentAmount"},
	} {
		add("POST /"+w.resource+" "+w.body+" is reported at "+w.pointers, func(p *probe) {
			pointers := p.refused(http.StatusBadRequest, "", p.post("/"+w.resource, w.body)).pointers()
			if slices.Sort(pointers); strings.Join(pointers, " ") != w.pointers {
				p.fail("the errors point to %v", pointers)
			}
		})
	}
	add("HEAD is served where GET is", func(p *probe) {
		path := "/vehicle/" + p.id("vehicle")
		get, head := p.get(path), p.do(http.MethodHead, path, nil)
		p.wants(http.StatusOK, get)
		if head.status != http.StatusOK || len(head.body) > 0 || head.header.Get("ETag") != get.header.Get("ETag") {
			p.fail("HEAD returns %d with %d bytes and the ETag %q", head.status, len(head.body),
				head.header.Get("ETag"))
		}
	})
	return rules
}

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
	{"strings of up to 64 KiB in members that are not named", "x-text", strings.Repeat("é", longestString/2),
		strings.Repeat("é", longestString/2) + "e"},
	{"64 levels of nesting", "x-deep", nested(deepest - 1), nested(deepest)},
	{"numbers of up to 64 characters", "x-number", json.Number(strings.Repeat("7", longestNumber)),
		json.Number(strings.Repeat("7", longestNumber+1))},
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
			got := p.create("vehicle", record{l.member: l.within})
			p.holds(p.read("/vehicle/"+got.text("id")), record{l.member: l.within})
			problem := p.refused(http.StatusBadRequest, "", p.post("/vehicle", record{l.member: l.without}))
			if !slices.ContainsFunc(problem.pointers(), func(at string) bool {
				return at == "/"+l.member || strings.HasPrefix(at, "/"+l.member+"/")
			}) {
				p.fail("the errors point to %v, not to /%s", problem.pointers(), l.member)
			}
		})
	}
	add("a body that is nested a hundred thousand levels deep is 400", func(p *probe) {
		for _, body := range []string{
			`{"x-deep":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
			strings.Repeat(`{"a":`, 100_000),
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
		p.refusedQuery("/vehicle?limit=%2B5", "/vehicle?limit=+5", "/vehicle?skip=%2B5", "/vehicle?limit=5.0",
			"/vehicle?limit=5e0", "/vehicle?limit=0x5",
			"/vehicle?limit=99999999999999999999", "/vehicle?skip=-1", "/vehicle?skip=x")
	})
	add("malformed queries are 400", func(p *probe) {
		p.refusedQuery("/vehicle?%ff=1", "/vehicle?LIMIT=5", "/vehicle?cursor=x", "/personal?lastName=%ff",
			"/receipt?receiptDate=2026-01-01", "/receipt?policyNumber=a&policyNumber=b",
			"/product?lineOfBusiness=motor")
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

// otherMembers sends an action members that others have, or none has. An endorsement and a renewal have the members of
// a policy, and keep what no field names.
func otherMembers(p *probe, o posting) {
	path, body := o.prepare(p)
	id, _, _ := strings.Cut(strings.TrimSuffix(path, "/documents"), ":")
	was := p.read(id)
	others := []string{"x-other"}
	switch {
	case strings.HasSuffix(path, ":endorse"):
		others = []string{"reason", "paymentAmount", "reserve"}
	case strings.HasSuffix(path, ":renew"):
		others = []string{"reason", "paymentAmount", "reserve", "effectiveDate"}
	}
	for _, member := range others {
		wrong := p.refused(http.StatusBadRequest, "", p.post(path, body.with(member, p.instant(0))))
		if pointers := wrong.pointers(); len(pointers) != 1 || pointers[0] != "/"+member {
			p.fail("%s: the errors point to %v", member, pointers)
		}
	}
	p.unchanged(id, was)
	p.wants(o.status, p.post(path, body))
}
