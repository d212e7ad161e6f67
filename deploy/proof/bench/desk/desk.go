// Package desk measures what bordereaux cost as they grow: preparing a version, reading pages of it and exporting it.
package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/deploy/proof/bench/comparison"
	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
)

// The targets: how long preparing a version of preparedLines may take, the memory that anything takes beyond what is
// resident at rest, and by how much a page of lines may be slower than one of the smallest version.
const (
	preparedLines = 10_000
	mostPrepare   = 2 * time.Second
	mostMemory    = 128 << 20
	slowestPage   = 1.15
)

// sizes are the numbers of lines of the versions, as far as there are receipts for them. Each has its row.
var sizes = []int{1_000, 10_000, 100_000, 1_000_000}

const (
	// patience is how long a request may take: a million lines take minutes.
	patience = 30 * time.Minute
	// pages is how often a page is read, and pageSize how many lines it has.
	pages    = 201
	pageSize = 50
)

func nameOf(size int) string { return fmt.Sprintf("%d lines", size) }

// Measurement returns the measurement of bordereaux.
func Measurement() measurement.Kind {
	var names []string
	for _, size := range sizes {
		names = append(names, nameOf(size))
	}
	return measurement.Kind{Rows: names, Measure: measure}
}

// office prepares versions of one period of a contract.
type office struct {
	*measurement.Run
	month  *records.Month
	period string // its path
	// idle is the memory at rest.
	idle uint64
	// page is the median time of a page of the smallest version.
	page float64
}

func measure(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	fmt.Fprintf(run.Out, "targets: %d lines prepared within %v, %d MB beyond what is resident at rest, a page at most "+
		"%.2f times slower than one of %d lines\n", preparedLines, mostPrepare, mostMemory>>20, slowestPage, sizes[0])
	o, err := open(ctx, run, written)
	if err != nil {
		return false, err
	}
	table := run.Table(Measurement().Rows)
	for _, size := range sizes {
		if size > run.Count || !run.Chosen(nameOf(size)) {
			continue
		}
		if err := errors.Join(run.Exchange.Stop(), o.month.Load(ctx, size, run.Out)); err != nil { // one owner
			return false, err
		}
		if err := run.RestartPatient(ctx, patience); err != nil {
			return false, err
		}
		run.Exchange.Rest(ctx)
		o.idle = run.Exchange.Resident().Anonymous
		if err := o.measure(ctx, size, table); err != nil {
			return false, fmt.Errorf("%s: %w", nameOf(size), err)
		}
	}
	return table.Met, nil
}

// open makes the contract, which is reported from the month before this one on, and a receipt to copy.
func open(ctx context.Context, run *measurement.Run, written *records.Book) (*office, error) {
	receipt, err := run.Exchange.Create("receipt", records.NewReceipt(written.Policies[0]))
	if err == nil {
		_, err = comparison.AwaitRows(ctx, run.Exchange.Server) // a copy has no mark
	}
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	before := time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC)
	o := &office{Run: run, period: "/x/bordereau/BENCH/premium/" + before.Format("2006-01"),
		month: &records.Month{Data: run.Data, Of: written, Receipt: receipt["id"], RecordedAt: receipt["recordedAt"],
			At: before.Format(time.RFC3339)}}
	terms := fmt.Appendf(nil, `{"uniqueMarketReference":"B0001","coverholderName":"Alder","inception":"2026-01-01",
		"expiry":"2090-01-01","lines":["motorCoverage"],"currency":"EUR","amountUnit":"minor",
		"settlementCurrency":"GBP","originalPerSettlement":"1.22","commissionPercentage":"12.5","frequency":"month",
		"firstPeriod":%q}`, before.Format("2006-01"))
	response, err := run.Exchange.Send(load.Call{Method: http.MethodPut, Path: "/x/contract/BENCH", Body: terms})
	if err == nil && response.StatusCode() != http.StatusOK {
		err = fmt.Errorf("PUT contract: status %d: %s", response.StatusCode(), response.Body())
	}
	return o, err
}

