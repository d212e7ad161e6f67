package client_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestBordereau takes a month from its receipts and claims to a spreadsheet that is signed off, with the commands.
func TestBordereau(t *testing.T) {
	t.Parallel()
	s := newReporting(t)
	c, anna, bob, policy := s.tester(t), s.person(t, "anna"), s.person(t, "bob"), s.motorPolicy(t, "Ann")
	post := func(path string, body trial.Record, status int) { c.Post(t, path, body).Want(t, status) }
	for range 2 {
		post("/receipt", trial.Record{"policyNumber": policy, "receiptType": "new policy", "paymentAmount": 100,
			"premiumPaymentMethod": "cash"}, 201)
	}
	post("/claim", trial.Record{"policyNumber": policy, "lossDate": "2026-01-02T00:00:00Z", "claimType": "other",
		"lossCause": "fire", "reserve": 1000}, 201)
	bordereau := func(who, line string) result {
		return s.run(t, append([]string{"bordereau"}, append(strings.Fields(line), "--token", who)...)...)
	}
	const month = "MOTOR-2026 premium 2026-01"
	bordereau(anna, "prepare "+month).want(t, 1, "is not over")
	post("/x/clock:advance", trial.Record{"to": "2026-02-01T00:01:00Z"}, 200)
	bordereau(anna, "export "+month).want(t, 2, "no version yet")
	digests := map[string]string{}
	for _, kind := range []string{"premium", "claims"} {
		month := strings.Replace(month, "premium", kind, 1)
		bordereau(anna, "prepare "+month).want(t, 0, `"number": 1`)
		shown := bordereau(anna, "show "+month+" -o table").want(t, 0).stdout
		fields := strings.Fields(shown)
		digests[kind] = fields[len(fields)-1]
		bordereau(bob, "approve "+month).want(t, 2, "--digest")
		bordereau(bob, "approve "+month+" --digest 0").want(t, 1, "another digest")
		bordereau(anna, "approve "+month+" --digest "+digests[kind]).want(t, 1, "Somebody else")
		bordereau(bob, "approve "+month+" --digest "+digests[kind]).want(t, 0, `"state": "approved"`)
		bordereau(bob, "acknowledge "+month+" --digest "+digests[kind]).want(t, 0, `"acknowledgedBy"`)
	}
	listed := bordereau(anna, "list --state acknowledged -o table").want(t, 0).stdout
	if strings.Count(listed, "MOTOR-2026") != 2 || !strings.Contains(listed, "2026-03-02") {
		t.Error(listed)
	}
	exported := bordereau(anna, "export "+month+" --layout crs5.2").want(t, 0).stdout
	rows, err := csv.NewReader(strings.NewReader(exported)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatal(err, rows)
	}
	bordereau(anna, "export "+month+" --out january.pdf").want(t, 2, ".xlsx")
	bordereau(anna, "export MOTOR-2026 claims 2026-01 1 --out january.xlsx").want(t, 0)
	book, err := excelize.OpenFile(s.path("january.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	control, err := book.GetRows("Control")
	if text := fmt.Sprint(control); err != nil || !strings.Contains(text, digests["claims"]) ||
		!strings.Contains(text, "819.67") {
		t.Error(err, text)
	}
	if err := book.Close(); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(s.folder)
	if err != nil || len(left) != 1 {
		t.Errorf("besides the workbook there is %v (%v)", left, err)
	}
	bordereau(anna, "diff "+month+" 1 -o table").want(t, 0, "POLICY")
	bordereau(anna, "diff "+month+" 1 --to 7").want(t, 1, "no version of the period")
	// A correction before anything later is approved.
	bordereau(anna, "prepare "+month+" --type correction --note again").want(t, 0, `"number": 2`)
	bordereau(bob, "reject "+month+" --reason wrong").want(t, 0, `"state": "rejected"`)
	bordereau(anna, "frobnicate").want(t, 2)
	const version = "/x/bordereau/MOTOR-2026/premium/2026-01/versions/1"
	lines := c.Do(t, "GET", version+"/lines", nil).Want(t, 200).Record(t)
	line := trial.Record(lines["lines"].([]any)[0].(map[string]any))
	source := c.Do(t, "GET", version+"/lines/"+line.Text("lineId")+"/source", nil).Want(t, 200).Record(t)
	receipt := trial.Record(source["receipt"].(map[string]any))
	if then := c.Do(t, "GET", receipt.Text("href"), nil).Want(t, 200).Record(t); then.Text("paymentAmount") != "100" ||
		then.Text("id") != line.Text("lineId") {
		t.Errorf("the line %v is made of %v", line, then)
	}
	if findings, examined := s.checked(t, s.Data); len(findings) > 0 || examined["versions made anew"] != 2 {
		t.Errorf("check finds %v in %v", findings, examined)
	}
}

// newReporting runs an exchange with a test clock, in January 2026, and with a contract of motor policies.
func newReporting(t *testing.T) *shell {
	t.Helper()
	s := newShell(t, "EXCHANGE_TEST_CLOCK=2026-01-05T10:00:00Z", "EXCHANGE_BORDEREAU_PERIOD=month")
	s.tester(t).Put(t, "/x/contract/MOTOR-2026", trial.Record{"uniqueMarketReference": "B0001",
		"coverholderName": "Alder", "inception": "2026-01-01", "expiry": "2027-01-01",
		"lines": []string{"motorCoverage"}, "currency": "EUR", "amountUnit": "major", "settlementCurrency": "GBP",
		"originalPerSettlement": "1.22",
		"commissionPercentage":  "15", "frequency": "month", "firstPeriod": "2026-01"}).Want(t, 200)
	return s
}

// person returns a token of a person who reads and writes.
func (s *shell) person(t *testing.T, name string) string {
	t.Helper()
	issued := s.run(t, "token", "--subject", name, "--scope", "std.admin std.developer").want(t, 0)
	return strings.TrimSpace(issued.stdout)
}

// motorPolicy creates a motor policy of somebody with a first name, and returns its number.
func (s *shell) motorPolicy(t *testing.T, firstName string) string {
	t.Helper()
	c := s.tester(t)
	holder := c.Create(t, "personal", trial.Record{
		"firstName": firstName, "lastName": "Lee", "dob": "1985-12-10", "idType": "passport", "idNumber": "X1",
		"address": trial.Record{"streetName": "High Street", "city": "London", "country": "GB"},
	})
	vehicle := c.Create(t, "vehicle", trial.Record{"plateNumber": "EX 1", "vin": "WVWZZZ1JZXW000001"})
	driver := c.Create(t, "driver", trial.Record{"name": "Ann Lee", "dob": "1985-12-10",
		"licence": trial.Record{"licenceNumber": "L1", "expiryDate": "2099-12-31", "country": "GB"}})
	return c.Create(t, "motorCoverage", trial.Record{
		"policyholderId": holder.Text("id"), "vehicleId": vehicle.Text("id"), "driverId": driver.Text("id"),
		"perils": []string{"fire"}, "premium": 1200, "inceptionDate": "2026-01-01T00:00:00Z",
		"expiryDate": "2027-01-01T00:00:00Z",
	}).Text("policyNumber")
}
