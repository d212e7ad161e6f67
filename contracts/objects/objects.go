// Package objects holds what is insured or covered: the subject-matter that a coverage record refers to.
package objects

import (
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/address"
	"insurance.example/exchange/contracts/scalar"
)

// Vehicle is a vehicle that a motor policy insures.
type Vehicle struct {
	scalar.Record
	PlateNumber   *string     `json:"plateNumber,omitzero"`
	VIN           *string     `json:"vin,omitzero"`
	ChassisNumber *string     `json:"chassisNumber,omitzero"`
	Registration  scalar.JSON `json:"registration,omitzero"`
	Physical      scalar.JSON `json:"physical,omitzero"`
	Performance   scalar.JSON `json:"performance,omitzero"`
	Condition     scalar.JSON `json:"condition,omitzero"`
}

// DrivingLicence has the members that OPIN publishes. A licence is expired when ExpiryDate is before today, UTC.
type DrivingLicence struct {
	LicenceNumber   *string        `json:"licenceNumber,omitzero"`
	IssueDate       scalar.Date    `json:"issueDate,omitzero"`
	ExpiryDate      scalar.Date    `json:"expiryDate,omitzero"`
	Country         *string        `json:"country,omitzero"`
	LicenceCategory scalar.JSON    `json:"licenceCategory,omitzero"`
	LicenceCodes    scalar.JSON    `json:"licenceCodes,omitzero"`
	Extensions      jsontext.Value `json:",embed"`
}

// Driver is a person whom a motor policy covers.
type Driver struct {
	scalar.Record
	Name            *string         `json:"name,omitzero"`
	DriverDOB       scalar.Date     `json:"driverDOB,omitzero"`
	Licence         *DrivingLicence `json:"licence,omitzero"`
	Convictions     []scalar.JSON   `json:"convictions,omitzero"`
	IsPrimaryDriver *bool           `json:"isPrimaryDriver,omitzero"`
}

// Business is what a cyber liability policy covers. Staff numbers are fractions where people work part-time.
type Business struct {
	scalar.Record
	BusinessSector      *string        `json:"businessSector,omitzero"`
	DataAssets          []scalar.JSON  `json:"dataAssets,omitzero"`
	DataSharing         *bool          `json:"dataSharing,omitzero"`
	GrossAnnualTurnover scalar.Decimal `json:"grossAnnualTurnover,omitzero"`
	NumberOfEmployees   scalar.Decimal `json:"numberOfEmployees,omitzero"`
	ITStaff             scalar.Decimal `json:"itStaff,omitzero"`
}

// Property is a building and its content, insured by a property policy or underlying a business interruption policy.
type Property struct {
	scalar.Record
	Address            *address.Address `json:"address,omitzero"`
	Latitude           *string          `json:"latitude,omitzero"`
	Longitude          *string          `json:"longitude,omitzero"`
	PropertyType       *string          `json:"propertyType,omitzero" set:"PropertyType"`
	SumInsuredBuilding *scalar.Int      `json:"sumInsuredBuilding,omitzero"`
	SumInsuredContent  *scalar.Int      `json:"sumInsuredContent,omitzero"`
	Wall               *string          `json:"wall,omitzero" set:"WallConstruction"`
	Roof               *string          `json:"roof,omitzero" set:"RoofConstruction"`
}

// Traveller is a person whom a travel policy covers. Nationality is an ISO 3166-1 alpha-2 code.
type Traveller struct {
	scalar.Record
	FirstName   *string     `json:"firstName,omitzero"`
	LastName    *string     `json:"lastName,omitzero"`
	Nationality *string     `json:"nationality,omitzero" set:"Country"`
	DOB         scalar.Date `json:"dob,omitzero"`
	IDType      *string     `json:"idType,omitzero" set:"IdType"`
}

// Debtor is the buyer whose payment a trade credit policy covers. UltimateParentCompany is sent as parentCompany on
// create.
type Debtor struct {
	scalar.Record
	Name                  *string     `json:"name,omitzero"`
	UltimateParentCompany *string     `json:"ultimateParentCompany,omitzero"`
	LegalForm             *string     `json:"legalForm,omitzero" set:"LegalEntity"`
	NetAssets             *scalar.Int `json:"netAssets,omitzero"`
	AnnualizedTurnover    *scalar.Int `json:"annualizedTurnover,omitzero"`
	CreditRating          *string     `json:"creditRating,omitzero"`
	RegistrationNumber    *string     `json:"registrationNumber,omitzero"`
	Financials            scalar.JSON `json:"financials,omitzero"`
}

// Dog is the petKind that needs a breed.
const Dog = "dog"

// Pet is what a pet policy covers. PetBreed is sent as breed on create, and required of a dog.
type Pet struct {
	scalar.Record
	PetName       *string        `json:"petName,omitzero"`
	PetKind       *string        `json:"petKind,omitzero" set:"PetKind"`
	Age           scalar.Decimal `json:"age,omitzero"`
	Purebred      *bool          `json:"purebred,omitzero"`
	PetBreed      *string        `json:"petBreed,omitzero" set:"PetBreed"`
	Reimbursement scalar.Decimal `json:"reimbursement,omitzero"`
}