// watched returns how long something took, and the memory that the exchange had meanwhile beyond that at rest.
func (o *office) watched(do func() error) (took time.Duration, beyond uint64, err error) {
	end, began := o.Exchange.Process().Watch(o.Exchange.Admin()), time.Now()
	err = do()
	took = time.Since(began)
	return took, max(end().Memory, o.idle) - o.idle, err
}

func (o *office) measure(ctx context.Context, size int, table *report.Table) error {
	var version string
	prepared, memory, err := o.watched(func() (err error) {
		version, err = o.prepare(ctx, size)
		return err
	})
	if err != nil {
		return err
	}
	first, err := o.pageOf(version, 0)
	if err != nil {
		return err
	}
	last, err := o.pageOf(version, size-pageSize)
	if err != nil {
		return err
	}
	if o.page == 0 {
		o.page = max(first, last)
	}
	cells := []report.Cell{
		report.Of("prepare s", "prepare-s", 2, prepared.Seconds()).If(size > preparedLines || prepared < mostPrepare),
		megabytes("prepare", memory),
		report.Of("first page ms", "first-page-ms", 2, first).If(first <= slowestPage*o.page),
		report.Of("last page ms", "last-page-ms", 2, last).If(last <= slowestPage*o.page),
	}
	for _, form := range []string{"csv", "xlsx"} {
		took, memory, err := o.watched(func() error {
			return o.send(ctx, http.MethodGet, version+"/lines."+form, "", http.StatusOK, io.Discard)
		})
		if err != nil {
			return err
		}
		cells = append(cells, report.Of(form+" s", form+"-s", 2, took.Seconds()), megabytes(form, memory))
	}
	table.Row(nameOf(size), cells...)
	return o.send(ctx, http.MethodPost, version+":reject", `{"reason":"it was measured"}`, http.StatusOK, io.Discard)
}

func megabytes(of string, memory uint64) report.Cell {
	return report.Of(of+" MB", of+"-MB", 0, float64(memory>>20)).If(memory <= mostMemory)
}

// prepare prepares a version, which must have so many lines, and returns its path.
func (o *office) prepare(ctx context.Context, size int) (path string, err error) {
	var made struct{ Number, Lines int }
	var text strings.Builder
	err = o.send(ctx, http.MethodPost, o.period+":prepare", `{"type":"original"}`, http.StatusCreated, &text)
	if err == nil {
		err = json.Unmarshal([]byte(text.String()), &made, json.MatchCaseInsensitiveNames(true))
	}
	if err == nil && made.Lines != size {
		err = fmt.Errorf("the version has %d lines", made.Lines)
	}
	return fmt.Sprintf("%s/versions/%d", o.period, made.Number), err
}

// pageOf returns the median time of a page of lines, in milliseconds.
func (o *office) pageOf(version string, skip int) (float64, error) {
	var took []float64
	for range pages {
		began := time.Now()
		response, err := o.Exchange.Send(load.Call{Method: http.MethodGet,
			Path: fmt.Sprintf("%s/lines?limit=%d&skip=%d", version, pageSize, skip)})
		if err == nil && response.StatusCode() != http.StatusOK {
			err = fmt.Errorf("status %d: %s", response.StatusCode(), response.Body())
		}
		if err != nil {
			return 0, err
		}
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	return report.Median(took), nil
}

// send sends a request whose response may be late and long, and copies its body.
func (o *office) send(ctx context.Context, method, path, body string, status int, to io.Writer) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+o.Exchange.HTTP.Addr+path,
		strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+o.Exchange.Token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept-Encoding", "identity")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != status {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		return fmt.Errorf("%s %s: status %d: %s", method, path, response.StatusCode, text)
	}
	_, err = io.Copy(to, response.Body)
	return err
}
