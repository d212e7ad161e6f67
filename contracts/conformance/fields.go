package conformance

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// fieldTable is the table of resources and their fields, as the interface writes it. A type that is the name of a
// resource is a reference to one of its records. A field without a type has the type of the same field further up.
var fieldTable = []struct{ resource, fields string }{
	{"motorCoverage", "id: UUID; policyNumber: string; inceptionDate: DateTime; expiryDate: DateTime; status: " +
		"PolicyStatus; grossWrittenPremium: float; indemnityLimitPolicy: int; perils: MotorPeril[]"},
	{"vehicle", "id; plateNumber: string; vin: string; chassisNumber: string; registration: VehicleRegistration; " +
		"physical: VehiclePhysical; performance: VehiclePerformance; condition: VehicleCondition"},
	{"driver", "id; name: string; driverDOB: Date; licence: DrivingLicence; convictions: Conviction[]; " +
		"isPrimaryDriver: bool"},
	{"cyberLiabilityCoverage", "id; policyNumber; inceptionDate; expiryDate; status; indemnityLimitPolicy: int; " +
		"claimsOccurrence: ClaimsOccurrence; scope: CyberCoverageCategory[]"},
	{"business", "id; businessSector: string; dataAssets: DataAsset[]; dataSharing: bool; grossAnnualTurnover: " +
		"float; numberOfEmployees: float; itStaff: float"},
	{"travelCoverage", "id; policyNumber; inceptionDate; expiryDate; status; isAnnualPolicy: bool; isGroup: bool; " +
		"length: int; destination: int; emergencyMedical: float; tripCancellation: float"},
	{"traveller", "id; firstName: string; lastName: string; nationality: string; dob: Date; idType: IdType"},
	{"propertyCoverage", "id; policyNumber; inceptionDate; expiryDate; status; indemnityLimitPolicy: int; " +
		"isAgreedValue: bool; perils: PropertyPeril[]; deductibleAmountBuilding: int; deductibleAmountContent: " +
		"int; claimsOccurrence: ClaimsOccurrence"},
	{"property", "id; address: Address; latitude: string; longitude: string; propertyType: PropertyType; " +
		"sumInsuredBuilding: int; sumInsuredContent: int; wall: WallConstruction; roof: RoofConstruction"},
	{"tradeCreditCoverage", "id; policyNumber; inceptionDate; expiryDate; status; tradeCreditType: " +
		"TradeCreditType; perils: TradeCreditPeril[]; creditLimit: int; creditLimitUtilized: int; maxCreditPeriod: " +
		"int; waitingPeriod: int"},
	{"debtor", "id; name: string; ultimateParentCompany: string; legalForm: LegalEntity; netAssets: int; " +
		"annualizedTurnover: int; creditRating: string"},
	{"businessInterruptionCoverage", "id; policyNumber; inceptionDate; expiryDate; status; type: " +
		"TypeBusinessInterruption; perils: PropertyPeril[]; grossAnnualProfit: int; icwLimit: int; " +
		"contingencyLossLimit: int; IndemnityPeriod: int; deductible: int; propertyRef: property"},
	{"petCoverage", "id; policyNumber; inceptionDate; expiryDate; status; annualReimbursementLimit: int; " +
		"waitingPeriod: int; preexistingConditions: bool; benefits: PetBenefit[]"},
	{"pet",
		"id; petName: string; petKind: PetKind; age: float; purebred: bool; petBreed: PetBreed; reimbursement: float"},
	{"claim", "id; claimNumber: string; fnol: DateTime; lossDate: DateTime; claimType: ClaimType; location: " +
		"string; lossCause: string; liabilityShare: int; reserve: int; claimStatus: ClaimStatus; lastUpdate: Date; " +
		"reopenDate: Date; excessAmount: int; paymentMethod: PaymentMethod; documents: string[]; policyNumber; " +
		"description: string"},
	{"claimsBordereau", "id; treatyReference: string; policyNumber: string; fnol: DateTime; GrosslLossReserve: " +
		"float; paid: float; expectedRecovery: float; claimStatus: ClaimStatus"},
	{"receipt", "id; receiptType: ReceiptType; receiptDate: Date; paymentAmount: int; receiptCalculation: " +
		"ReceiptCalculation; premiumPaymentMethod: PaymentMethod; policyNumber"},
	{"premiumBordereau", "id; treatyReference: string; policyholder: string; policyNumber: string; inceptionDate: " +
		"DateTime; expiryDate: DateTime; indemnityLimitPolicy: int; grossWrittenPremium: int; netPremium: int; " +
		"transactionType: ReceiptType"},
	{"insuranceEntity", "id; name: string; tradeName: string; type: EntityType; classification: " +
		"EntityClassification; registrationNumber: string; address: Address"},
	{"personal",
		"id; firstName: string; lastName: string; dob: Date; address: Address; idType: IdType; idNumber: string"},
	{"commercial", "id; name: string; registeredAddress: Address; registrationNumber: string"},
	{"beneficiary", "id; name: string; address: Address; share: float"},
	{"product", "id; lineOfBusiness: ProductCatalog; productModel: ProductModel; contractType: ContractType; " +
		"currency: Currency; policyFee: float; paymentFrequency: PremiumPaymentFrequency; wording: policyWording"},
	{"policyWording", "id; name: string; version: string; effectiveDate: Date"},
}

