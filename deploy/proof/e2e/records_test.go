package e2e_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// Ids and numbers that no record has.
const (
	noID     = "00000000-0000-4000-8000-000000000000"
	noPolicy = "POL-NONE"
)

var serial atomic.Int64

// fresh returns a text that no other call returns.
func fresh(prefix string) string {
	return fmt.Sprintf("%s-%d-%d", prefix, time.Now().UnixNano(), serial.Add(1))
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

// instant returns a DateTime some days from now.
func instant(days int) string {
	return time.Now().UTC().AddDate(0, 0, days).Truncate(time.Second).Format(time.RFC3339)
}

func personal() trial.Record {
	return trial.Record{
		"firstName": "Ada", "lastName": "Lovelace", "dob": "1985-12-10", "idType": "passport", "idNumber": fresh("P"),
		"address": trial.Record{
			"building": "12", "streetName": "St James's Square", "city": "London", "country": "GB",
			"postalCode": "SW1Y 4JH",
		},
	}
}

func vehicle() trial.Record {
	return trial.Record{
		"plateNumber": "LV 1815", "vin": "WVWZZZ1JZXW000001", "chassisNumber": "CH-1",
		"physical": trial.Record{"doors": 5, "colour": "blue"},
	}
}

func driver() trial.Record {
	return trial.Record{
		"name": "Ada Lovelace", "dob": "1985-12-10", "isPrimaryDriver": true,
		"licence": trial.Record{"licenceNumber": "LOVEL", "expiryDate": "2099-12-31", "country": "GB"},
	}
}

func wording() trial.Record {
	return trial.Record{"name": "Motor wording", "version": "3.1", "effectiveDate": "2024-01-01"}
}

// insured holds the ids of the records that a motor policy refers to.
type insured struct{ policyholder, vehicle, driver string }

func insure(t testing.TB, c *trial.Client) insured {
	t.Helper()
	return insured{
		policyholder: c.Create(t, "personal", personal()).Text("id"),
		vehicle:      c.Create(t, "vehicle", vehicle()).Text("id"),
		driver:       c.Create(t, "driver", driver()).Text("id"),
	}
}

// motor returns the body of a policy that began 100 days ago and ends 265 days from now.
func (i insured) motor() trial.Record {
	return trial.Record{
		"policyholderId": i.policyholder, "vehicleId": i.vehicle, "driverId": i.driver,
		"perils": []string{"fire", "theft", "hail"}, "premium": 1200,
		"inceptionDate": instant(-100), "expiryDate": instant(265), "indemnityLimitPolicy": 50_000,
	}
}

// policy writes a motor policy and all it needs, and returns it.
func policy(t testing.TB, c *trial.Client) trial.Record {
	t.Helper()
	return c.Create(t, "motorCoverage", insure(t, c).motor())
}

// loss returns the body of a claim for a loss some days from now.
func loss(policyNumber string, days int) trial.Record {
	return trial.Record{
		"policyNumber": policyNumber, "lossDate": instant(days), "fnol": instant(days),
		"claimType": "own property damage",
		"location":  "London", "lossCause": "hail", "description": "Hail on the bonnet",
	}
}

func receipt(policyNumber string, amount int) trial.Record {
	return trial.Record{
		"receiptType": "new policy", "policyNumber": policyNumber, "paymentAmount": amount,
		"premiumPaymentMethod": "cash",
	}
}

func product(t testing.TB, c *trial.Client) trial.Record {
	t.Helper()
	return trial.Record{
		"lineOfBusiness": 7, "productModel": "pay as you drive", "contractType": "other", "currency": "GBP",
		"policyFee": 12.5, "paymentFrequency": "monthly",
		"wordingId": c.Create(t, "policyWording", wording()).Text("id"),
	}
}
