package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

var date = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// mistyped returns what is wrong with the JSON form of a value for its field, or "".
func mistyped(f field, value any) string {
	if f.many {
		if _, is := value.([]any); !is {
			return "it is no array"
		}
		return ""
	}
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	_, isBool := value.(bool)
	switch kind := f.kind; {
	case kind == "int" || kind == "ProductCatalog":
		if _, err := number.Int64(); !isNumber || err != nil {
			return "it is no whole number"
		}
	case kind == "float" && !isNumber:
		return "it is no number"
	case kind == "bool" && !isBool:
		return "it is neither true nor false"
	case kind == "Date" && (!isText || !date.MatchString(text)):
		return "it is no YYYY-MM-DD"
	case kind == "DateTime" && (!isText || !stamped(text)):
		return "it is no RFC 3339 instant in UTC"
	case isResource(kind) && !uuid.MatchString(text):
		return "it is no UUID in lower case"
	case (kind == "string" || valueSets[kind] != nil) && !isText:
		return "it is no string"
	}
	return ""
}

// wrongTypes are values that a field of a type must refuse.
var wrongTypes = map[string][]any{
	"string":         {7, true, record{}, []any{}},
	"int":            {"7", json.Number("1.5"), true, record{}},
	"ProductCatalog": {"7", json.Number("1.5"), true},
	"float":          {"7", true, []any{}},
	"bool":           {"true", 1},
	"Date": {
		7, "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "20260101", "2026-1-1", "30/06/2026",
		"2026-06-30T00:00:00Z",
	},
	"DateTime": {
		7, "2026-06-30", "2026-06-30T00:00:00", "2026-06-31T00:00:00Z", "yesterday", "2026-01-01T25:00:00Z",
		"2026-01-01 12:00:00Z",
		"2026-01-01T12:00Z", "1767225600", "2026-01-01T1:00:00Z", "2026-01-01T10:00:00,5Z", "2026-01-01T12:00:00+24:00",
		"2026-01-01T12:00:00+12:60",
	},
	"Address":        {"London", 7, []any{}},
	"DrivingLicence": {"AB 1", 7},
}

// wrongFor returns the values that a field must refuse. There are none for a type whose members the interface does
// not show.
func wrongFor(f field) []any {
	switch wrong := wrongTypes[f.kind]; {
	case f.many:
		return []any{"x", 7, record{}}
	case wrong != nil:
		return wrong
	case isResource(f.kind) || valueSets[f.kind] != nil:
		return []any{7, true, []any{}}
	default:
		return nil
	}
}

func wrongType(p *probe, r resource, f field) {
	wrong := wrongFor(f)
	if wrong == nil {
		p.skip("the members of " + f.kind + " are not shown: any JSON value is one")
	}
	body := p.body(r.name, 0)
	for _, value := range wrong {
		problem := p.refused(http.StatusBadRequest, "", p.post("/"+r.name, body.with(f.name, value)))
		if pointers := problem.pointers(); !slices.Contains(pointers, "/"+f.name) {
			p.fail("%v is refused at %q, not at /%s", value, pointers, f.name)
		}
	}
}

