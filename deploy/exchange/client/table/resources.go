package table

import (
	"reflect"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/objects"
	"insurance.example/exchange/contracts/parties"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/products"
)

// records are the resources' records.
var records = map[string]reflect.Type{
	"personal":                     reflect.TypeFor[parties.Personal](),
	"commercial":                   reflect.TypeFor[parties.Commercial](),
	"insuranceEntity":              reflect.TypeFor[parties.InsuranceEntity](),
	"beneficiary":                  reflect.TypeFor[parties.Beneficiary](),
	"productCatalog":               reflect.TypeFor[products.CatalogEntry](),
	"policyWording":                reflect.TypeFor[products.PolicyWording](),
	"product":                      reflect.TypeFor[products.Product](),
	"vehicle":                      reflect.TypeFor[objects.Vehicle](),
	"driver":                       reflect.TypeFor[objects.Driver](),
	"business":                     reflect.TypeFor[objects.Business](),
	"traveller":                    reflect.TypeFor[objects.Traveller](),
	"property":                     reflect.TypeFor[objects.Property](),
	"debtor":                       reflect.TypeFor[objects.Debtor](),
	"pet":                          reflect.TypeFor[objects.Pet](),
	"motorCoverage":                reflect.TypeFor[coverage.Motor](),
	"cyberLiabilityCoverage":       reflect.TypeFor[coverage.CyberLiability](),
	"travelCoverage":               reflect.TypeFor[coverage.Travel](),
	"propertyCoverage":             reflect.TypeFor[coverage.Property](),
	"tradeCreditCoverage":          reflect.TypeFor[coverage.TradeCredit](),
	"businessInterruptionCoverage": reflect.TypeFor[coverage.BusinessInterruption](),
	"petCoverage":                  reflect.TypeFor[coverage.Pet](),
	"claim":                        reflect.TypeFor[claims.Claim](),
	"claimsBordereau":              reflect.TypeFor[claims.Bordereau](),
	"receipt":                      reflect.TypeFor[premium.Receipt](),
	"premiumBordereau":             reflect.TypeFor[premium.Bordereau](),
}

// payloadNames are the names by which create payloads know members (contracts/interface.md, a resource's other names), and the
// members.
var payloadNames = map[string]map[string]string{
	"motorCoverage": {"premium": "grossWrittenPremium"},
	"propertyCoverage": {
		"deductibles.deductibleAmountBuilding": "deductibleAmountBuilding",
		"deductibles.deductibleAmountContent":  "deductibleAmountContent",
	},
	"businessInterruptionCoverage": {"propertyId": "propertyRef"},
	"driver":                       {"dob": "driverDOB"},
	"debtor":                       {"parentCompany": "ultimateParentCompany"},
	"pet":                          {"breed": "petBreed"},
	"product":                      {"wordingId": "wording"},
}
