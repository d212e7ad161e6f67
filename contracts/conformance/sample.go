package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// The bodies that are sent. The variant, 0 or 1, says which of two sets of values a body has.

// one returns the record of a resource that all rules of a run share. The first call creates it.
func (p *probe) one(name string) record {
	r, err := p.sharedRecord(name)
	if err != nil {
		p.fail("this needs a %s: %v", name, err)
	}
	return r
}

// id returns the id of the shared record of a resource.
func (p *probe) id(name string) string { return p.one(name).text("id") }

func (p *probe) sharedRecord(name string) (record, error) {
	p.run.mu.Lock()
	made, known := p.shared[name]
	if !known {
		made = sync.OnceValues(func() (record, error) {
			body, err := p.compose(name, 0)
			if err != nil {
				return nil, err
			}
			return p.created(name, body)
		})
		p.shared[name] = made
	}
	p.run.mu.Unlock()
	return made()
}

// body returns a body with every field of a resource that a caller may set, and its references.
func (p *probe) body(name string, variant int) record {
	r, err := p.compose(name, variant)
	p.must(err)
	return r
}

func (p *probe) compose(name string, variant int) (record, error) {
	of := resourceNamed(name)
	body := record{}
	for _, f := range slices.Concat(of.fields, of.references) {
		if f.issued {
			continue
		}
		value, err := p.value(name, f, variant)
		if err != nil {
			return nil, err
		}
		body[f.name] = value
	}
	return body, nil
}

// value returns a value of a field.
func (p *probe) value(resource string, f field, variant int) (any, error) {
	if f.name == "policyNumber" && (resource == "claim" || resource == "receipt") {
		policy, err := p.sharedRecord("motorCoverage")
		return policy["policyNumber"], err
	}
	if particular, is := particulars[f.name]; is {
		return particular(p, variant), nil
	}
	if isResource(f.kind) {
		referred, err := p.sharedRecord(f.kind)
		if f.many {
			return []any{referred["id"]}, err
		}
		return referred["id"], err
	}
	if set := valueSets[f.kind]; set != nil {
		if f.many {
			return set[variant:3], nil
		}
		return set[variant], nil
	}
	if f.many {
		return []any{p.scalar(f, variant), p.scalar(f, 1-variant)}, nil
	}
	return p.scalar(f, variant), nil
}

func isResource(kind string) bool {
	return slices.ContainsFunc(fieldTable, func(row struct{ resource, fields string }) bool {
		return row.resource == kind
	})
}

func (p *probe) scalar(f field, variant int) any {
	switch f.kind {
	case "string":
		return p.fresh(f.name + " é")
	case "int":
		return 41 + variant
	case "float":
		return json.Number(fmt.Sprintf("1234.567%d", 1+variant))
	case "bool":
		return variant == 0
	case "Date":
		return p.day(-variant).AddDate(-30, 0, 0).Format(time.DateOnly)
	case "DateTime":
		return p.instant(-1 - variant)
	case "ProductCatalog":
		return 7 + variant
	case "Address":
		return p.address(variant)
	case "DrivingLicence":
		return record{
			"licenceNumber": p.fresh("licence"), "issueDate": "2015-06-30", "expiryDate": "2099-12-31",
			"country":         valueSets["Country"][variant],
			"licenceCategory": []string{"B", "BE"}, "licenceCodes": []string{"01.06"},
		}
	default:
		// The interface does not show the members of this type, so any JSON value is right.
		return record{
			"of": f.kind, "variant": variant, "amount": json.Number("1.50"),
			"nested": []any{true, record{"é": "ü"}, "x"},
		}
	}
}

func (p *probe) address(variant int) record {
	address := record{}
	for _, f := range parse(addressFields, map[string]string{}) {
		address[f.name] = p.fresh(f.name)
	}
	address["country"] = valueSets["Country"][variant]
	return address
}

// particulars are the fields for which the values of their type are not enough.
var particulars = map[string]func(p *probe, variant int) any{
	"inceptionDate": func(p *probe, _ int) any { return p.instant(-100) },
	"expiryDate":    func(p *probe, _ int) any { return p.instant(265) },
	"lossDate":      func(p *probe, variant int) any { return p.instant(-3 - variant) },
	"petKind":       func(_ *probe, variant int) any { return []string{"dog", "cat"}[variant] },
	"lossCause":     func(_ *probe, variant int) any { return valueSets["MotorPeril"][variant] },
	"nationality":   func(_ *probe, variant int) any { return valueSets["Country"][variant] },
	"destination":   func(_ *probe, variant int) any { return countries[variant] },
	"length":        func(_ *probe, variant int) any { return 10 + variant },
}

// policy creates a policy of a line whose term began 100 days ago and ends a number of days from now.
func (p *probe) policy(line string, ends int) record {
	got := p.create(line, p.body(line, 0).with("expiryDate", p.instant(ends)))
	return got.without("warnings") // of the policies of other rules, which cover the same
}

// loss returns the body of a claim against a policy for a loss a number of days from now. The cause is the first that
// a policy of the line covers.
func (p *probe) loss(line string, policy record, days int) record {
	body := record{
		"policyNumber": policy["policyNumber"], "fnol": p.instant(days), "lossDate": p.instant(days),
		"claimType": "own property damage", "location": "London", "description": p.fresh("loss"),
	}
	if list := causes[line]; list != "" && len(policy.list(list)) > 0 {
		body["lossCause"] = policy.list(list)[0]
	}
	return body
}

// claim creates a claim against a new motor policy.
func (p *probe) claim() record {
	return p.create("claim", p.loss("motorCoverage", p.one("motorCoverage"), -2))
}

// action posts an action and returns the record of its response.
func (p *probe) action(status int, path string, body any) record {
	return p.wants(status, p.post(path, body))
}

// settlement is a body of :settle.
var settlement = record{"paymentAmount": 250, "paymentMethod": "electronic transfer"}

func (p *probe) settle(claim record) record {
	return p.action(http.StatusOK, "/claim/"+claim.text("id")+":settle", settlement)
}

// reportedUnder sets a contract with a reference and changes to its members, and returns the response. Its rule takes
// no policy that anybody makes. It skips the rule if there is no desk.
func (p *probe) reportedUnder(reference string, changes record) response {
	contract := record{
		"uniqueMarketReference": "CONFORMANCE", "coverholderName": p.name, "inception": "1901-01-01",
		"expiry": "1901-01-02", "lines": []string{"petCoverage"}, "currency": "EUR", "amountUnit": "major",
		"settlementCurrency": "GBP", "originalPerSettlement": "1.22", "commissionPercentage": "15",
		"frequency": "month", "firstPeriod": "2000-01",
	}
	for member, value := range changes {
		contract[member] = value
	}
	a := p.put("/x/contract/"+reference, contract)
	if a.status == http.StatusNotFound {
		p.skip("the implementation has no desk")
	}
	return a
}

// deskContract is the reference of the contract of the rules.
const deskContract = "CONFORMANCE"
