// Package objects holds the records that a coverage record refers to: its subject-matter.
//
// What is insured or covered: the subject-matter that a coverage record refers to.
package objects

import (
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/parties"
	"insurance.example/exchange/contracts/scalar"
)

// Vehicle is the record of the resource vehicle.
//
// A vehicle that a motor policy insures.
type Vehicle struct {
	scalar.Record
	// The number on the plate.
	PlateNumber *string `json:"plateNumber,omitzero" identity:""`
	// The vehicle identification number.
	VIN *string `json:"vin,omitzero" identity:""`
	// The number of the chassis.
	ChassisNumber *string `json:"chassisNumber,omitzero"`
	// The registration. The interface does not show its members; it is kept and returned as sent.
	Registration scalar.JSON `json:"registration,omitzero"`
	// The physical features. The interface does not show its members; it is kept and returned as sent.
	Physical scalar.JSON `json:"physical,omitzero"`
	// The performance. The interface does not show its members; it is kept and returned as sent.
	Performance scalar.JSON `json:"performance,omitzero"`
	// The condition. The interface does not show its members; it is kept and returned as sent.
	Condition scalar.JSON `json:"condition,omitzero"`
}

// DrivingLicence is the licence of a driver, with the members that OPIN publishes.
//
// The licence of a driver. The interface does not show its members; these are the ones of the OPIN standard.
type DrivingLicence struct {
	// The number of the licence.
	LicenceNumber *string `json:"licenceNumber,omitzero"`
	// The day of issue.
	IssueDate scalar.Date `json:"issueDate,omitzero"`
	// The last day on which the licence is valid. A motor policy needs a licence that has it and has not expired.
	ExpiryDate scalar.Date `json:"expiryDate,omitzero"`
	// The country that issued the licence, as sent.
	Country *string `json:"country,omitzero"`
	// The category of the licence, kept and returned as sent.
	LicenceCategory scalar.JSON `json:"licenceCategory,omitzero"`
	// The codes on the licence, kept and returned as sent.
	LicenceCodes scalar.JSON `json:"licenceCodes,omitzero"`
	// Extensions are the members that the interface does not name.
	Extensions jsontext.Value `json:",embed"`
}

// Driver is the record of the resource driver.
//
// A person whom a motor policy covers.
type Driver struct {
	scalar.Record
	// The name of the person.
	Name *string `json:"name,omitzero"`
	// The day of birth.
	DriverDOB scalar.Date `json:"driverDOB,omitzero"`
	// The licence to drive.
	Licence *DrivingLicence `json:"licence,omitzero"`
	// The convictions. The interface does not show their members; each is kept and returned as sent.
	Convictions []scalar.JSON `json:"convictions,omitzero"`
	// Whether this is the primary driver.
	IsPrimaryDriver *bool `json:"isPrimaryDriver,omitzero"`
}

// Business is the record of the resource business.
//
// A business that a cyber liability policy covers.
type Business struct {
	scalar.Record
	// The sector of the business, in words.
	BusinessSector *string `json:"businessSector,omitzero"`
	// The data that the business holds. The interface does not show the members; each is kept and returned as sent.
	DataAssets []scalar.JSON `json:"dataAssets,omitzero"`
	// Whether the business shares data.
	DataSharing *bool `json:"dataSharing,omitzero"`
	// The turnover of a year. The interface does not say its currency or unit.
	GrossAnnualTurnover scalar.Decimal `json:"grossAnnualTurnover,omitzero" amount:""`
	// The number of employees, which may be a fraction.
	NumberOfEmployees scalar.Decimal `json:"numberOfEmployees,omitzero"`
	// The number of IT staff, which may be a fraction.
	ITStaff scalar.Decimal `json:"itStaff,omitzero"`
}

// Property is the record of the resource property.
//
// A building and its content: insured by a property policy, or the premises of a business interruption policy.
type Property struct {
	scalar.Record
	// Where the property is.
	Address *parties.Address `json:"address,omitzero"`
	// The latitude, as text. The interface does not say its notation.
	Latitude *string `json:"latitude,omitzero"`
	// The longitude, as text. The interface does not say its notation.
	Longitude *string `json:"longitude,omitzero"`
	// The type of property. A property policy needs it.
	PropertyType *string `json:"propertyType,omitzero" set:"PropertyType"`
	// The sum for which the building is insured. The interface does not say its currency or unit.
	SumInsuredBuilding *scalar.Int `json:"sumInsuredBuilding,omitzero" amount:""`
	// The sum for which the content is insured. The interface does not say its currency or unit.
	SumInsuredContent *scalar.Int `json:"sumInsuredContent,omitzero" amount:""`
	// The construction of the walls.
	Wall *string `json:"wall,omitzero" set:"WallConstruction"`
	// The construction of the roof.
	Roof *string `json:"roof,omitzero" set:"RoofConstruction"`
}

// Traveller is the record of the resource traveller.
//
// A person whom a travel policy covers.
type Traveller struct {
	scalar.Record
	// The first name.
	FirstName *string `json:"firstName,omitzero"`
	// The last name.
	LastName *string `json:"lastName,omitzero"`
	// The country of the nationality, as its ISO 3166-1 alpha-2 code.
	Nationality *string `json:"nationality,omitzero" set:"Country"`
	// The day of birth.
	DOB scalar.Date `json:"dob,omitzero"`
	// The kind of identity document.
	IDType *string `json:"idType,omitzero" set:"IdType"`
}

// Debtor is the record of the resource debtor.
//
// The buyer whose payment a trade credit policy covers.
type Debtor struct {
	scalar.Record
	// The name of the buyer.
	Name *string `json:"name,omitzero"`
	// The company that owns the buyer in the end.
	UltimateParentCompany *string `json:"ultimateParentCompany,omitzero"`
	// The legal form.
	LegalForm *string `json:"legalForm,omitzero" set:"LegalEntity"`
	// The net assets. The interface does not say their currency or unit.
	NetAssets *scalar.Int `json:"netAssets,omitzero" amount:""`
	// The turnover of a year. The interface does not say its currency or unit.
	AnnualizedTurnover *scalar.Int `json:"annualizedTurnover,omitzero" amount:""`
	// The credit rating. The interface does not say by which scale.
	CreditRating *string `json:"creditRating,omitzero"`
	// The number under which the buyer is registered.
	RegistrationNumber *string `json:"registrationNumber,omitzero" identity:""`
	// The financial figures. The interface does not show their members; they are kept and returned as sent.
	Financials scalar.JSON `json:"financials,omitzero"`
}

// Dog is the petKind that needs a breed.
const Dog = "dog"

// Pet is the record of the resource pet.
//
// A pet that a pet policy covers.
type Pet struct {
	scalar.Record
	// The name of the pet.
	PetName *string `json:"petName,omitzero"`
	// The kind of animal. A pet policy needs it.
	PetKind *string `json:"petKind,omitzero" set:"PetKind"`
	// The age. The interface does not say its unit.
	Age scalar.Decimal `json:"age,omitzero"`
	// Whether the pet is of pure breed.
	Purebred *bool `json:"purebred,omitzero"`
	// The breed. It is required of a dog, and then one of the published breeds of dogs. The breed of another
	// pet is any text.
	PetBreed *string `json:"petBreed,omitzero" suggests:"PetBreed"`
	// The reimbursement. The interface does not say whether it is an amount or a share.
	Reimbursement scalar.Decimal `json:"reimbursement,omitzero"`
}
