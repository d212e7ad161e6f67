package records

import (
	"bytes"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"
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
		`"inceptionDate":"{inception}T00:00:00Z","expiryDate":"{expiry}T00:00:00Z"}`
	claimBody = `{"policyNumber":"{policyNumber}","fnol":"{fnol}","lossDate":"{loss}",` +
		`"claimType":"own property damage","location":"Hamburg","lossCause":"hail",` +
		`"description":"Dents all over the roof."}`
	businessBody = `{"businessSector":"{sector}","grossAnnualTurnover":1250000.5,"numberOfEmployees":12,` +
		`"dataSharing":false}`
	receiptBody = `{"receiptType":"new policy","policyNumber":"{policyNumber}","paymentAmount":{amount},` +
		`"premiumPaymentMethod":"credit card"}`
)

// fill returns a body with a place filled in.
func fill(body []byte, place, value string) []byte {
	return bytes.ReplaceAll(body, []byte(place), []byte(value))
}

// serials counts the people, vehicles, policies and claims of a run. Each has a number of its own.
var serials atomic.Int64

// mixed returns the next number of so many, in an order in which none follows from the one before: what callers send is
// not in order of creation, and an index costs more for it.
func mixed(many int64) int64 { return serials.Add(1) * 982_451_653 % many }

// The times of policies and claims. Each claim is within the term of each policy.
var (
	firstInception = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	firstExpiry    = time.Date(2090, time.January, 1, 0, 0, 0, 0, time.UTC)
	firstLoss      = time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)
)

const (
	inceptionDays = 60
	lossHours     = 30 * 24
	sectors       = 20
)

// NewPerson returns the body of a person with an identity document of its own.
func NewPerson() []byte {
	return fill([]byte(personBody), "{serial}", strconv.FormatInt(serials.Add(1), 10))
}

// NewDriver returns the body of a driver.
func NewDriver() []byte { return []byte(driverBody) }

// NewVehicle returns the body of a vehicle that has numbers of its own.
func NewVehicle() []byte {
	return fill([]byte(vehicleBody), "{serial}", fmt.Sprintf("%09d", mixed(1_000_000_000)))
}

// NewProperty returns the body of a property.
func NewProperty() []byte { return []byte(propertyBody) }

// NewPolicy returns the body of a motor policy of records with these ids. Its term begins on a day of two months.
func NewPolicy(policyholder, vehicle, driver string) []byte {
	body, days := fill([]byte(policyBody), "{policyholder}", policyholder), int(mixed(inceptionDays))
	body = fill(body, "{inception}", firstInception.AddDate(0, 0, days).Format(time.DateOnly))
	body = fill(body, "{expiry}", firstExpiry.AddDate(0, 0, days).Format(time.DateOnly))
	return fill(fill(body, "{vehicle}", vehicle), "{driver}", driver)
}

// NewClaim returns the body of a claim on a policy, for a loss in an hour of the month before its notification. Each is
// notified later than the one before.
func NewClaim(policyNumber string) []byte {
	notified := firstLoss.Add(lossHours*time.Hour + time.Duration(serials.Add(1))*time.Second)
	loss := notified.Add(-time.Duration(mixed(lossHours)) * time.Hour)
	body := fill([]byte(claimBody), "{policyNumber}", policyNumber)
	return fill(fill(body, "{loss}", loss.Format(time.RFC3339)), "{fnol}", notified.Format(time.RFC3339))
}

// NewBusiness returns the body of a business of one of a few sectors.
func NewBusiness() []byte {
	return fill([]byte(businessBody), "{sector}", fmt.Sprint("sector ", mixed(sectors)))
}

// ReceiptAmount is the amount of every receipt.
const ReceiptAmount = 420

var receiptTemplate = fill([]byte(receiptBody), "{amount}", strconv.Itoa(ReceiptAmount))

// NewReceipt returns the body of a receipt of a policy.
func NewReceipt(policyNumber string) []byte {
	return fill(receiptTemplate, "{policyNumber}", policyNumber)
}
