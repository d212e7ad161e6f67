package conformance

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// valueRules are the rules about value sets: each published value is accepted and returned, every other value is
// refused, and a corrected spelling is stored as the published value.
func valueRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, r := range resources {
		for _, f := range r.fields {
			if valueSets[f.kind] == nil || f.issued {
				continue
			}
			name := r.name + "." + f.name
			add(fmt.Sprintf("%s: each of the %d values of %s", name, len(valueSets[f.kind]), f.kind), func(p *probe) {
				accepts(p, r, f)
			})
			add(name+": a value that is not in "+f.kind+" is 400", func(p *probe) { refusesValue(p, r, f) })
			if corrected[f.kind] != nil {
				add(name+": the corrected spellings of "+f.kind+" are stored as published", func(p *probe) {
					corrects(p, r, f)
				})
			}
		}
		if slices.ContainsFunc(r.fields, func(f field) bool { return f.kind == "Address" }) {
			add(r.name+": the country of an address is an alpha-2 code of ISO 3166-1", func(p *probe) {
				countryOfAddress(p, r)
			})
		}
	}
	add(fmt.Sprintf("insuranceEntity.address.country: each of the %d alpha-2 codes", len(valueSets["Country"])),
		func(p *probe) {
			p.eachValue("insuranceEntity", valueSets["Country"], func(code string) record {
				return record{"address": record{"country": code}}
			})
		})
	add(fmt.Sprintf("traveller.nationality: each of the %d alpha-2 codes, no other", len(valueSets["Country"])),
		func(p *probe) {
			p.eachValue("traveller", valueSets["Country"], func(code string) record {
				return record{"nationality": code}
			})
			for _, wrong := range []string{"GBR", "gb", "XX", "United Kingdom"} {
				p.refused(http.StatusBadRequest, "", p.post("/traveller", record{"nationality": wrong}))
			}
		})
	add(fmt.Sprintf("travelCoverage.destination: each of the %d numeric codes, no other", len(countries)),
		func(p *probe) {
			body := p.body("travelCoverage", 0)
			p.each(len(countries), func(i int) error {
				return p.accepted("travelCoverage", body, record{"destination": countries[i]})
			})
			for _, wrong := range []int{0, -4, 3, 899, 1000} {
				p.refused(http.StatusBadRequest, "invalid destination",
					p.post("/travelCoverage", body.with("destination", wrong)))
			}
		})
	add("product.lineOfBusiness: each of the codes 1 to 65", func(p *probe) {
		body := p.body("product", 0)
		p.each(65, func(i int) error { return p.accepted("product", body, record{"lineOfBusiness": i + 1}) })
	})
	add("claim :settle takes each PaymentMethod", func(p *probe) {
		for _, method := range valueSets["PaymentMethod"] {
			p.holds(p.action(http.StatusOK, "/claim/"+p.claim().text("id")+":settle",
				settlement.with("paymentMethod", method)), record{"paymentMethod": method})
		}
	})
	add("values match exactly: another case is another value", func(p *probe) {
		for resource, members := range map[string]record{
			"property": {"propertyType": "farm"}, "pet": {"petKind": "Cat"}, "debtor": {"legalForm": "Sole Trader"},
			"insuranceEntity": {"type": "lloyds syndicate"},
		} {
			p.refused(http.StatusBadRequest, "", p.post("/"+resource, members))
		}
	})
	return rules
}

// accepted creates a record with members and returns an error unless the response has them.
func (p *probe) accepted(resource string, body, members record) error {
	got, err := p.created(resource, body.with(pairs(members)...))
	if err != nil {
		return fmt.Errorf("%v: %w", members, err)
	}
	for name, value := range members {
		if !same(got[name], value) {
			return fmt.Errorf("%s is %v, not %v", name, got[name], value)
		}
	}
	return nil
}

func (p *probe) eachValue(resource string, values []string, members func(string) record) {
	p.each(len(values), func(i int) error { return p.accepted(resource, record{}, members(values[i])) })
}

// accepts tries each value of a set: for an array all in one record, and otherwise each in one record.
func accepts(p *probe, r resource, f field) {
	values := valueSets[f.kind]
	if f.many {
		p.must(p.accepted(r.name, p.body(r.name, 0), record{f.name: values}))
		return
	}
	p.each(len(values), func(i int) error {
		body, err := p.compose(r.name, 0)
		if err != nil {
			return err
		}
		return p.accepted(r.name, body, record{f.name: values[i]})
	})
}

func refusesValue(p *probe, r resource, f field) {
	wrong := []any{unknownValue, strings.ToUpper(valueSets[f.kind][0]) + " "}
	for _, value := range wrong {
		at := "/" + f.name
		if f.many {
			value = []any{valueSets[f.kind][0], value}
		}
		problem := p.refused(http.StatusBadRequest, "", p.post("/"+r.name, p.checking(r, f).with(f.name, value)))
		if !slices.ContainsFunc(problem.pointers(), func(pointer string) bool {
			return pointer == at || strings.HasPrefix(pointer, at+"/")
		}) {
			p.fail("%v is refused at %v, not at %s", value, problem.pointers(), at)
		}
	}
}

// checking returns a record in which the values of a field are checked. For petBreed it is a dog.
func (p *probe) checking(r resource, f field) record {
	body := p.body(r.name, 0)
	if f.kind == "PetBreed" {
		body = body.with("petKind", "dog")
	}
	return body
}

func corrects(p *probe, r resource, f field) {
	for right, published := range corrected[f.kind] {
		var sent, stored any = right, published
		if f.many {
			sent, stored = []string{right}, []string{published}
		}
		got := p.create(r.name, p.checking(r, f).with(f.name, sent))
		p.holds(got, record{f.name: stored})
		p.holds(p.read("/"+r.name+"/"+got.text("id")), record{f.name: stored})
	}
}

func countryOfAddress(p *probe, r resource) {
	for _, f := range r.fields {
		if f.kind != "Address" {
			continue
		}
		for _, wrong := range []string{"GBR", "gb", "XX", "826"} {
			address := p.address(0).with("country", wrong)
			p.refused(http.StatusBadRequest, "", p.post("/"+r.name, p.body(r.name, 0).with(f.name, address)))
		}
	}
}

//go:embed valuesets.json
var valueSetsText []byte

//go:embed countries.json
var countriesText []byte

//go:embed corrected.json
var correctedText []byte

// valueSets are the values of each set, as published: OPIN API Specification v1.0 of the Open Insurance Initiative
// (Apache-2.0); Currency has the alphabetic codes of ISO 4217 and Country the alpha-2 codes of ISO 3166-1.
// productCatalog holds the names of the lines of business; records hold their codes. countries are the numeric codes
// of ISO 3166-1.
var (
	valueSets = embedded[map[string][]string](valueSetsText)
	countries = embedded[[]int](countriesText)
)

func embedded[T any](text []byte) (value T) {
	if err := json.Unmarshal(text, &value); err != nil {
		panic(err) // the file is part of the program
	}
	return value
}

// corrected maps corrected spellings to published values that are misspelled. A corrected spelling is accepted, and
// stored as the published value.
var corrected = embedded[map[string]map[string]string](correctedText)

// unknownValue is in no set.
const unknownValue = "no such value"
