package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// The bodies of creates. What is in braces without a quote is filled in for each request.
const (
	personBody = `{"firstName":"Ada","lastName":"Example","dob":"1990-12-10","idType":"passport",` +
		`"idNumber":"X{serial}","address":{"city":"London","country":"GB"}}`
	driverBody = `{"name":"Ada Example","dob":"1990-12-10",` +
		`"licence":{"licenceNumber":"L 12345","expiryDate":"2090-01-01"}}`
	vehicleBody = `{"plateNumber":"EX {serial}","vin":"WVWZZZ1J{serial}","chassisNumber":"CH{serial}",` +
		`"registration":{"country":"DE","firstRegistered":"2024-05-02"},"performance":{"powerKW":96,"fuel":"petrol"},` +
		`"physical":{"make":"Volkswagen","model":"Golf","doors":5,"colour":"blue"}}`
	policyBody = `{"policyholderId":"{policyholder}","vehicleId":"{vehicle}","driverId":"{driver}",` +
		`"perils":["fire","theft","hail"],"premium":420.50,"indemnityLimitPolicy":50000,` +
		`"inceptionDate":"{inception}T00:00:00Z","expiryDate":"{expiry}T00:00:00Z"}`
	claimBody = `{"policyNumber":"{policy}","fnol":"{fnol}","lossDate":"{loss}","claimType":"own property damage",` +
		`"location":"Hamburg","lossCause":"hail","description":"Dents all over the roof."}`
	receiptBody = `{"receiptType":"new policy","policyNumber":"{policy}","paymentAmount":420,` +
		`"premiumPaymentMethod":"credit card"}`
	receiptAmount = 420
)

// serials counts the records of a run that have a number of their own.
var serials atomic.Int64

// mixed returns the next number of so many, in an order in which none follows from the one before: what callers
// send is not in order of creation, and an index costs more for it.
func mixed(many int64) int64 { return serials.Add(1) * 982_451_653 % many }

// filled returns a body with its places filled in: names and values in turn.
func filled(body string, with ...string) []byte {
	return []byte(strings.NewReplacer(with...).Replace(body))
}

func newVehicle() []byte {
	return filled(vehicleBody, "{serial}", fmt.Sprintf("%09d", mixed(1_000_000_000)))
}

// newPolicy returns a policy whose term begins on a day of two months.
func newPolicy(k *book, vehicle string) []byte {
	days := int(mixed(60))
	return filled(policyBody, "{policyholder}", k.holder, "{vehicle}", vehicle, "{driver}", k.driver,
		"{inception}", time.Date(2026, time.January, 1+days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
		"{expiry}", time.Date(2090, time.January, 1+days, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
}

// newClaim returns a claim for a loss in an hour of the month before its notification. Each is notified later than
// the one before, and within the term of each policy.
func newClaim(policy string) []byte {
	const hours = 30 * 24
	notified := time.Date(2026, time.April, 1, 0, 0, int(serials.Add(1)), 0, time.UTC)
	loss := notified.Add(-time.Duration(mixed(hours)) * time.Hour)
	return filled(claimBody, "{policy}", policy, "{loss}", loss.Format(time.RFC3339), "{fnol}",
		notified.Format(time.RFC3339))
}

func newReceipt(policy string) []byte { return filled(receiptBody, "{policy}", policy) }

// book has the records that the requests are about.
type book struct {
	vehicles, policies []string // ids, and policy numbers
	pages              []string // queries of lists of 50 vehicles
	holder, driver     string   // ids of those of all policies
	policyID           string   // of the first policy
}

// writeBook creates a book of that many policies. Each has a vehicle of its own and one claim.
func writeBook(tb testing.TB, s *side, policies int) *book {
	tb.Helper()
	var holder, driver struct{ ID string }
	person := filled(personBody, "{serial}", strconv.FormatInt(serials.Add(1), 10))
	if err := errors.Join(s.create("personal", person, &holder),
		s.create("driver", []byte(driverBody), &driver)); err != nil {
		tb.Fatal(err)
	}
	k := &book{vehicles: make([]string, policies), policies: make([]string, policies), pages: []string{"limit=50"},
		holder: holder.ID, driver: driver.ID}
	var creates errgroup.Group
	creates.SetLimit(callers)
	for i := range policies {
		creates.Go(func() error {
			var vehicle, policy struct{ ID, PolicyNumber string }
			if err := s.create("vehicle", newVehicle(), &vehicle); err != nil {
				return err
			}
			if err := s.create("motorCoverage", newPolicy(k, vehicle.ID), &policy); err != nil {
				return err
			}
			k.vehicles[i], k.policies[i] = vehicle.ID, policy.PolicyNumber
			if i == 0 {
				k.policyID = policy.ID
			}
			return s.create("claim", newClaim(policy.PolicyNumber), nil)
		})
	}
	if err := creates.Wait(); err != nil {
		tb.Fatal(err)
	}
	return k
}

// create makes a record, and reads it into a value unless that is nil.
func (s *side) create(resource string, body []byte, into any) error {
	response, text, err := s.send(http.MethodPost, "/"+resource, body)
	if err == nil && response.StatusCode != http.StatusCreated {
		err = fmt.Errorf("POST /%s: status %d: %s", resource, response.StatusCode, text)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	return err
}

// idIn returns the id of a record that a response has in its Location.
func idIn(h http.Header) string { return path.Base(h.Get("Location")) }
