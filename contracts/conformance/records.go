package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// recordRules are the rules about the standard operations on every resource, and about what a record keeps.
func recordRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, r := range resources {
		add("POST /"+r.name+": 201 with a new id, a UUID in lower case", func(p *probe) { newEachTime(p, r) })
		add("GET /"+r.name+"/{id}: the record as it was written", func(p *probe) { readsAsWritten(p, r) })
		for _, f := range slices.Concat(r.fields, r.references) {
			if !f.issued {
				add(r.name+": "+f.String()+" comes back as sent", func(p *probe) { comesBack(p, r, f) })
				add(r.name+": "+f.String()+" of a wrong type is 400 at its pointer", func(p *probe) {
					wrongType(p, r, f)
				})
			}
		}
		add("GET /"+r.name+"/{id}: 404 for an id that names nothing", func(p *probe) {
			unknownID(p, http.MethodGet, "/"+r.name)
		})
		add("POST /"+r.name+": members that the interface does not name are kept byte for byte", func(p *probe) {
			keepsExtensions(p, r)
		})
		add("POST /"+r.name+": what is issued is not taken from the body", func(p *probe) { issuesItself(p, r) })
		if r.name != "claimsBordereau" {
			add("PUT /"+r.name+"/{id}: 404 for an id that names nothing", func(p *probe) {
				unknownID(p, http.MethodPut, "/"+r.name)
			})
			add("PUT /"+r.name+"/{id}: 400 for the id of another record", func(p *probe) { idOfAnother(p, r) })
		}
		if !immutable[r.name] {
			add("PUT /"+r.name+"/{id}: the full record replaces the stored one", func(p *probe) { replaces(p, r) })
			add("PUT /"+r.name+"/{id}: what is not sent is gone", func(p *probe) { forgets(p, r) })
		}
	}
	for _, row := range payloadTable {
		add("POST /"+row.resource+": the payload "+row.members, func(p *probe) {
			sent, returned := p.payload(row.resource, row.members)
			p.holds(p.create(row.resource, sent), returned)
		})
	}
	for _, n := range payloadNames {
		add(fmt.Sprintf("POST /%s: %s comes back as %s alone", n.resource, n.sent, n.returned), func(p *probe) {
			renamed(p, n.resource, n.sent, n.returned)
		})
	}
	for _, line := range policyLines {
		add("POST /"+line+": policyNumber is issued, status is in force", func(p *probe) { policyIssued(p, line) })
	}
	return append(rules, scalarRules()...)
}

// full creates a record of a resource with every field.
func (p *probe) full(r resource) (sent, got record) {
	sent = p.body(r.name, 0)
	return sent, p.create(r.name, sent)
}

func newEachTime(p *probe, r resource) {
	_, first := p.full(r)
	_, second := p.full(r)
	if first["id"] == second["id"] {
		p.fail("two creates return one id, %s", first.text("id"))
	}
}

func readsAsWritten(p *probe, r resource) {
	sent, got := p.full(r)
	read := p.read("/" + r.name + "/" + got.text("id"))
	if read["id"] != got["id"] {
		p.fail("the record reads with the id %q, not %q", read.text("id"), got.text("id"))
	}
	p.holds(read, sent)
	for name, value := range read {
		if !same(got[name], value) {
			p.fail("%s was %v in the response to the create and reads %v", name, got[name], value)
		}
	}
}

func comesBack(p *probe, r resource, f field) {
	sent, got := p.full(r)
	for _, is := range []record{got, p.read("/" + r.name + "/" + got.text("id"))} {
		p.holds(is, record{f.name: sent[f.name]})
		if wrong := mistyped(f, is[f.name]); wrong != "" {
			p.fail("%s is %v: %s", f.name, is[f.name], wrong)
		}
	}
}

// holds fails the rule if a record lacks a member of want or has another value.
func (p *probe) holds(is, want record) {
	var wrong differences
	for name, value := range want {
		if !same(is[name], value) {
			wrong.add("%s is %v, not %v", name, is[name], value)
		}
	}
	slices.Sort(wrong)
	p.none(wrong)
}

// unknownIDs are a UUID that no record has, and a text that is no UUID.
var unknownIDs = []string{"00000000-0000-4000-8000-000000000000", "none"}

