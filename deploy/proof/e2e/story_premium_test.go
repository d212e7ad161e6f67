package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

func recordReceipts(t *testing.T, c *trial.Client) {
	number := policy(t, c).Text("policyNumber")
	claim := c.Create(t, "claim", loss(number, -3)).Text("claimNumber")
	made := c.Post(t, "/receipt", receipt(number, 100).With("receiptDate", "2026-03-01")).
		Want(t, http.StatusCreated).Record(t)
	wantMembers(t, made, map[string]string{"receiptId": made.Text("id"), "receiptDate": "2026-03-01",
		"paymentAmount": "100"})
	c.Create(t, "receipt", receipt(number, 200).With("receiptDate", "2026-03-31").With("receiptType",
		"mid term adjustment"))
	c.Create(t, "receipt", receipt("", 300).Without("policyNumber").With("claimNumber", claim).With("receiptType",
		"claim payment"))
	undated := c.Create(t, "receipt", receipt(number, 400).With("claimNumber", claim))
	wantMembers(t, undated, map[string]string{"receiptDate": today(), "claimNumber": claim, "policyNumber": number})

	for query, want := range map[string][]string{
		"policyNumber=" + number: {"100", "200", "400"},
		"claimNumber=" + claim:   {"300", "400"},
		"policyNumber=" + number + "&receiptType=mid%20term%20adjustment":                  {"200"},
		"policyNumber=" + number + "&receiptDateFrom=2026-03-01&receiptDateTo=2026-03-31":  {"100", "200"},
		"policyNumber=" + number + "&receiptDateFrom=2026-03-02&receiptDateTo=2026-03-31":  {"200"},
		"policyNumber=" + number + "&receiptDateTo=2026-03-30":                             {"100"},
		"policyNumber=" + number + "&receiptDateFrom=2026-04-01&receiptType=new%20policy":  {"400"},
		"claimNumber=" + claim + "&receiptType=claim%20payment&receiptDateFrom=" + today(): {"300"},
		"claimNumber=" + claim + "&policyNumber=" + number + "&receiptDateFrom=1900-01-01": {"400"},
		"policyNumber=" + number + "&receiptDateFrom=2026-03-15&receiptDateTo=2026-03-15":  nil,
		"policyNumber=" + noPolicy: nil,
	} {
		var amounts []string
		for _, r := range c.Get(t, "/receipt?"+query).Want(t, http.StatusOK).Records(t) {
			amounts = append(amounts, r.Text("paymentAmount"))
		}
		if !slices.Equal(amounts, want) {
			t.Errorf("%s finds %v, not %v", query, amounts, want)
		}
	}
}

func refundReceipt(t *testing.T, c *trial.Client) {
	number := policy(t, c).Text("policyNumber")
	path := "/receipt/" + c.Create(t, "receipt", receipt(number, 500)).Text("id")
	before := c.Get(t, path)
	refund := c.Post(t, path+":refund", trial.Record{"receiptType": "other"}).Want(t, http.StatusCreated).Record(t)
	wantMembers(t, refund, map[string]string{
		"reverses": before.Record(t).Text("id"), "receiptType": "other", "paymentAmount": "500", "policyNumber": number,
	})
	c.Post(t, path+":refund", trial.Record{"receiptType": "other"}).Want(t, http.StatusConflict)
	c.Post(t, "/receipt/"+refund.Text("id")+":refund", trial.Record{"receiptType": "other"}).
		Want(t, http.StatusConflict)
	if after := c.Get(t, path); string(after.Body) != string(before.Body) {
		t.Errorf("the original has changed from %s to %s", before.Body, after.Body)
	}
}

// rows returns the rows of the premium bordereau of a policy, by transaction type.
func rows(t testing.TB, c *trial.Client, policyNumber string) map[string]trial.Record {
	t.Helper()
	found := map[string]trial.Record{}
	for row := range trial.List(t, c, "/premiumBordereau?limit=200") {
		if row.Text("policyNumber") != policyNumber || row.Text("period") == "" {
			continue
		}
		if other, twice := found[row.Text("transactionType")]; twice {
			t.Fatalf("two rows for one key: %v and %v", other, row)
		}
		found[row.Text("transactionType")] = row
	}
	return found
}

// awaitSum waits until the row of a policy has a sum, and returns it.
func awaitSum(t testing.TB, c *trial.Client, policyNumber, transactionType, sum string) (row trial.Record) {
	t.Helper()
	wait.Until(t, func() error {
		row = rows(t, c, policyNumber)[transactionType]
		if is := row.Text("grossWrittenPremium"); is != sum {
			return fmt.Errorf("the sum of %s, %s is %q, not %s", policyNumber, transactionType, is, sum)
		}
		return nil
	})
	return row
}

func aggregatePremium(t *testing.T, c *trial.Client) {
	p := policy(t, c)
	number, period := p.Text("policyNumber"), time.Now().UTC().Format("2006-01")
	claim := c.Create(t, "claim", loss(number, -3)).Text("claimNumber")
	// A receipt counts in the period in which it is recorded, regardless of its receiptDate.
	first := c.Create(t, "receipt", receipt(number, 1000).With("receiptDate", "2020-01-01"))
	c.Create(t, "receipt", receipt(number, 234))
	c.Create(t, "receipt", receipt("", 50).Without("policyNumber").With("claimNumber", claim).With("receiptType",
		"claim payment"))
	row := awaitSum(t, c, number, "new policy", "1234")
	wantMembers(t, row, map[string]string{
		"policyholder": p.Text("policyholderId"), "inceptionDate": p.Text("inceptionDate"),
		"expiryDate":           p.Text("expiryDate"),
		"indemnityLimitPolicy": "50000",
	})
	if is := row.Text("period"); is != period && is != time.Now().UTC().Format("2006-01") {
		t.Errorf("the period is %q", is)
	}
	awaitSum(t, c, number, "claim payment", "50")

	path, treaty := "/premiumBordereau/"+row.Text("id"), fresh("treaty")
	kept := row.With("netPremium", 900).With("treatyReference", treaty)
	c.Put(t, path, kept).Want(t, http.StatusOK)
	for member, value := range map[string]any{
		"grossWrittenPremium": 1, "policyNumber": noPolicy, "transactionType": "other", "period": "2020-01",
	} {
		if a := c.Put(t, path, kept.With(member, value)); a.Status != http.StatusConflict {
			t.Errorf("%s can be changed: %d %s", member, a.Status, a.Body)
		}
	}
	// A refund counts under the original's transaction type.
	c.Post(t, "/receipt/"+first.Text("id")+":refund", trial.Record{"receiptType": "other"}).Want(t, http.StatusCreated)
	c.Create(t, "receipt", receipt(number, 66))
	row = awaitSum(t, c, number, "new policy", "300")
	wantMembers(t, row, map[string]string{"netPremium": "900", "treatyReference": treaty})
	if _, other := rows(t, c, number)["other"]; other {
		t.Error("the refund counts under its own receiptType")
	}
	found := c.Get(t, "/premiumBordereau?treatyReference="+treaty).Want(t, http.StatusOK).Records(t)
	if len(found) != 1 || found[0].Text("id") != row.Text("id") {
		t.Errorf("the treaty finds %v", found)
	}
}
