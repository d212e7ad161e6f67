package bench

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	vegeta "github.com/tsenart/vegeta/v12/lib"

	"insurance.example/exchange/deploy/proof/e2e/copies"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/number"
)

// What a book of a million policies is to keep to, on two cores.
const (
	mostMemory   = 256  // MB, while it is made
	leastEntries = 7000 // a second, of its log: 4.2 million in ten minutes
	mostSummary  = 50   // ms
	mostTriangle = 100  // ms
	mostPage     = 1.15 // times as long as with a thousand
	littleBook   = 1000 // policies
)

var bookPage = &row{"GET /x/book/policies?limit=50", "", http.StatusOK, 0, func(*book, uint64) vegeta.Target {
	return vegeta.Target{Method: http.MethodGet, URL: "/x/book/policies?limit=50&sort=-received"}
}}

// BenchmarkFigures has the book made of the logs of many policies, with three receipts each and a claim for every
// fifth, and reads it, beside a book of few.
func BenchmarkFigures(b *testing.B) {
	large, entries, took, memory := bookOf(b, *booked)
	perSecond := float64(entries) / took
	b.Run(fmt.Sprintf("made of %d policies", *booked), func(b *testing.B) {
		once(b, func() {})
		b.ReportMetric(took, "s")
		report(b, "entries/s", perSecond, perSecond >= leastEntries)
		report(b, "peak-MB", memory, memory <= mostMemory)
	})
	for _, figures := range []struct {
		path string
		most float64
	}{{"summary?by=line,year", mostSummary}, {"triangle", mostTriangle}} {
		b.Run(figures.path, func(b *testing.B) {
			took := time.Hour
			turns(b, func() {
				began := time.Now()
				if response, text, err := large.send(http.MethodGet, "/x/book/"+figures.path, nil); err != nil ||
					response.StatusCode != http.StatusOK {
					b.Fatalf("%v: %s", err, text)
				}
				took = min(took, time.Since(began))
			})
			report(b, "ms", 1000*took.Seconds(), 1000*took.Seconds() <= figures.most)
		})
	}
	small, _, _, _ := bookOf(b, littleBook)
	small.calibrate(b)
	large.calibrate(b)
	b.Run("page of 50", func(b *testing.B) {
		ours, theirs := inTurn(b, bookPage, large, small)
		slower := 1 / median(ours, theirs, byRate)
		report(b, "slower", slower, slower <= mostPage)
	})
}

// bookOf starts an exchange with so many policies whose book reads them all, and returns how many entries its logs
// have, how many seconds passed until the book showed them, and how many MB the process had at most by then, beside
// those of files.
func bookOf(b *testing.B, policies int) (s *side, entries int, took, memory float64) {
	b.Helper()
	data := b.TempDir()
	s, _ = start(b, commands, data, "EXCHANGE_BOOK=false")
	written := writeBook(b, s, 1)
	var receipt, claim struct{ ID string }
	if err := s.create("receipt", newReceipt(written.policies[0]), &receipt); err != nil {
		b.Fatal(err)
	}
	if err := s.create("claim", newClaim(written.policies[0]), &claim); err != nil {
		b.Fatal(err)
	}
	if err := s.whole.Close(); err != nil {
		b.Fatal(err)
	}
	insert := func(service, collection, id string, count int, replace func(nth int, id uuid.UUID) []string) {
		file, table := copies.Place(data, service, collection)
		err := copies.Insert(b.Context(), file, table, id, count, replace)
		if err == nil {
			log := `"` + service + `_log of changes"`
			_, err = sqlitetest.Exec(file, fmt.Sprintf(`INSERT INTO %s (collection, id, version, at) SELECT
				(SELECT number FROM "%s_collections of the log" WHERE name = '%s'), id, version,
				(SELECT max(at) FROM %[1]s) FROM %[4]s
				WHERE id NOT IN (SELECT id FROM %[1]s)`, log, service, collection, table))
		}
		if err != nil {
			b.Fatal(err)
		}
		entries += count
	}
	numbers := make([]string, policies)
	first := written.policies[0]
	insert("coverage", "policy", written.policyID, policies, func(nth int, id uuid.UUID) []string {
		numbers[nth] = number.Of(copies.Policy, id)
		return []string{`"inceptionDate":"2026-`, fmt.Sprintf(`"inceptionDate":"20%d-`, 10+nth%17),
			`"expiryDate":"2090-`, fmt.Sprintf(`"expiryDate":"20%d-`, 11+nth%17)}
	})
	insert("premium", "receipt", receipt.ID, 3*policies, func(nth int, _ uuid.UUID) []string {
		return []string{first, numbers[nth/3]}
	})
	insert("claims", "claim", claim.ID, policies/5, func(nth int, _ uuid.UUID) []string {
		return []string{first, numbers[5*nth]}
	})
	began := time.Now()
	s, _ = start(b, commands, data, "EXCHANGE_AMOUNT_UNIT=major", "EXCHANGE_CURRENCY=EUR")
	for {
		anonymous, _ := s.resident(b)
		memory = max(memory, anonymous)
		response, text, err := s.send(http.MethodGet, "/x/book/policies?limit=1", nil)
		if err != nil {
			b.Fatal(err)
		}
		if response.StatusCode == http.StatusOK {
			return s, entries, time.Since(began).Seconds(), memory
		}
		if response.StatusCode != http.StatusServiceUnavailable {
			b.Fatalf("the book: %s", text)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
