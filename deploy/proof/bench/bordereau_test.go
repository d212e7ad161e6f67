package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"testing"
	"time"
)

const (
	// receiptsRate is how many receipts a second are to become part of their rows within mostRows.
	receiptsRate = 2500
	mostRows     = time.Second
)

// BenchmarkBordereau posts receipts at a rate in each turn, and then reads the bordereau as a client does until
// its rows are the sums of all receipts.
func BenchmarkBordereau(b *testing.B) {
	exchange, _ := start(b, commands, b.TempDir())
	exchange.book = writeBook(b, exchange, *policy)
	b.Run(fmt.Sprintf("rows of %d receipts a second", receiptsRate), func(b *testing.B) {
		crowd := connected(4 * callers)
		defer crowd.CloseIdleConnections()
		var took, rates, latencies []float64
		turns(b, func() {
			done := exchange.drive(postReceipt, plan{duration: max(*length, time.Second), rate: receiptsRate,
				callers: 4 * callers, client: crowd})
			ended := time.Now()
			if done.Success < 1 {
				b.Fatalf("receipts were refused: %v %v", done.StatusCodes, done.Errors)
			}
			want := int64(exchange.calls.Load()) * receiptAmount
			for sum := sumRows(b, exchange); sum != want; sum = sumRows(b, exchange) {
				if sum > want || time.Since(ended) > time.Minute {
					b.Fatalf("the rows of the bordereau add up to %d, and the receipts to %d", sum, want)
				}
			}
			took, rates = append(took, time.Since(ended).Seconds()), append(rates, done.Rate)
			latencies = append(latencies, 1000*done.Latencies.P99.Seconds())
		})
		b.ReportMetric(slices.Min(rates), "receipts/s")
		b.ReportMetric(slices.Max(latencies), "p99-ms")
		report(b, "rows-s", slices.Max(took), slices.Max(took) <= mostRows.Seconds())
	})
}

var nextPage = regexp.MustCompile(`^<(/[^>]+)>; rel="next"$`)

// sumRows returns the premium of all rows of the bordereau.
func sumRows(tb testing.TB, s *side) (total int64) {
	tb.Helper()
	for path := "/premiumBordereau?limit=200"; path != ""; {
		response, text, err := s.send(http.MethodGet, path, nil)
		var page []struct{ GrossWrittenPremium int64 }
		if err == nil {
			err = json.Unmarshal(text, &page)
		}
		if err != nil || response.StatusCode != http.StatusOK {
			tb.Fatalf("GET %s: %v: %s", path, err, text)
		}
		for _, r := range page {
			total += r.GrossWrittenPremium
		}
		path = ""
		if next := nextPage.FindStringSubmatch(response.Header.Get("Link")); next != nil {
			path = next[1]
		}
	}
	return total
}