func unknownID(p *probe, method, path string) {
	for _, id := range unknownIDs {
		var body any
		if method != http.MethodGet {
			body = record{}
		}
		p.refused(http.StatusNotFound, "", p.do(method, path+"/"+id, body))
	}
}

func keepsExtensions(p *probe, r resource) {
	const extension = `{"rate":1.10,"long":12345678901234567890.123,"list":[1e2,{"é":"ü"},true]}`
	name := "x-" + p.name
	body := strings.TrimSuffix(p.written(p.body(r.name, 0)), "}") + `,"` + name + `":` + extension + "}"
	want := `"` + name + `":` + extension
	got := p.post("/"+r.name, body)
	id := p.wants(http.StatusCreated, got).text("id")
	read := p.get("/" + r.name + "/" + id)
	for _, a := range []response{got, read} {
		if !strings.Contains(string(a.body), want) {
			p.fail("%s returns without %s", a.request, want)
		}
	}
	if immutable[r.name] {
		return
	}
	replaced := p.put("/"+r.name+"/"+id, strings.Replace(string(read.body), extension, `"`+p.name+`"`, 1))
	p.holds(p.wants(http.StatusOK, replaced), record{name: p.name})
}

// mine are values that a caller sends for members that the implementation issues.
var mine = record{
	"id": unknownIDs[0], "policyNumber": "POL-MINE", "claimNumber": "CLM-MINE", "status": "cancelled",
	"claimStatus": "closed",
	"lastUpdate":  "2001-02-03", "reopenDate": "2001-02-03",
}

func issuesItself(p *probe, r resource) {
	body := p.body(r.name, 0).with("id", mine["id"])
	issued := []string{"id"}
	for _, f := range r.fields {
		if f.issued {
			issued = append(issued, f.name)
			body[f.name] = mine[f.name]
		}
	}
	got := p.create(r.name, body)
	for _, name := range issued {
		if same(got[name], mine[name]) {
			p.fail("%s is %v, as the body said", name, mine[name])
		}
	}
}

func idOfAnother(p *probe, r resource) {
	_, got := p.full(r)
	p.refused(http.StatusBadRequest, "", p.put("/"+r.name+"/"+got.text("id"), got.with("id", p.id(r.name))))
}

func replaces(p *probe, r resource) {
	_, got := p.full(r)
	path, other := "/"+r.name+"/"+got.text("id"), p.body(r.name, 1)
	p.holds(p.wants(http.StatusOK, p.put(path, other)), other.with("id", got["id"]))
	read := p.read(path)
	p.holds(read, other.with("id", got["id"]))
	for _, f := range r.fields {
		if f.issued && !same(read[f.name], got[f.name]) {
			p.fail("the replacement changes %s from %v to %v", f.name, got[f.name], read[f.name])
		}
	}
}

// forgets sends a replacement with an additional member, and then one without it.
func forgets(p *probe, r resource) {
	sent, got := p.full(r)
	path := "/" + r.name + "/" + got.text("id")
	p.wants(http.StatusOK, p.put(path, sent.with("x-more", 1)))
	p.wants(http.StatusOK, p.put(path, sent))
	if read := p.read(path); read["x-more"] != nil {
		p.fail("x-more is still %v", read["x-more"])
	}
}

func renamed(p *probe, resource, sent, returned string) {
	body := p.body(resource, 0)
	value := body[returned]
	for _, name := range []string{sent, returned} {
		got := p.create(resource, p.body(resource, 0).without(returned).with(name, value))
		p.holds(got, record{returned: value})
		if got[sent] != nil {
			p.fail("%s comes back in addition to %s", sent, returned)
		}
	}
}

func policyIssued(p *probe, line string) {
	numbers := map[string]bool{}
	for range 2 {
		got := p.create(line, p.body(line, 0))
		if got.text("policyNumber") == "" || numbers[got.text("policyNumber")] {
			p.fail("policyNumber is %q", got.text("policyNumber"))
		}
		numbers[got.text("policyNumber")] = true
		p.holds(got, record{"status": "in force"})
	}
}