// scalarRules are the rules about the forms of values.
func scalarRules() []Rule {
	return []Rule{
		{Name: "a DateTime is returned in UTC, whatever its offset", try: func(p *probe) {
			at := p.day(-2).In(time.FixedZone("", 2*60*60))
			got := p.create("claimsBordereau", record{"fnol": at.Format(time.RFC3339)})
			if !stamped(got.text("fnol")) {
				p.fail("fnol is %q", got.text("fnol"))
			}
			if is, err := time.Parse(time.RFC3339, got.text("fnol")); err != nil || !is.Equal(at) {
				p.fail("fnol is %q, not the instant %s", got.text("fnol"), at.Format(time.RFC3339))
			}
		}},
		{Name: "an int keeps its value beyond 2^53", try: func(p *probe) {
			large := json.Number("9007199254740993")
			p.holds(p.create("debtor", record{"netAssets": large}), record{"netAssets": large})
		}},
		{Name: "an int takes any number with an integral value", try: func(p *probe) {
			for _, number := range []json.Number{"7.0", "0.7e1", "7E0"} {
				p.holds(p.create("debtor", record{"netAssets": number}), record{"netAssets": 7})
			}
		}},
		{Name: "money keeps every digit", try: func(p *probe) {
			for _, amount := range []json.Number{
				"0.1", "1234567890123456.78", "0.30000000000000004", "0.1000000000000000055511151231257827", "1e-30",
				"123456789012345678901234567890.123456789",
			} {
				p.holds(p.create("business", record{"grossAnnualTurnover": amount}),
					record{"grossAnnualTurnover": amount})
			}
		}},
		{Name: "a time is kept, whatever its value", try: func(p *probe) {
			for _, at := range []string{"0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1970-01-01T00:00:00Z",
				"2026-01-01T00:00:00.25Z"} {
				p.holds(p.create("claimsBordereau", record{"fnol": at}), record{"fnol": at})
			}
		}},
		{Name: "one member under two names must have one value", try: func(p *probe) {
			body := p.body("motorCoverage", 0).with("grossWrittenPremium", 1200)
			p.create("motorCoverage", body.with("premium", 1200))
			p.create("motorCoverage", body.with("premium", nil))
			p.refused(http.StatusBadRequest, "", p.post("/motorCoverage", body.with("premium", 5)))
		}},
		{Name: "null is absent", try: func(p *probe) {
			got := p.create("vehicle", record{"vin": nil, "plateNumber": p.fresh("plate")})
			if value, has := got["vin"]; has && value != nil {
				p.fail("vin is %v", value)
			}
			p.refused(http.StatusBadRequest, "required fields missing",
				p.post("/personal", p.body("personal", 0).with("lastName", nil)))
		}},
		{Name: "an empty string does not satisfy a required member", try: func(p *probe) {
			p.refused(http.StatusBadRequest, "required fields missing",
				p.post("/personal", p.body("personal", 0).with("lastName", "")))
		}},
		{Name: "a required text of which nothing is seen is missing", try: func(p *probe) {
			for _, unseen := range []string{" ", "\u00a0", "\u200b", "\t\u2060"} {
				refused := p.refused(http.StatusBadRequest, "required fields missing",
					p.post("/personal", p.body("personal", 0).with("lastName", unseen)))
				if !strings.Contains(fmt.Sprint(refused["errors"]), "/lastName") {
					p.fail("lastName %+q: no error points to the member", unseen)
				}
			}
		}},
		{Name: "text of every script is returned as sent", try: func(p *probe) {
			const text = "Zoë 王 \U0001F697 \"\\/<&>\u2028\n"
			p.holds(p.create("vehicle", record{"chassisNumber": text}), record{"chassisNumber": text})
		}},
		{Name: "a value that identifies something is 400 with a control or invisible character or a blank at an end",
			try: invisibleIdentities},
		{Name: "values that identify something are found in either form of Unicode", try: func(p *probe) {
			number := p.fresh("e")
			got := p.create("commercial", p.body("commercial", 0).with("registrationNumber", number+"\u00e9"))
			all := p.along("/commercial?registrationNumber=" + url.QueryEscape(number+"e\u0301"))
			if len(all) != 1 || all[0].text("id") != got.text("id") {
				p.fail("%d records are found by the other form", len(all))
			}
		}},
		{Name: "propertyCoverage takes several properties as propertyIds", try: func(p *probe) {
			ids := []any{p.id("property"), p.create("property", p.body("property", 1))["id"]}
			p.holds(p.create("propertyCoverage", p.body("propertyCoverage", 0).without("propertyId").with("propertyIds",
				ids)), record{"propertyIds": ids})
		}},
		{Name: "travelCoverage covers several travellers with isGroup", try: func(p *probe) {
			ids := []any{p.id("traveller"), p.create("traveller", p.body("traveller", 1))["id"]}
			p.holds(p.create("travelCoverage", p.body("travelCoverage", 0).with("travellerIds", ids, "isGroup", true)),
				record{"travellerIds": ids})
		}},
		{Name: "a coverage without inceptionDate is in force from its creation, without expiryDate it has no end",
			try: func(p *probe) {
				for _, line := range []string{"travelCoverage", "tradeCreditCoverage", "businessInterruptionCoverage",
					"petCoverage"} {
					got := p.create(line, p.body(line, 0).without("inceptionDate", "expiryDate"))
					if !stamped(got.text("inceptionDate")) || got["expiryDate"] != nil {
						p.fail("%s has the inceptionDate %q and the expiryDate %q", line, got.text("inceptionDate"),
							got.text("expiryDate"))
					}
				}
			}},
		{Name: "POST /personal takes a country of ISO 3166-1 alone", try: func(p *probe) {
			p.refused(http.StatusBadRequest, "",
				p.post("/personal", p.body("personal", 0).with("address", record{"country": "XX"})))
		}},
	}
}

