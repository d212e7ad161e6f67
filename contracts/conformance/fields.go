package conformance

import (
	"fmt"
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
