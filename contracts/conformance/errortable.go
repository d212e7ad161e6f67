package conformance

import (
	"net/http"
)

// creation is a creation request into which faults are put.
type creation struct {
	body    record
	headers []string
	// made is the record that a fault has created beforehand.
	made record
}

// row is a row of the errors table: its number, a request for which its condition holds, and the response.
type row struct {
	// order is the number of the row. A half is a row that the interface does not number, between two that it does.
	order     float64
	condition string
	// fault puts the condition into a request that is otherwise right. It is nil if the condition cannot be reached.
	fault func(*probe, *creation)
	// unreachable says why there is no fault.
	unreachable string
	status      int
	// words are the title of the problem; "" if the table has none.
	words string
	// required is the member that the problem must list as missing; "" if none is missing.
	required string
	// judge checks more of the response. It may be nil.
	judge func(*probe, *creation, record)
}

// endpoint is the rows of one endpoint.
type endpoint struct {
	resource string
	rows     []row
}

// set returns the fault of members with values: names and values in turn.
func set(members ...any) func(*probe, *creation) {
	return func(_ *probe, a *creation) { a.body = a.body.with(members...) }
}

// missing returns the fault of a member that is not sent.
func missing(name string) func(*probe, *creation) {
	return func(_ *probe, a *creation) { a.body = a.body.without(name) }
}

// refersTo returns the fault of a reference to a record that change has made unfit.
func refersTo(member, resource string, change func(record) record) func(*probe, *creation) {
	return func(p *probe, a *creation) {
		a.body = a.body.with(member, p.create(resource, change(p.body(resource, 0)))["id"])
	}
}

func lacking(name string) func(record) record {
	return func(r record) record { return r.without(name) }
}

// unknownRow returns the rows of a reference to a record that does not exist.
func unknownRow(order float64, member, another, words string) []row {
	return []row{
		notFound(order, member+" names nothing", set(member, unknownIDs[0]), words),
		notFound(order, member+" is no UUID", set(member, unknownIDs[1]), words),
		notFound(order, member+" names a "+another, func(p *probe, a *creation) {
			a.body = a.body.with(member, p.id(another))
		}, words),
		required(order, member),
	}
}

// termRow returns the rows of a term whose dates are missing or not in order.
func termRow(order float64) []row {
	const words = "invalid policy term"
	end := func(days int) func(*probe, *creation) {
		return func(p *probe, a *creation) { a.body = a.body.with("expiryDate", p.instant(days)) }
	}
	return []row{
		{order: order, condition: "expiryDate before inceptionDate", fault: end(-101),
			status: http.StatusBadRequest, words: words},
		{order: order, condition: "expiryDate at inceptionDate", fault: end(-100),
			status: http.StatusBadRequest, words: words},
		{order: order, condition: "no inceptionDate", fault: missing("inceptionDate"),
			status: http.StatusBadRequest, words: words},
		{order: order, condition: "no expiryDate", fault: missing("expiryDate"),
			status: http.StatusBadRequest, words: words},
	}
}

// bad returns a row whose response is 400.
func bad(order float64, condition string, fault func(*probe, *creation), words string) row {
	return row{order: order, condition: condition, fault: fault, status: http.StatusBadRequest, words: words}
}

// required returns a row without the member that its check reads: 400, and the problem lists the member as required.
func required(order float64, member string) row {
	return row{
		order: order, condition: member + " is missing", fault: missing(member), status: http.StatusBadRequest,
		required: member,
	}
}

// notFound returns a row whose response is 404.
func notFound(order float64, condition string, fault func(*probe, *creation), words string) row {
	return row{order: order, condition: condition, fault: fault, status: http.StatusNotFound, words: words}
}

// aboveZeroRows returns the rows of a required number that must be above 0, which is check 3 of each table that has
// such a check.
func aboveZeroRows(member, words string) []row {
	const order = 3
	return []row{
		bad(order, member+" is 0", set(member, 0), words),
		bad(order, member+" is below 0", set(member, -1), words),
		required(order, member),
	}
}

// enumerationRows returns the rows of a required member that has a value set, which is check 2 of each table that has
// such a check.
func enumerationRows(member, words string) []row {
	const order = 2
	return []row{
		bad(order, member+" not in the enumeration", set(member, unknownValue), words), required(order, member),
	}
}

