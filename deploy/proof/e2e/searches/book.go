package searches

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// together is the name under which the policies of all lines are searched.
const together = "coverage"

// lines are the resources of policies, and numbered the resources whose records have a number.
var (
	lines = []string{"motorCoverage", "cyberLiabilityCoverage", "travelCoverage", "propertyCoverage",
		"tradeCreditCoverage", "businessInterruptionCoverage", "petCoverage"}
	numbered = map[string][]string{"policyNumber": lines, "claimNumber": {"claim"}}
)

// writer makes records.
type writer struct {
	t      *testing.T
	c      *trial.Client
	random *rand.Rand
	all    map[string][]string // the paths of the records of each resource
}

// write makes random records of all resources that can be searched, changes some of them, and returns them all as they
// are read then, each resource in order of creation. There are that many policies.
func write(t *testing.T, c *trial.Client, random *rand.Rand, policies int) map[string][]trial.Record {
	t.Helper()
	w := &writer{t, c, random, map[string][]string{}}
	for range policies/2 + 1 {
		w.object("personal", w.person())
		w.object("commercial", w.company("registeredAddress"))
		w.object("insuranceEntity", w.some(w.company("address"), trial.Record{
			"tradeName": w.pick(names), "type": w.pick([]string{"insurance company", "reinsurance company"}),
		}))
		w.object("vehicle", w.some(trial.Record{"chassisNumber": "C"}, trial.Record{
			"plateNumber": w.pick(names), "vin": fmt.Sprint("É", w.random.IntN(9)),
		}))
		w.object("property", trial.Record{"propertyType": "Farm"})
		w.object("traveller", trial.Record{"firstName": w.pick(names)})
		w.object("pet", trial.Record{"petKind": "cat"})
		w.object("business", trial.Record{"businessSector": w.pick(names)})
		w.object("debtor", trial.Record{"name": w.pick(names)})
		w.object("driver", trial.Record{"name": "A", "dob": "1990-01-01",
			"licence": trial.Record{"licenceNumber": "L", "expiryDate": "2099-12-31"}})
	}
	for range policies {
		w.policy()
	}
	return w.read()
}

// names differ in case, in the form of Unicode, and in how long they are alike.
var names = []string{
	"Strasse", "straße 2", "STRASSE 3", "Ångström", "A\u030angström & Co", "Åbo", "Example", "Example Ltd",
	"example mutual", "Exa", "Ελλάς", "ΕΛΛΆΔΑ",
}

func (w *writer) pick(of []string) string { return of[w.random.IntN(len(of))] }

// some returns a record with some of the members of another one.
func (w *writer) some(record, of trial.Record) trial.Record {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if w.random.IntN(4) > 0 {
			record[name] = of[name]
		}
	}
	return record
}

// object makes a record and notes where it is.
func (w *writer) object(resource string, body trial.Record) trial.Record {
	body["externalReference"] = fmt.Sprint("Own é ", len(w.all[resource]))
	w.t.Helper()
	got := w.c.Create(w.t, resource, body)
	w.all[resource] = append(w.all[resource], "/"+resource+"/"+got.Text("id"))
	return got
}

// one returns the id of a record of a resource.
func (w *writer) one(resource string) string {
	path := w.pick(w.all[resource])
	return path[strings.LastIndex(path, "/")+1:]
}

func (w *writer) person() trial.Record {
	return trial.Record{
		"firstName": w.pick(names), "lastName": w.pick(names), "dob": w.day(-12000, 60),
		"idType": w.pick([]string{"passport", "national id"}), "idNumber": fmt.Sprint("É", len(w.all["personal"])),
		"address": trial.Record{"city": "Leeds", "country": w.pick([]string{"GB", "DE"})},
	}
}

func (w *writer) company(address string) trial.Record {
	return w.some(trial.Record{"name": w.pick(names)}, trial.Record{
		"registrationNumber": fmt.Sprint("R", w.random.IntN(9)),
		address:              trial.Record{"country": w.pick([]string{"GB", "DE"})},
	})
}

// start is the instant that days are counted from: the middle of a month, which some days from it are not in.
var start = time.Date(2026, time.March, 15, 9, 30, 0, 0, time.UTC)

// day returns a day, some days and up to more from the start.
func (w *writer) day(from, more int) string {
	return start.AddDate(0, 0, from+w.random.IntN(more)).Format(time.DateOnly)
}

// instant returns an instant of such a day.
func (w *writer) instant(from, more int) string {
	at := start.AddDate(0, 0, from+w.random.IntN(more)).Truncate(24 * time.Hour)
	switch w.random.IntN(4) {
	case 0:
	case 1:
		at = at.Add(-1)
	case 2:
		at = at.Add(500 * time.Millisecond)
	default:
		at = at.Add(time.Duration(w.random.IntN(86_400)) * time.Second)
	}
	return at.Format(time.RFC3339Nano)
}

