package records

import (
	"bytes"
	"fmt"
	"strconv"
	"sync/atomic"
)

// The bodies of creates. What is in braces without a quote is filled in for each request.
const (
	personBody = `{"firstName":"Ada","lastName":"Example","dob":"1990-12-10",` +
		`"idType":"passport","idNumber":"X{serial}",` +
		`"address":{"city":"London","country":"GB"}}`
	driverBody = `{"name":"Ada Example","dob":"1990-12-10",` +
		`"licence":{"licenceNumber":"L 12345","expiryDate":"2090-01-01"}}`
	vehicleBody = `{"plateNumber":"EX {serial}","vin":"WVWZZZ1J{serial}","chassisNumber":"CH{serial}",` +
		`"registration":{"country":"DE","firstRegistered":"2024-05-02"},"performance":{"powerKW":96,"fuel":"petrol"},` +
		`"physical":{"make":"Volkswagen","model":"Golf","doors":5,"colour":"blue"}}`
	propertyBody = `{"address":{"street":"1 Example Road","city":"Leeds","postCode":"LS1 1AA","country":"GB"},` +
		`"latitude":"53.8","longitude":"-1.55",` +
		`"propertyType":"Farm","sumInsuredBuilding":250000,"sumInsuredContent":40000,"wall":"Brick","roof":"Slate"}`
	policyBody = `{"policyholderId":"{policyholder}","vehicleId":"{vehicle}","driverId":"{driver}",` +
		`"perils":["fire","theft","hail"],"premium":420.50,"indemnityLimitPolicy":50000,` +
		`"inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2090-01-01T00:00:00Z"}`
	claimBody = `{"policyNumber":"{policyNumber}","fnol":"2026-03-02T09:00:00Z","lossDate":"2026-03-01T12:00:00Z",` +
		`"claimType":"own property damage","location":"Hamburg","lossCause":"hail",` +
		`"description":"Dents all over the roof."}`
	receiptBody = `{"receiptType":"new policy","policyNumber":"{policyNumber}","paymentAmount":{amount},` +
		`"premiumPaymentMethod":"credit card"}`
)

// fill returns a body with a place filled in.
func fill(body []byte, place, value string) []byte {
	return bytes.ReplaceAll(body, []byte(place), []byte(value))
}

// serials counts the people and the vehicles of a run. Each has a number of its own.
var serials atomic.Int64

// NewPerson returns the body of a person with an identity document of its own.
func NewPerson() []byte {
	return fill([]byte(personBody), "{serial}", strconv.FormatInt(serials.Add(1), 10))
}

// NewDriver returns the body of a driver.
func NewDriver() []byte { return []byte(driverBody) }

// NewVehicle returns the body of a vehicle that has numbers of its own.
func NewVehicle() []byte {
	return fill([]byte(vehicleBody), "{serial}", fmt.Sprintf("%09d", serials.Add(1)))
}

// NewProperty returns the body of a property.
func NewProperty() []byte { return []byte(propertyBody) }

// NewPolicy returns the body of a motor policy of records with these ids.
func NewPolicy(policyholder, vehicle, driver string) []byte {
	body := fill([]byte(policyBody), "{policyholder}", policyholder)
	return fill(fill(body, "{vehicle}", vehicle), "{driver}", driver)
}

// NewClaim returns the body of a claim on a policy.
func NewClaim(policyNumber string) []byte {
	return fill([]byte(claimBody), "{policyNumber}", policyNumber)
}

// ReceiptAmount is the amount of every receipt.
const ReceiptAmount = 420

var receiptTemplate = fill([]byte(receiptBody), "{amount}", strconv.Itoa(ReceiptAmount))

// NewReceipt returns the body of a receipt of a policy.
func NewReceipt(policyNumber string) []byte {
	return fill(receiptTemplate, "{policyNumber}", policyNumber)
}
