package conformance

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// correctionRules are the rules about replacements: PUT writes a whole record, which must pass the checks of a
// creation.
func correctionRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	add("PUT /personal/{id} with nothing is 400, and changes nothing", func(p *probe) {
		made := p.create("personal", p.body("personal", 0))
		path := "/personal/" + made.text("id")
		p.refused(http.StatusBadRequest, "required fields missing", p.put(path, record{}))
		p.unchanged(path, made)
	})
	for _, line := range policyLines {
		add("PUT /"+line+"/{id} without a member that a create requires is refused", func(p *probe) {
			policy := p.policy(line, 265)
			path := "/" + line + "/" + policy.text("id")
			for _, member := range requiredOf[line] {
				p.refused(http.StatusBadRequest, "", p.put(path, policy.without(member)))
			}
			p.unchanged(path, policy)
		})
		add("PUT /"+line+"/{id} with a term that is not in order is 400", func(p *probe) {
			policy := p.policy(line, 265)
			path := "/" + line + "/" + policy.text("id")
			p.refused(http.StatusBadRequest, "invalid policy term",
				p.put(path, policy.with("expiryDate", p.instant(-101))))
			p.unchanged(path, policy)
		})
		add("PUT /"+line+"/{id} on an extended policy cannot end it before its extension begins (400)", func(p *probe) {
			policy := p.extended(p.policy(line, 265), line, 300)
			path := "/" + line + "/" + policy.text("id")
			for _, days := range []int{200, 265} {
				p.refused(http.StatusBadRequest, "", p.put(path, policy.with("expiryDate", p.instant(days))))
			}
			p.unchanged(path, policy)
		})
	}
	add("POST /pet: petBreed is checked for a dog; another pet's is kept as sent", func(p *probe) {
		const breed = "Europäisch Kurzhaar"
		p.refused(http.StatusBadRequest, "",
			p.post("/pet", record{"petName": "Rex", "petKind": "dog", "petBreed": breed}))
		made := p.create("pet", record{"petName": "Tom", "petKind": "cat", "petBreed": breed})
		p.holds(p.read("/pet/"+made.text("id")), record{"petBreed": breed})
		p.refused(http.StatusBadRequest, "", p.put("/pet/"+made.text("id"), made.with("petKind", "dog")))
	})
	for _, e := range []struct{ kind, action string }{{"policy cancellation", ":cancel"},
		{"policy renewal", ":renew"}} {
		add(":endorse of the type "+e.kind+" leaves the policy in force, and warns that "+e.action+" does that",
			func(p *probe) {
				policy := p.policy("motorCoverage", 265)
				path := "/motorCoverage/" + policy.text("id")
				response := p.action(http.StatusOK, path+":endorse", record{"endorsementType": e.kind})
				p.holds(response, record{"status": "in force"})
				if warnings := response.list("warnings"); len(warnings) != 1 ||
					!strings.Contains(fmt.Sprint(warnings...), e.action) {
					p.fail("the warnings are %v", warnings)
				}
				p.holds(p.read(path), record{"status": "in force", "expiryDate": policy["expiryDate"]})
			})
	}
	for _, c := range []struct{ what, from, to, renewed string }{
		{"a year", "2026-03-01", "2027-03-01", "2028-03-01"},
		{"a year that ends in a leap year", "2027-03-01", "2028-03-01", "2029-03-01"},
		{"a month", "2026-02-01", "2026-03-01", "2026-04-01"},
		{"thirty days", "2026-03-02", "2026-04-01", "2026-05-01"},
		{"three hundred years", "2000-01-01", "2300-01-01", "2600-01-01"},
	} {
		add(":renew of a term of "+c.what+" keeps its length by the calendar", func(p *probe) {
			instant := func(day string) string { return day + "T00:00:00Z" }
			policy := p.create("motorCoverage",
				p.body("motorCoverage", 0).with("inceptionDate", instant(c.from), "expiryDate", instant(c.to)))
			renewed := p.action(http.StatusCreated, "/motorCoverage/"+policy.text("id")+":renew", nil)
			p.holds(renewed, record{"inceptionDate": instant(c.to), "expiryDate": instant(c.renewed)})
		})
	}
	add(":renew to a term that leaves the years 0001 to 9999 is 400, and changes nothing", func(p *probe) {
		policy := p.create("motorCoverage", p.body("motorCoverage", 0).with("expiryDate", "9999-12-31T00:00:00Z"))
		path := "/motorCoverage/" + policy.text("id")
		p.refused(http.StatusBadRequest, "", p.post(path+":renew", nil))
		p.unchanged(path, policy)
		p.action(http.StatusOK, path+":cancel", nil)
	})
	return rules
}

// requiredOf are members that a creation of each line requires.
var requiredOf = map[string][]string{
	"motorCoverage":                {"policyholderId", "vehicleId", "driverId", "inceptionDate", "expiryDate"},
	"cyberLiabilityCoverage":       {"policyholderId", "businessId", "indemnityLimitPolicy", "expiryDate"},
	"travelCoverage":               {"policyholderId", "travellerIds", "destination"},
	"propertyCoverage":             {"policyholderId", "propertyId", "inceptionDate"},
	"tradeCreditCoverage":          {"policyholderId", "debtorId", "tradeCreditType", "creditLimit"},
	"businessInterruptionCoverage": {"propertyRef", "type", "IndemnityPeriod"},
	"petCoverage":                  {"policyholderId", "petId"},
}

// renewedTo returns the end of the term that follows a term. It has as many months if the term consists of whole
// months, and otherwise the same length.
func renewedTo(from, to time.Time) time.Time {
	months := 12*(to.Year()-from.Year()) + int(to.Month()-from.Month())
	if months > 0 && from.AddDate(0, months, 0).Equal(to) {
		return to.AddDate(0, months, 0)
	}
	return to.Add(to.Sub(from))
}