// policy makes a policy of some line, and with it, or not, a renewal, a cancellation, claims and receipts.
func (w *writer) policy() {
	holders := []string{"personal", "commercial", "insuranceEntity"}
	body := trial.Record{
		"inceptionDate": w.instant(-60, 50), "expiryDate": w.instant(300, 60), "policyholderId": w.one(w.pick(holders)),
	}
	limit := 1000 + 10*w.random.IntN(9)
	line := lines[w.random.IntN(len(lines))]
	switch line {
	case "motorCoverage":
		body["vehicleId"], body["driverId"] = w.one("vehicle"), w.one("driver")
		body["perils"], body["premium"], body["indemnityLimitPolicy"] = []string{"hail"}, w.amount(), limit
	case "cyberLiabilityCoverage":
		body["businessId"], body["indemnityLimitPolicy"] = w.one("business"), limit
	case "travelCoverage":
		body["travellerIds"], body["isGroup"] = []string{w.one("traveller"), w.one("traveller")}, true
		body["destination"], body["emergencyMedical"], body["tripCancellation"] = 250, w.amount(), w.amount()
	case "propertyCoverage":
		body["indemnityLimitPolicy"] = limit
		if w.random.IntN(2) == 0 {
			body["propertyId"] = w.one("property")
		} else {
			body["propertyIds"] = []string{w.one("property"), w.one("property")}
		}
	case "tradeCreditCoverage":
		body["debtorId"], body["tradeCreditType"], body["creditLimit"] = w.one("debtor"), "Single Buyer", limit
	case "businessInterruptionCoverage":
		body["propertyId"], body["grossAnnualProfit"], body["icwLimit"] = w.one("property"), limit, limit
		body["contingencyLossLimit"], body["IndemnityPeriod"], body["type"] = limit, 12, "Business Interruption"
	case "petCoverage":
		body["petId"], body["annualReimbursementLimit"] = w.one("pet"), limit
	}
	got := w.object(line, body)
	path := "/" + line + "/" + got.Text("id")
	if line == "motorCoverage" {
		for range 1 + w.random.IntN(2) {
			w.claim(got.Text("policyNumber"))
		}
	}
	switch w.random.IntN(4) {
	case 0:
		w.c.Post(w.t, path+":cancel", trial.Record{}).Want(w.t, http.StatusOK)
	case 1:
		if line == "motorCoverage" {
			renewed := w.c.Post(w.t, path+":renew", trial.Record{}).Want(w.t, http.StatusCreated).Record(w.t)
			w.all[line] = append(w.all[line], "/"+line+"/"+renewed.Text("id"))
		}
	}
	w.receipt(trial.Record{"policyNumber": got.Text("policyNumber")})
}

// amount returns an amount of one of several forms.
func (w *writer) amount() any {
	return []any{10, 20, 20.5, 1e2, 99.99}[w.random.IntN(5)]
}

// claim makes a claim on a policy. At random it also changes it, settles it, and makes a receipt.
func (w *writer) claim(policyNumber string) {
	got := w.object("claim", w.some(trial.Record{
		"policyNumber": policyNumber, "lossDate": w.instant(0, 100),
		"claimType": w.pick([]string{"other", "own property damage"}), "lossCause": "hail",
	}, trial.Record{"fnol": w.instant(100, 30), "reserve": 100 * w.random.IntN(9)}))
	path := "/claim/" + got.Text("id")
	switch w.random.IntN(3) {
	case 0:
		w.c.Put(w.t, path, trial.Record{"reserve": 100 * w.random.IntN(9)}).Want(w.t, http.StatusOK)
	case 1:
		paid := trial.Record{"paymentAmount": 5, "paymentMethod": "cash"}
		w.c.Post(w.t, path+":settle", paid).Want(w.t, http.StatusOK)
		w.receipt(trial.Record{"claimNumber": got.Text("claimNumber")})
	}
}

// receipt makes a receipt, and with it, or not, its refund.
func (w *writer) receipt(body trial.Record) {
	body["receiptType"] = w.pick([]string{"new policy", "policy renewal", "other"})
	body["paymentAmount"] = 10 * (1 + w.random.IntN(9))
	got := w.object("receipt", w.some(body, trial.Record{"receiptDate": w.day(0, 60)}))
	if w.random.IntN(4) == 0 {
		refund := w.c.Post(w.t, "/receipt/"+got.Text("id")+":refund", trial.Record{"receiptType": "other"})
		id := refund.Want(w.t, http.StatusCreated).Record(w.t).Text("id")
		w.all["receipt"] = append(w.all["receipt"], "/receipt/"+id)
	}
}

// read reads all records, each by its id.
func (w *writer) read() map[string][]trial.Record {
	w.t.Helper()
	byTime := func(a, b trial.Record) int { return strings.Compare(a.Text("id"), b.Text("id")) }
	read := map[string][]trial.Record{}
	for resource, paths := range w.all {
		for _, path := range paths {
			record := w.c.Read(w.t, path)
			read[resource] = append(read[resource], record)
			if slices.Contains(lines, resource) {
				read[together] = append(read[together], record.With("resource", resource))
			}
		}
	}
	for _, records := range read {
		slices.SortFunc(records, byTime)
	}
	return read
}
