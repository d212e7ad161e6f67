package client_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// brokerProfile declares how the files of a broker are read.
const brokerProfile = `{"format": "csv", "delimiter": ";", "encoding": "windows-1252", "headerRow": 1,
	"decimalMark": ",", "dateOrder": "dmy", "sign": "minus", "currency": "EUR", "totals": {"rule": "none"},
	"types": {"NB": "new policy", "MTA": "mid term adjustment"}, "columns": [
	{"column": "Policy", "means": "policyNumber"}, {"column": "Type", "means": "type"},
	{"column": "Date", "means": "date"}, {"column": "Gross", "means": "gross"}]}`

// TestReconcile compares the file of a broker with an approved January, and decides about its items, with the commands.
func TestReconcile(t *testing.T) {
	t.Parallel()
	s := newReporting(t)
	c, anna, policy := s.tester(t), s.person(t, "anna"), s.motorPolicy(t, "Ann")
	for kind, amount := range map[string]int{"new policy": 100, "mid term adjustment": 900} {
		c.Post(t, "/receipt", trial.Record{"policyNumber": policy, "receiptType": kind, "paymentAmount": amount,
			"premiumPaymentMethod": "cash", "receiptDate": "2026-01-05"}).Want(t, 201)
	}
	c.Post(t, "/x/clock:advance", trial.Record{"to": "2026-02-01T00:01:00Z"}).Want(t, 200)
	const month = " MOTOR-2026 premium 2026-01"
	s.run(t, "bordereau", "prepare", "MOTOR-2026", "premium", "2026-01").want(t, 0)
	digest := c.Get(t, "/x/bordereau/MOTOR-2026/premium/2026-01/versions/1").Record(t).Text("digest")
	s.run(t, "bordereau", "approve", "MOTOR-2026", "premium", "2026-01", "--digest", digest, "--token", anna).want(t, 0)

	reconcile := func(line string) result { return s.run(t, append([]string{"reconcile"}, strings.Fields(line)...)...) }
	s.write(t, "broker.json", brokerProfile)
	s.write(t, "january.csv", "Policy;Type;Date;Gross\n"+policy+";NB;05/01/2026;100,00\n"+policy+
		";MTA;05/01/2026;950,00\nPOL-OTHER;NB;05/01/2026;7,00\n"+policy+";NB;05/01/2026;\x1b[31m1.000\n")
	reconcile("profile BROKER nothing.json").want(t, 2, "nothing.json")
	reconcile("profile BROKER broker.json").want(t, 0, `"version": 1`)
	reconcile("profile BROKER").want(t, 0, `"decimalMark": ","`)
	reconcile("compare january.csv"+month).want(t, 2, "--profile")
	reconcile("compare january.pdf"+month+" --profile BROKER").want(t, 2, ".xlsx")
	reconcile("compare nothing.csv"+month+" --profile BROKER").want(t, 1, "nothing.csv")
	reconcile("compare january.csv"+month+" --profile NOBODY").want(t, 1, "NOBODY")
	reconcile("compare january.csv MOTOR-2026 premium 2026-02 --profile BROKER").want(t, 1, "/against")
	compared := reconcile("compare january.csv"+month+" --profile BROKER --tolerance 0.05").want(t, 0)
	var run struct {
		ID, Statement string
		Outcomes      map[string]int
	}
	if err := json.Unmarshal([]byte(compared.stdout), &run); err != nil {
		t.Fatal(err, compared.stdout)
	}
	for outcome, want := range map[string]int{"matched": 1, "mismatch": 1, "missingHere": 1, "quarantined": 1} {
		if run.Outcomes[outcome] != want {
			t.Errorf("%s: %d items, not %d", outcome, run.Outcomes[outcome], want)
		}
	}
	first, statement := run.ID, run.Statement
	again := reconcile("compare january.csv"+month+" --profile BROKER").want(t, 0).stdout
	if err := json.Unmarshal([]byte(again), &run); err != nil || run.Statement != statement {
		t.Errorf("the same file is another statement than %s: %s", statement, again)
	}
	reconcile("accept "+first+" 1 --reason agreed").want(t, 1, run.ID) // which has taken its place
	one := reconcile("items "+run.ID+" --outcome mismatch").want(t, 0).lines()
	var item struct{ Number int }
	if len(one) != 1 || json.Unmarshal([]byte(one[0]), &item) != nil || item.Number != 1 {
		t.Fatal(one)
	}
	reconcile("items "+run.ID+" --outcome wrong").want(t, 1, "must be one of")
	reconcile("accept "+run.ID+" 1").want(t, 2, "--reason")
	reconcile("accept "+run.ID+" 1 --reason agreed").want(t, 0, `"decision": "accepted"`)
	reconcile("dispute "+run.ID+" 3 --reason \x1b[31mtheirs").want(t, 0, `"decision": "disputed"`)
	// What others have written moves no cursor.
	table := reconcile("items "+run.ID+" -o table").want(t, 0, "D3 gross: theirs 950", "ours 900", "theirs").stdout
	if strings.Contains(table, "\x1b") || strings.Count(table, "\n") != 5 {
		t.Errorf("the table of four items is\n%s", table)
	}
	reconcile("unmatch "+run.ID+" 3 --reason wrong").want(t, 1, "Only a pair is parted")
	reconcile("unmatch "+run.ID+" 4 --reason wrong").want(t, 0, `"decision": "unmatched"`)
	reconcile("accept "+run.ID+" 9 --reason agreed").want(t, 1, "has no item")
	reconcile("show "+run.ID+" -o table").want(t, 0, "mismatch", "2026-01", run.ID)
	reconcile("show NONE").want(t, 1, "no run")
	reconcile("frobnicate").want(t, 2, "frobnicate")

	// A file that is larger than the exchange takes is refused before it is sent.
	large, err := os.Create(s.path("large.csv"))
	if err == nil {
		err = large.Truncate(1 << 30)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = large.Close() }()
	reconcile("compare large.csv"+month+" --profile BROKER").want(t, 1, "413")
}
