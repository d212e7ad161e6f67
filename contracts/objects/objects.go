// Package objects holds what is insured or covered: the subject-matter that a coverage record refers to.
package objects

import (
	"github.com/go-json-experiment/json/jsontext"

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