// referenceTable are the references that a record keeps in addition to its fields.
var referenceTable = map[string]string{
	"motorCoverage":          "policyholderId: personal; vehicleId: vehicle; driverId: driver",
	"cyberLiabilityCoverage": "policyholderId: personal; businessId: business",
	"travelCoverage":         "policyholderId: personal; travellerIds: traveller[]",
	"propertyCoverage":       "policyholderId: personal; propertyId: property",
	"tradeCreditCoverage":    "policyholderId: personal; debtorId: debtor",
	"petCoverage":            "policyholderId: personal; petId: pet",
}

// addressFields are the members of an Address.
const addressFields = "building: string; streetName: string; city: string; state: string; country: string; " +
	"postalCode: string; threeWordAddress: string"

// issuedTable are the members that the implementation issues. A creation body never sets them.
var issuedTable = map[string]string{
	"claim": "claimNumber; claimStatus; lastUpdate; reopenDate",
}

const issuedByCoverage = "policyNumber; status"

// immutable are the resources that PUT does not replace member by member: it merges, or refuses another content, or
// does not exist.
var immutable = map[string]bool{"claim": true, "receipt": true, "claimsBordereau": true}

// field is a member of a record.
type field struct {
	name, kind string
	many       bool
	issued     bool
}

func (f field) String() string {
	if f.many {
		return f.name + ": " + f.kind + "[]"
	}
	return f.name + ": " + f.kind
}

// resource is what the tables say about one resource.
type resource struct {
	name   string
	fields []field // without id
	// references are the references in addition to the fields.
	references []field
}

// resources are those that can be created, in the order of the table.
var resources = parseTable()

func parseTable() []resource {
	kinds := map[string]string{}
	var all []resource
	for _, row := range fieldTable {
		r := resource{name: row.resource, references: parse(referenceTable[row.resource], kinds)}
		issued := issuedTable[r.name]
		if isCoverage(r.name) {
			issued = issuedByCoverage
		}
		for _, f := range parse(row.fields, kinds) {
			if f.name == "id" {
				continue
			}
			f.issued = strings.Contains("; "+issued+";", "; "+f.name+";")
			r.fields = append(r.fields, f)
		}
		all = append(all, r)
	}
	return all
}

// parse parses fields as the interface writes them. kinds are the types of the names that came before.
func parse(text string, kinds map[string]string) []field {
	var all []field
	for entry := range strings.SplitSeq(text, "; ") {
		if entry == "" {
			continue
		}
		name, kind, given := strings.Cut(entry, ": ")
		if !given {
			kind = kinds[name]
		}
		kinds[name] = kind
		f := field{name: name}
		f.kind, f.many = strings.CutSuffix(kind, "[]")
		all = append(all, f)
	}
	return all
}