// invisibleIdentities sends what a reader cannot tell from another value, in each member that identifies something.
func invisibleIdentities(p *probe) {
	for resource, members := range map[string][]string{
		"personal": {"idNumber"}, "commercial": {"registrationNumber"}, "insuranceEntity": {"registrationNumber"},
		"vehicle": {"plateNumber", "vin"}, "debtor": {"registrationNumber"},
	} {
		for _, member := range members {
			for _, value := range []string{"A 1 ", "\u00a0A1", "A\t1", "A\u200b1"} {
				body := p.body(resource, 0).with(member, p.fresh("i")+value)
				if strings.HasPrefix(value, "\u00a0") {
					body = body.with(member, value+p.fresh("i"))
				}
				refused := p.refused(http.StatusBadRequest, "", p.post("/"+resource, body))
				if !strings.Contains(fmt.Sprint(refused["errors"]), "/"+member) {
					p.fail("%s with %q: no error points to the member", resource, value)
				}
			}
		}
	}
}

// writtenForms reads a file whose header stands below a title, and whose cells are written in no way of the interface.
func writtenForms(p *probe) {
	p.statement("Policy;Type;Premium\n") // skips the rule if nothing is compared with files
	name := deskContract + "-FORMS"
	profile := record{
		"format": "csv", "delimiter": ";", "encoding": "utf-8", "headerRow": 0, "findHeader": true, "sign": "minus",
		"currency": "EUR", "decimalMark": ",", "strip": []string{"€"}, "nil": []string{"-"}, "roundTo": 2,
		"dateForms": []string{"d. mmm yyyy"}, "totals": record{"rule": "last"}, "columns": []record{
			{"column": "Policy", "means": "policyNumber", "synonyms": []string{"Contract"}},
			{"column": "Due", "means": "date"}, {"column": "More", "means": "gross"},
			{"column": "Less", "means": "gross", "less": true},
		},
	}
	path := "/x/reconciliation/profile/" + name
	for member, wrong := range map[string]any{
		"headerRow": 1, "dateForms": []string{"dmyyyy"}, "roundTo": 5, "strip": []string{"1"}, "hiddenRows": "read",
	} {
		was := profile[member]
		profile[member] = wrong
		p.refused(http.StatusBadRequest, "", p.put(path, profile))
		if profile[member] = was; was == nil {
			delete(profile, member)
		}
	}
	p.wants(http.StatusOK, p.put(path, profile))
	tried := p.wants(http.StatusOK, p.post("/x/reconciliation/statement:try?profile="+name,
		"Sent by us\nCONTRACT;due;more;less\nP1;3. März 2026;€ 5,006;-\nContract;Due;More;Less\nP2;1. Okt 2026;;2,00\n"+
			"P3;31. Juni 2026;1,00;\n;;5,01;2,00\nprinted by us\n", "Content-Type", "text/csv"))
	want := []string{"3 P1 2026-03-03 5.01", "5 P2 2026-10-01 -2.00", "6"}
	for i, row := range tried.list("rows") {
		of := record(row.(map[string]any))
		is := fmt.Sprint(of["row"])
		if of["wrong"] == nil {
			for _, cell := range of.list("cells") {
				is += " " + record(cell.(map[string]any)).text("value")
			}
		}
		if i >= len(want) || is != want[i] {
			p.fail("row %d of the file is read as %q, and not as %q", i+1, is, want)
		}
	}
	if notes := fmt.Sprint(tried["notes"]); len(tried.list("rows")) != len(want) ||
		!strings.Contains(notes, "repeated-headers") || !strings.Contains(notes, "text-below-totals") {
		p.fail("a header that is repeated and text below the totals are noted as %s", notes)
	}
}
