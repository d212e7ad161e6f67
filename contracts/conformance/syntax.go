package conformance

import (
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
	for _, encoding := range []string{"gzip", "br", "x-unknown"} {
		add("a body of the Content-Encoding "+encoding+" is 415", func(p *probe) {
			p.refused(http.StatusUnsupportedMediaType, "", p.post("/vehicle", record{"vin": "1"}, "Content-Encoding", encoding))
		})
	}
	add("a body of 1 MiB is taken, a larger one is 413", func(p *probe) {
		p.create("vehicle", padded(maxBody))
		p.refused(http.StatusRequestEntityTooLarge, "", p.post("/vehicle", padded(maxBody+1)))
	})
	add("a wrong JSON type is reported before a listed check fails", func(p *probe) {
		problem := p.refused(http.StatusBadRequest, "", p.post("/motorCoverage", record{"policyholderId": unknownIDs[0], "perils": 7}))
		if pointers := strings.Join(problem.pointers(), " "); !strings.Contains(pointers, "/perils") {
			p.fail("the errors point to %s", pointers)
		}
	})
	add("access is decided before the body is read", func(p *probe) {
		p.challenged(p.post("/vehicle", "{", "Authorization", none))
	})
	add("all members of a wrong type are listed", func(p *probe) {
		problem := p.refused(http.StatusBadRequest, "", p.post("/vehicle", record{"vin": 1, "plateNumber": true}))
		if pointers := strings.Join(problem.pointers(), " "); !strings.Contains(pointers, "/vin") || !strings.Contains(pointers, "/plateNumber") {
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
		{"motorCoverage", `{"perils":"fire","premium":"much","inceptionDate":1,"vehicleId":[]}`, "/inceptionDate /perils /premium /vehicleId"},
		{"claim", `{"reserve":0.5,"documents":[1]}`, "/documents/0 /reserve"},
		{"driver", `{"dob":5,"licence":{"expiryDate":"2026-02-30","country":1}}`, "/dob /licence/country /licence/expiryDate"},
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
			p.fail("HEAD returns %d with %d bytes and the ETag %q", head.status, len(head.body), head.header.Get("ETag"))
		}
	})
	return rules
}
