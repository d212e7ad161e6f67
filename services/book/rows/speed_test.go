package rows_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
)

// BenchmarkFill makes a book of what invent has, of which most policies have been changed.
func BenchmarkFill(b *testing.B) { fillOften(b, invent(rand.New(rand.NewPCG(1, 1)), 5000)) }

// BenchmarkFillAsLogs makes a book of policies, three receipts for each, and a claim for every fifth, in the order in
// which logs have them.
func BenchmarkFillAsLogs(b *testing.B) {
	const policies = 5000
	var all []internalapi.Change
	number := func(i int) string { return fmt.Sprintf("POL-%05d", (i*7919)%policies) }
	for i := range policies {
		begins := now.AddDate(0, 0, -i%700)
		all = append(all, change("motorCoverage", fmt.Sprintf("01930000-0000-7000-8000-%012d", i), 1, fmt.Sprintf(
			`{"policyNumber":%q,"policyholderId":"holder%d","inceptionDate":%q,"expiryDate":%q,`+
				`"grossWrittenPremium":1200,"status":"in force"}`, number(i), i%100, begins.Format(time.RFC3339),
			begins.AddDate(1, 0, 0).Format(time.RFC3339))))
	}
	for i := range 3 * policies {
		all = append(all, change("receipt", fmt.Sprintf("01930000-0000-7000-8001-%012d", i), 1, fmt.Sprintf(
			`{"policyNumber":%q,"receiptType":"new policy","paymentAmount":100,"receiptDate":%q,"recordedAt":%q}`,
			number(i/3), now.Format(time.DateOnly), now.Format(time.RFC3339))))
	}
	for i := range policies / 5 {
		all = append(all, change("claim", fmt.Sprintf("01930000-0000-7000-8002-%012d", i), 1, fmt.Sprintf(
			`{"claimNumber":"C%d","policyNumber":%q,"fnol":%q,"reserve":100,"claimStatus":"open"}`, i, number(5*i),
			now.Format(time.RFC3339))))
	}
	fillOften(b, all)
}

// fillOften makes books of entries.
func fillOften(b *testing.B, all []internalapi.Change) {
	b.Helper()
	for n := range b.N {
		fill(b, open(b, filepath.Join(b.TempDir(), fmt.Sprint(n))), all)
	}
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "entries/s")
}