func isCoverage(name string) bool { return strings.HasSuffix(name, "Coverage") }

// resourceNamed returns what the tables say about a resource.
func resourceNamed(name string) resource {
	for _, r := range resources {
		if r.name == name {
			return r
		}
	}
	panic(fmt.Sprintf("the field table has no resource %q", name))
}

// referenceRules are the rules about the names that callers give to records: the member externalReference, and bodies
// that name a record by ref: and its name.
func referenceRules() []Rule {
	var rules []Rule
	add := func(name string, try func(*probe)) { rules = append(rules, Rule{Name: name, try: try}) }
	for _, r := range resources {
		add("POST /"+r.name+" takes an externalReference, which no other record has", func(p *probe) { named(p, r) })
		for _, f := range append(r.fields, r.references...) {
			if isResource(f.kind) || f.name == "policyNumber" && (r.name == "claim" || r.name == "receipt") {
				add("POST /"+r.name+" takes ref: and an externalReference as "+f.name,
					func(p *probe) { referring(p, r, f) })
			}
		}
	}
	for _, line := range policyLines {
		add("ref: and the name of parties of two kinds is 409 for "+line, func(p *probe) {
			policy := p.policy(line, 265)
			both := record{"externalReference": p.fresh("both")}
			p.create("commercial", p.body("commercial", 0).with("externalReference", both["externalReference"]))
			p.create("personal", p.body("personal", 0).with("externalReference", both["externalReference"]))
			member := record{"policyholderId": "ref:" + both.text("externalReference")}
			path := "/" + line + "/" + policy.text("id")
			for _, a := range []response{
				p.post("/"+line, p.body(line, 0).with("policyholderId", member["policyholderId"])),
				p.put(path, policy.with("policyholderId", member["policyholderId"])),
				p.post(path+":endorse", endorsing(p, line, member)),
			} {
				p.ambiguous(a, "/policyholderId")
			}
			if line != "travelCoverage" {
				p.ambiguous(p.post(path+":renew", member), "/policyholderId")
			}
			p.unchanged(path, policy)
		})
		add(line+" :endorse and :renew take an externalReference that no other policy has", func(p *probe) {
			name := p.fresh("policy")
			p.create(line, p.body(line, 0).with("externalReference", name))
			policy := p.policy(line, 265)
			path := "/" + line + "/" + policy.text("id")
			p.taken(p.post(path+":endorse", endorsing(p, line, record{"externalReference": name})))
			if line != "travelCoverage" {
				p.taken(p.post(path+":renew", record{"externalReference": name}))
			}
			p.unchanged(path, policy)
		})
	}
	add("ref: and the name of policies of two lines is 409 for a claim and a receipt", func(p *probe) {
		name := p.fresh("both")
		for _, line := range []string{"motorCoverage", "petCoverage"} {
			p.create(line, p.body(line, 0).with("externalReference", name))
		}
		p.ambiguous(p.post("/claim", p.body("claim", 0).with("policyNumber", "ref:"+name)), "/policyNumber")
		p.ambiguous(p.post("/receipt", p.body("receipt", 0).with("policyNumber", "ref:"+name)), "/policyNumber")
	})
	add("an externalReference that nobody could tell from another is 400", func(p *probe) {
		for _, wrong := range []any{
			"", " a", "a ", "a  b", "a\u00a0b", "a\tb", "a\u200bb", strings.Repeat("x", 101), 12, []any{"a"},
		} {
			problem := p.refused(http.StatusBadRequest, "", p.post("/vehicle", record{"externalReference": wrong}))
			if at := problem.pointers(); len(at) != 1 || at[0] != "/externalReference" {
				p.fail("%q is refused at %v", wrong, at)
			}
		}
	})
	return rules
}