// rowsOf joins groups of rows.
func rowsOf(groups ...[]row) []row {
	var all []row
	for _, group := range groups {
		all = append(all, group...)
	}
	return all
}

// errorTable is the errors table of the interface: for each endpoint its rows, in the order of the checks.
var errorTable = []endpoint{
	{"motorCoverage", rowsOf(
		unknownRow(1, "policyholderId", "vehicle", "policyholder not found"),
		unknownRow(2, "vehicleId", "driver", "vehicle not found"),
		[]row{
			bad(3, "driver missing", missing("driverId"), "driver licence expired or missing"),
			bad(3, "licence missing", refersTo("driverId", "driver", lacking("licence")),
				"driver licence expired or missing"),
			bad(3, "licence expired", refersTo("driverId", "driver", func(r record) record {
				return r.with("licence", record{"expiryDate": "2001-01-01"})
			}), "driver licence expired or missing"),
			bad(3, "licence without expiryDate", refersTo("driverId", "driver", func(r record) record {
				return r.with("licence", record{"licenceNumber": "1"})
			}), "driver licence expired or missing"),
			notFound(3, "driver does not exist", set("driverId", unknownIDs[0]), "driver not found"),
		},
		termRow(4),
		[]row{
			bad(5, "a peril is not in motorPeril", set("perils", []string{"fire", unknownValue}), "unknown peril code"),
			bad(5, "a peril is in capitals", set("perils", []string{"Fire"}), "unknown peril code"),
		},
	)},
	{"cyberLiabilityCoverage", rowsOf(
		unknownRow(1, "businessId", "vehicle", "business not found"),
		[]row{
			bad(2, "a scope category is not in cyberCoverageCategories", set("scope", []string{unknownValue}),
				"unknown category"),
		},
		aboveZeroRows("indemnityLimitPolicy", "invalid indemnity limit"),
		termRow(4),
		unknownRow(4.5, "policyholderId", "vehicle", "policyholder not found"),
	)},
	{"receipt", rowsOf(
		[]row{bad(1, "neither policyNumber nor claimNumber", missing("policyNumber"), "reference required")},
		enumerationRows("receiptType", "unknown receipt type"),
		aboveZeroRows("paymentAmount", "invalid payment amount"),
		[]row{
			notFound(3.5, "policyNumber names nothing", set("policyNumber", "POL-NONE"), "policy not found"),
			notFound(3.5, "claimNumber names nothing", set("claimNumber", "CLM-NONE"), "claim not found"),
			bad(3.5, "claimNumber names a claim against another policy", func(p *probe, a *creation) {
				claim := p.create("claim", p.loss("motorCoverage", p.policy("motorCoverage", 265), -2))
				a.body = a.body.with("claimNumber", claim["claimNumber"])
			}, ""),
			{order: 4, condition: "Idempotency-Key seen", fault: keySeen("receipt"), status: http.StatusOK,
				judge: replayed},
		},
	)},
	{"travelCoverage", rowsOf(
		[]row{
			bad(1, "isGroup false with several travellerIds", severalTravellers(false), "group flag required"),
			bad(1, "isGroup absent with several travellerIds", severalTravellers(nil), "group flag required"),
			bad(2, "destination is no country", set("destination", 999), "invalid destination"),
			required(2, "destination"),
			bad(3, "length is 0", set("length", 0), "length out of range for policy type"),
			bad(3, "length is below 0", set("length", -1), "length out of range for policy type"),
			notFound(3.5, "a traveller does not exist", set("travellerIds", []string{unknownIDs[0]}),
				"traveller not found"),
			required(3.5, "travellerIds"),
		},
		unknownRow(3.5, "policyholderId", "vehicle", "policyholder not found"),
	)},
	{"propertyCoverage", rowsOf(
		unknownRow(1, "propertyId", "vehicle", "property not found"),
		[]row{
			bad(2, "propertyType of the property is not set",
				refersTo("propertyId", "property", lacking("propertyType")), "unknown propertyType"),
			bad(3, "a peril is not in propertyPeril", set("perils", []string{"Fire", unknownValue}), "unknown peril"),
		},
		termRow(4),
		unknownRow(4.5, "policyholderId", "vehicle", "policyholder not found"),
	)},
	{"claim", []row{
		notFound(0.5, "policyNumber names nothing", set("policyNumber", "POL-NONE"), "policy not found"),
		required(0.5, "policyNumber"),
		{order: 1, condition: "policy not in force at lossDate", fault: lossOn(-101), status: http.StatusConflict,
			words: "policy not in force at lossDate"},
		required(1, "lossDate"),
		{order: 2, condition: "lossCause not in the coverage's perils", fault: set("lossCause", "war"),
			status: http.StatusUnprocessableEntity, words: "peril not covered"},
		{order: 2, condition: "lossCause is missing", fault: missing("lossCause"),
			status: http.StatusUnprocessableEntity, words: "peril not covered"},
		bad(3, "claimType not in the enumeration", set("claimType", unknownValue), "unknown claim type"),
		required(3, "claimType"),
		{order: 4, condition: "fnol long after lossDate", fault: func(p *probe, a *creation) {
			a.body = a.body.with("lossDate", p.instant(-99), "fnol", p.instant(-1))
		}, status: http.StatusCreated},
	}},
	{"tradeCreditCoverage", rowsOf(
		unknownRow(1, "debtorId", "vehicle", "debtor not found"),
		enumerationRows("tradeCreditType", "unknown trade credit type"),
		aboveZeroRows("creditLimit", "invalid credit limit"),
		[]row{bad(4, "a peril is not in tradeCreditPeril", set("perils", []string{"fire"}), "unknown peril")},
		unknownRow(4.5, "policyholderId", "vehicle", "policyholder not found"),
	)},
	{"businessInterruptionCoverage", rowsOf(
		unknownRow(1, "propertyRef", "vehicle", "underlying property not found")[:3],
		[]row{bad(1, "propertyRef is missing", missing("propertyRef"), "")},
		enumerationRows("type", "unknown BI type"),
		aboveZeroRows("IndemnityPeriod", "invalid indemnity period"),
		[]row{
			bad(4, "a peril is not in propertyPeril", set("perils", []string{"fire"}), "unknown peril"),
			notFound(4.5, "policyholderId, though not required, names nothing", set("policyholderId", unknownIDs[0]),
				"policyholder not found"),
		},
	)},
	{"petCoverage", rowsOf(
		unknownRow(1, "petId", "vehicle", "pet not found"),
		[]row{
			bad(2, "petKind of the pet is not set", refersTo("petId", "pet", lacking("petKind")), "unknown petKind"),
			{order: 3, condition: "petKind is dog and petBreed is not set",
				unreachable: "POST and PUT /pet refuse a dog without petBreed, which another rule tries"},
			bad(4, "a benefit is not in petBenefits", set("benefits", []string{unknownValue}), "unknown benefit"),
		},
		unknownRow(4.5, "policyholderId", "vehicle", "policyholder not found"),
	)},
	{"personal", []row{
		{order: 1, condition: "invalid scope", fault: func(_ *probe, a *creation) {
			a.headers = append(a.headers, "Authorization", "Bearer none")
		}, status: http.StatusUnauthorized},
		bad(2, "required fields missing", missing("lastName"), "required fields missing"),
		required(2, "firstName"), required(2, "dob"), required(2, "address"), required(2, "idType"),
		required(2, "idNumber"),
		{order: 3, condition: "idType and idNumber exist", fault: identityTaken, status: http.StatusConflict,
			judge: existingID},
		// Rows 3 and 4 belong together: for the party that the same key created the response is a replay, not a
		// conflict.
		{order: 3, condition: "Idempotency-Key seen", fault: keySeen("personal"), status: http.StatusOK,
			judge: replayed},
		{order: 5, condition: "persistence fails", unreachable: "a caller cannot make persistence fail"},
	}},
	{"product", []row{
		bad(1, "lineOfBusiness is 0", set("lineOfBusiness", 0), "unknown productCatalog code"),
		bad(1, "lineOfBusiness is 66", set("lineOfBusiness", 66), "unknown productCatalog code"),
		required(1, "lineOfBusiness"),
		notFound(2, "wordingId names nothing", set("wording", unknownIDs[0]), "policy wording not found"),
		notFound(2, "wordingId is no UUID", set("wording", "3.1"), "policy wording not found"),
		bad(2, "wordingId is missing", missing("wording"), ""),
		bad(3, "currency not in the enumeration", set("currency", "GBp"), "unsupported currency"),
		bad(3, "currency in small letters", set("currency", "gbp"), "unsupported currency"),
		required(3, "currency"),
		{order: 4, condition: "Idempotency-Key seen", fault: keySeen("product"), status: http.StatusOK,
			judge: replayed},
	}},
}