// stamped reports whether a text is a DateTime as it is returned: RFC 3339 in UTC.
func stamped(text string) bool {
	t, err := time.Parse(time.RFC3339, text)
	return err == nil && strings.HasSuffix(text, "Z") && t.Location() == time.UTC
}

// payloadTable is the table of creation payloads, as the interface writes it.
var payloadTable = []struct{ resource, members string }{
	{"motorCoverage", "policyholderId, vehicleId, driverId, perils, premium, inceptionDate, expiryDate"},
	{"cyberLiabilityCoverage", "policyholderId, businessId, scope, indemnityLimitPolicy, inceptionDate, expiryDate"},
	{"travelCoverage", "policyholderId, travellerIds, destination, length, isAnnualPolicy, isGroup"},
	{"propertyCoverage", "policyholderId, propertyId, perils, deductibles, inceptionDate, expiryDate"},
	{"tradeCreditCoverage", "policyholderId, debtorId, tradeCreditType, perils, creditLimit, maxCreditPeriod"},
	{"businessInterruptionCoverage", "propertyId, type, grossAnnualProfit, IndemnityPeriod, perils"},
	{"petCoverage", "policyholderId, petId, benefits, annualReimbursementLimit, waitingPeriod"},
	{"vehicle", "plateNumber, vin"},
	{"driver", "licence, dob"},
	{"business", "businessSector, dataAssets, grossAnnualTurnover, numberOfEmployees"},
	{"traveller", "firstName, lastName, dob, nationality, idType"},
	{"property", "address, propertyType, wall, roof, sumInsuredBuilding"},
	{"debtor", "name, registrationNumber, parentCompany, financials"},
	{"pet", "petName, petKind, age, petBreed"},
	{"personal", "firstName, lastName, dob, address, idType, idNumber"},
	{"product", "lineOfBusiness, productModel, currency, wordingId"},
	{"receipt", "receiptType, policyNumber, paymentAmount, premiumPaymentMethod"},
	{"claim", "policyNumber, fnol, lossDate, claimType, location, lossCause, description"},
}

// payloadNames are the names in payloads that differ from the field names, and the names in responses.
var payloadNames = []struct{ resource, sent, returned string }{
	{"motorCoverage", "premium", "grossWrittenPremium"},
	{"debtor", "parentCompany", "ultimateParentCompany"},
	{"driver", "dob", "driverDOB"},
	{"pet", "breed", "petBreed"},
	{"businessInterruptionCoverage", "propertyId", "propertyRef"},
	{"product", "wordingId", "wording"},
}

// returnedAs returns the name by which a payload member comes back.
func returnedAs(resource, sent string) string {
	for _, n := range payloadNames {
		if n.resource == resource && n.sent == sent {
			return n.returned
		}
	}
	return sent
}

// deductibles are the members of deductibles in a payload. A response has them as members of the record.
var deductibles = record{"deductibleAmountBuilding": 500, "deductibleAmountContent": 250}

// payload returns a body with exactly the members of a row of the table, and the members that the response must have.
func (p *probe) payload(name, members string) (sent, returned record) {
	full := p.body(name, 0)
	sent, returned = record{}, record{}
	for member := range strings.SplitSeq(members, ", ") {
		switch member {
		case "deductibles":
			sent[member] = deductibles
			for part, amount := range deductibles {
				returned[part] = amount
			}
			continue
		case "financials":
			sent[member] = record{"netAssets": json.Number("1.50"), "years": []int{2024, 2025}}
		case "registrationNumber":
			sent[member] = p.fresh(member)
		default:
			sent[member] = full[returnedAs(name, member)]
		}
		returned[returnedAs(name, member)] = sent[member]
	}
	return sent, returned
}