// endorsing is the body of an endorsement with a change, which a line takes.
func endorsing(p *probe, line string, change record) record {
	if line == "travelCoverage" {
		return change.with("endorsementType", extension, "expiryDate", p.instant(300))
	}
	return change.with("endorsementType", "addition")
}

// taken fails the rule unless a response refuses an externalReference that another record has.
func (p *probe) taken(a response) record {
	return p.refused(http.StatusConflict, "another record has the externalReference", a)
}

// ambiguous fails the rule unless a response refuses a reference that two records have, at a pointer.
func (p *probe) ambiguous(a response, pointer string) {
	problem := p.refused(http.StatusConflict, "several records have the reference", a)
	if at := problem.pointers(); len(at) != 1 || at[0] != pointer || len(problem.list("ids")) != 2 {
		p.fail("it is refused at %v, with the ids %v", at, problem["ids"])
	}
}

// named gives two records of a resource names.
func named(p *probe, r resource) {
	first := record{"externalReference": p.fresh("name é")}
	got := p.create(r.name, p.body(r.name, 0).with("externalReference", first["externalReference"]))
	p.holds(got, first)
	path := "/" + r.name
	again := p.taken(p.post(path, p.body(r.name, 0).with("externalReference", first["externalReference"])))
	p.holds(again, record{"existingId": got["id"]})
	ill := p.refused(http.StatusBadRequest, "", p.post(path, p.body(r.name, 0).with("externalReference", " a")))
	if at := ill.pointers(); len(at) != 1 || at[0] != "/externalReference" {
		p.fail("a name that begins with a blank is refused at %v", at)
	}
	list, err := p.get(path + "?externalReference=" + url.QueryEscape(first.text("externalReference"))).records()
	p.must(err)
	if len(list) != 1 || list[0].text("id") != got.text("id") {
		p.fail("the list has %d records", len(list))
	}
	if r.name == "claimsBordereau" {
		return // which has no PUT
	}
	path += "/" + got.text("id")
	p.holds(p.wants(http.StatusOK, p.put(path, got.without("externalReference", "warnings"))), first)
	if r.name == "receipt" {
		p.refused(http.StatusConflict, "", p.put(path, got.with("externalReference", p.fresh("other"))))
		return
	}
	other := p.create(r.name, p.body(r.name, 1))
	p.taken(p.put("/"+r.name+"/"+other.text("id"),
		other.with("externalReference", first["externalReference"]).without("warnings")))
	second := record{"externalReference": p.fresh("second")}
	p.holds(p.wants(http.StatusOK, p.put(path, got.with("externalReference", second["externalReference"]).
		without("warnings"))), second)
}

// referring names what a record refers to by its name.
func referring(p *probe, r resource, f field) {
	of, stored := f.kind, "id"
	if !isResource(of) {
		of, stored = "motorCoverage", "policyNumber"
	}
	name := p.fresh("named")
	to := p.create(of, p.body(of, 0).with("externalReference", name))
	as := func(name string) any {
		if f.many {
			return []any{name}
		}
		return name
	}
	body := p.body(r.name, 0)
	p.holds(p.create(r.name, body.with(f.name, as("ref:"+name))), record{f.name: as(to.text(stored))})
	if stored == "policyNumber" {
		p.holds(p.create(r.name, body.with(f.name, "ref:"+to.text(stored))), record{f.name: to.text(stored)})
	}
	unknown, none := p.post("/"+r.name, body.with(f.name, as(unknownIDs[0]))), p.post("/"+r.name,
		body.with(f.name, as("ref:"+p.fresh("none"))))
	want := p.refused(unknown.status, "", unknown)
	got := p.refused(unknown.status, want.text("title"), none)
	if fmt.Sprint(want.pointers()) != fmt.Sprint(got.pointers()) {
		p.fail("a name of nothing is refused at %v, an unknown one at %v", got.pointers(), want.pointers())
	}
}
