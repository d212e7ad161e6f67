package conformance

import (
	"encoding/json"
	"strings"
)

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