// importedFiles imports a file of two individuals, one of whom was born on a day that there is not.
func importedFiles(p *probe) {
	const imports, header = "/x/import", "firstName,lastName,dob,idType,idNumber,address.city\n"
	row := func(name, born string) string {
		return name + "," + p.name + "," + born + ",passport," + p.name + name + ",London\n"
	}
	send := func(file, query string) response { return p.post(imports+query, file, "Content-Type", "text/csv") }
	sent := send(header+row("Ada", "1990-12-10")+row("Bo", "1991-02-30"), "?resource=personal")
	if sent.status == http.StatusNotFound {
		p.skip("the implementation imports no files")
	}
	checked := p.wants(http.StatusOK, sent)
	path := imports + "/" + checked.text("id")
	p.holds(checked, record{"state": "checked", "rows": json.Number("2"), "outcomes": map[string]any{
		"ready": json.Number("1"), "refused": json.Number("1")}})
	wrong := p.read(path + "/rows?outcome=refused").list("rows")
	if len(wrong) != 1 || record(wrong[0].(map[string]any)).list("wrong")[0].(map[string]any)["cell"] != "C3" {
		p.fail("what is wrong with a day in C3 is %v", wrong)
	}
	p.refused(http.StatusBadRequest, "", p.post(path+":apply", record{}))
	p.refused(http.StatusConflict, "", p.post(path+":apply", record{"digest": "another"}))
	p.wants(http.StatusOK, p.post(path+":check", nil))
	applied := p.wants(http.StatusOK, p.post(path+":apply", record{"digest": checked.text("digest")}))
	p.holds(applied, record{"state": "applied", "outcomes": map[string]any{
		"made": json.Number("1"), "refused": json.Number("1")}})
	made := p.read(path + "/rows?outcome=made").list("rows")
	of := record(record(made[0].(map[string]any)).list("records")[0].(map[string]any))
	p.holds(p.read("/personal/"+of.text("id")), record{"firstName": "Ada", "lastName": p.name, "dob": "1990-12-10"})
	p.refused(http.StatusConflict, "", p.post(path+":cancel", nil))
	// The file is sent again with the row mended: what was made is there.
	mended := p.wants(http.StatusOK, send(header+row("Bo", "1991-02-28")+row("Ada", "1990-12-10"),
		"?resource=personal"))
	p.holds(mended, record{"outcomes": map[string]any{"ready": json.Number("1"), "there": json.Number("1")}})
	cancelled := imports + "/" + mended.text("id")
	p.holds(p.wants(http.StatusOK, p.post(cancelled+":cancel", nil)), record{"state": "cancelled"})
	p.refused(http.StatusConflict, "", p.post(cancelled+":apply", record{"digest": mended.text("digest")}))
	p.listed(imports, "imports", mended.text("id"))
	for name, format := range map[string]string{"/rows": "text/csv", "/file": "*/*"} {
		if file := p.get(path+name, "Accept", format); file.status != http.StatusOK ||
			!strings.Contains(string(file.body), row("Bo", "1991-02-30")[:20]) {
			p.fail("%s is %d %s", name, file.status, file.body)
		}
	}
	refusedImports(p)
}

// refusedImports asks for imports and templates that there are not, and sends files that cannot be read.
func refusedImports(p *probe) {
	const unknown = "/x/import/"
	for _, path := range []string{"", "/rows", "/file"} {
		p.refused(http.StatusNotFound, "", p.get(unknown+unknownIDs[0]+path))
	}
	for _, action := range []string{":check", ":cancel"} {
		p.refused(http.StatusNotFound, "", p.post(unknown+unknownIDs[0]+action, nil))
	}
	p.refused(http.StatusNotFound, "", p.post(unknown+unknownIDs[0]+":apply", record{"digest": "x"}))
	for query, status := range map[string]int{
		"": http.StatusBadRequest, "?resource=boat": http.StatusBadRequest,
		"?profile=" + p.name: http.StatusNotFound, "?resource=personal": http.StatusBadRequest,
	} {
		p.refused(status, "", p.post("/x/import"+query, "no header\n", "Content-Type", "text/csv"))
	}
	p.refused(http.StatusUnsupportedMediaType, "", p.post("/x/import?resource=personal", record{}))
	forms := p.read("/x/import/template").list("templates")
	if len(forms) == 0 {
		p.fail("there are no forms")
	}
	workbook := record(forms[0].(map[string]any)).text("workbook")
	if got := p.get(workbook, "Accept", "*/*"); got.status != http.StatusOK ||
		!strings.HasPrefix(string(got.body), "PK") {
		p.fail("%s is %d and no workbook", workbook, got.status)
	}
	p.refused(http.StatusNotFound, "", p.get("/x/import/template/"+p.name+".xlsx"))
}
