package comparison

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

const (
	// marksRemoved counts the receipts that have become part of their rows of the bordereau, and requestSeconds the
	// requests.
	marksRemoved   = "bus_marks_removed_total"
	requestSeconds = "http_request_duration_seconds"
	// rowsPatience is how long rows may take before the bench gives up.
	rowsPatience = 2 * time.Minute
	// rowsTarget is the time within which they are right if the aggregation keeps up.
	rowsTarget = time.Second
	// rowsEvery is the time between two looks. A look costs the exchange some milliseconds of a core.
	rowsEvery = 100 * time.Millisecond
)

var acceptedReceipts = map[string]string{"service": "premium", "method": "POST", "route": "/receipt", "code": "201"}

// AwaitRows waits until every receipt, of at least one, has become part of its row. It returns how many times it asked
// for metrics. A request is counted a moment after its response.
func AwaitRows(ctx context.Context, s *load.Server) (polls int, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, rowsPatience,
		fmt.Errorf("rows of the bordereau lack receipts after %v", rowsPatience))
	defer cancel()
	for {
		polls++
		receipts, removed := 0., 0.
		for _, admin := range s.Admins {
			all, err := process.Scrape(ctx, admin, marksRemoved, requestSeconds)
			if err != nil {
				return polls, err
			}
			receipts += all.Sum(requestSeconds, acceptedReceipts)
			removed += all.Sum(marksRemoved, nil)
		}
		if receipts > 0 && removed >= receipts {
			return polls, nil
		}
		select {
		case <-ctx.Done():
			return polls, context.Cause(ctx)
		case <-time.After(rowsEvery):
		}
	}
}

// printAggregation prints how long the rows of the bordereau took after the last receipts, and compares them with the
// receipts. It reports whether the aggregation keeps up.
func printAggregation(ctx context.Context, run *measurement.Run, r *result) (inTime bool, err error) {
	receipts, err := compareRows(ctx, run.Exchange)
	if err != nil {
		return false, err
	}
	took := each(r.exchange, func(s load.Slice) float64 { return 1000 * s.Awaited })
	median, longest := report.Median(took), slices.Max(took)
	inTime = longest <= float64(rowsTarget.Milliseconds())
	fmt.Fprintf(run.Out, "%s: the rows of the bordereau are the sums of all %d receipts; "+
		"after the last of a slice they took %.0f ms (median) and at most %.0f ms, target %d ms%s\n",
		r.row.Name, receipts, median, longest, rowsTarget.Milliseconds(), exceeds(!inTime))
	return inTime, nil
}

var nextPage = regexp.MustCompile(`^<(/[^>]+)>; rel="next"$`)

// compareRows compares the rows of the bordereau with the receipts that the exchange has accepted, whose number it
// returns. All receipts of the bench have the same amount.
func compareRows(ctx context.Context, e *sides.Exchange) (receipts int64, err error) {
	all, err := process.Scrape(ctx, e.Admin(), requestSeconds)
	if err != nil {
		return 0, err
	}
	receipts = int64(all.Sum(requestSeconds, acceptedReceipts))
	total, err := sumRows(e)
	if want := receipts * records.ReceiptAmount; err == nil && total != want {
		err = fmt.Errorf("the rows of the bordereau add up to %d, and the receipts to %d", total, want)
	}
	return receipts, err
}

// sumRows returns the premium of all rows of the bordereau.
func sumRows(e *sides.Exchange) (total int64, err error) {
	for path := "/premiumBordereau?limit=200"; path != ""; {
		response, err := e.Send(load.Call{Method: http.MethodGet, Path: path})
		if err != nil {
			return 0, err
		}
		var rows []struct {
			GrossWrittenPremium int64 `json:"grossWrittenPremium"`
		}
		if response.StatusCode() != http.StatusOK {
			return 0, fmt.Errorf("GET %s: status %d: %s", path, response.StatusCode(), response.Body())
		}
		if err := json.Unmarshal(response.Body(), &rows); err != nil {
			return 0, fmt.Errorf("GET %s: %w", path, err)
		}
		for _, row := range rows {
			total += row.GrossWrittenPremium
		}
		path = ""
		if next := nextPage.FindSubmatch(response.Header.Peek("Link")); next != nil {
			path = string(next[1])
		}
	}
	return total, nil
}
