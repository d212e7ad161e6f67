// Package sight tests what operators see of the shipped commands: traces, logs and metrics.
package sight

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

var commands *trial.Commands

func TestMain(m *testing.M) {
	trial.Main(func(built *trial.Commands) (int, error) {
		commands = built
		return m.Run(), nil
	})
}

// compose runs an exchange of separate processes with variables and mutual TLS, and returns it with a client. Requests
// may wait for long before they are refused: a process that refuses none has no metrics of that.
func compose(t *testing.T, environ ...string) (*trial.Exchange, *trial.Client) {
	t.Helper()
	authority := certificatetest.NewAuthority(t)
	volumes := trial.NewVolumes(t, t.TempDir(), authority)
	for _, process := range parts {
		volumes.Issue(process, authority)
	}
	e, err := commands.RunComposed(t.TempDir(), trial.Composition{
		Environ: append([]string{"EXCHANGE_OVERLOAD_LATENCY=" + trial.Patience.String()}, environ...), Volumes: volumes,
	})
	trial.EndWith(t, e, err)
	c, err := e.Client("sight", trial.Developer, trial.Admin)
	if err != nil {
		t.Fatal(err)
	}
	return e, c
}

// book creates a policy with the marks in all members that name persons and things, and returns it.
func book(t *testing.T, c *trial.Client, m marks) trial.Record {
	t.Helper()
	holder := c.Create(t, "personal", trial.Record{
		"firstName": m.first, "lastName": m.last, "dob": "1985-12-10", "idType": "passport", "idNumber": m.number,
		"email":   m.email,
		"address": trial.Record{"streetName": m.street, "city": "London", "country": "GB"},
	})
	vehicle := c.Create(t, "vehicle",
		trial.Record{"plateNumber": m.plate, "vin": "WVWZZZ1JZXW000001", "chassisNumber": "CH-1"})
	driver := c.Create(t, "driver", trial.Record{"name": m.first + " " + m.last, "dob": "1985-12-10",
		"licence": trial.Record{"licenceNumber": m.licence, "expiryDate": "2099-12-31", "country": "GB"}})
	return c.Create(t, "motorCoverage", trial.Record{
		"policyholderId": holder.Text("id"), "vehicleId": vehicle.Text("id"), "driverId": driver.Text("id"),
		"perils": []string{"fire", "hail"}, "premium": 1200, "inceptionDate": instant(-100), "expiryDate": instant(265),
		"indemnityLimitPolicy": 50_000,
	})
}

// marks are unmistakable values of personal data.
type marks struct{ first, last, number, email, street, plate, licence, free string }

func newMarks() marks {
	at := func(what string) string { return fmt.Sprintf("%s%d", what, time.Now().UnixNano()%1e12) }
	return marks{
		first: at("Vorname"), last: at("Zuname"), number: at("IDNR"), email: at("post") + "@" + at("haus") + ".example",
		street: at("Gasse"), plate: at("KZ"), licence: at("FS"), free: at("Freitext"),
	}
}

func instant(days int) string {
	return time.Now().UTC().AddDate(0, 0, days).Truncate(time.Second).Format(time.RFC3339)
}

func receipt(policyNumber string) trial.Record {
	return trial.Record{
		"receiptType": "new policy", "policyNumber": policyNumber, "paymentAmount": 100, "premiumPaymentMethod": "cash",
	}
}

const (
	trace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent = "00-" + trace + "-00f067aa0ba902b7-01"
)

// record records a receipt as a part of a trace.
func record(t *testing.T, c *trial.Client, policyNumber, parent string) {
	t.Helper()
	c.Post(t, "/receipt", receipt(policyNumber), "Traceparent", parent).Want(t, http.StatusCreated)
}
