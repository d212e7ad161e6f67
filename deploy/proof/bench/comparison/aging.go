package comparison

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
)

const (
	// mostChanges is the greatest number of changes of an old record.
	mostChanges = 10_000
	// changesAtOnce is the greatest number of changes in a slice. They make a young record older too.
	changesAtOnce = 500
	// receiptsAtOnce is the greatest number of receipts in a slice. The exchange moves the log of SQLite into the
	// database every 16 MiB, which 500 receipts write a quarter of: whole moves would fall into some slices, and not
	// into others.
	receiptsAtOnce = 4000
	// mostDocuments is the greatest number of documents of an old claim, to which a slice adds documentsAtOnce, up to
	// as many as a claim may have.
	mostDocuments, documentsAtOnce = 990, 10
	// mostAged is the greatest factor by which a request about an old record may cost more than one about a young one.
	mostAged = 1.2
)

// Aging returns the comparison of requests about young records with the same ones about old records.
func Aging() measurement.Kind { return measurement.KindOf(livesOf(&measurement.Run{}), measureAging) }

// life is a row of the table of aging: requests about one record, while it is young and when it is old.
type life struct {
	name        string
	age         string
	connections int
	requests    int64 // in a slice, at most
	// told says that no bound is held: the number of what the record carries is bounded by a setting.
	told bool
	// young makes another record and returns requests about it.
	young func() (*load.Row, error)
	// old makes a record, and what comes before requests about it cost what they are to cost, and returns those
	// requests.
	old func(ctx context.Context) (*load.Row, error)
}

// Title returns the name of the row.
func (l *life) Title() string { return l.name }

// livesOf returns the rows of the table of aging. An old row of the bordereau has so many receipts as the options
// count.
func livesOf(run *measurement.Run) []*life {
	return []*life{
		{
			name: "POST /motorCoverage/{id}:endorse", age: fmt.Sprintf("%d endorsements", changesOfOld(run)), connections: 1, requests: changesAtOnce,
			young: func() (*load.Row, error) { return endorsePolicy(run) },
			old: func(ctx context.Context) (*load.Row, error) {
				r, err := endorsePolicy(run)
				if err == nil {
					_, err = run.Exchange.Server().Measure(ctx, r, load.Amount{Connections: 1, Requests: changesOfOld(run)})
				}
				return r, err
			},
		},
		{
			name: "POST /receipt", age: fmt.Sprintf("%d receipts of the row", run.Count), connections: run.Connections, requests: receiptsAtOnce,
			young: func() (*load.Row, error) {
				policy, err := anotherPolicy(run)
				return recordReceipts(policy["policyNumber"]), err
			},
			old: func(ctx context.Context) (*load.Row, error) { return oldRow(ctx, run) },
		},
		{
			name: "POST /claim/{id}/documents", age: fmt.Sprintf("%d documents", documentsOfOld(run)), connections: 1, requests: documentsAtOnce,
			told:  true,
			young: func() (*load.Row, error) { return addDocuments(run) },
			old:   func(ctx context.Context) (*load.Row, error) { return oldClaims(ctx, run) },
		},
	}
}

// documentsOfOld returns how many documents an old claim has.
func documentsOfOld(run *measurement.Run) int { return min(mostDocuments, run.Count) }

// changesOfOld returns how many changes an old record has.
func changesOfOld(run *measurement.Run) int64 { return min(mostChanges, int64(run.Count)) }

// anotherPolicy creates a policy and what it needs.
func anotherPolicy(run *measurement.Run) (map[string]string, error) {
	var ids [3]string
	for i, of := range []struct {
		resource string
		body     []byte
	}{{"personal", records.NewPerson()}, {"vehicle", records.NewVehicle()}, {"driver", records.NewDriver()}} {
		made, err := run.Exchange.Create(of.resource, of.body)
		if err != nil {
			return nil, err
		}
		ids[i] = made["id"]
	}
	return run.Exchange.Create("motorCoverage", records.NewPolicy(ids[0], ids[1], ids[2]))
}

func endorsePolicy(run *measurement.Run) (*load.Row, error) {
	policy, err := anotherPolicy(run)
	path, body := "/motorCoverage/"+policy["id"]+":endorse", []byte(`{"endorsementType":"addition"}`)
	return &load.Row{Name: "endorse", Status: http.StatusOK, Call: func(uint64) load.Call { return load.Call{Method: http.MethodPost, Path: path, Body: body} }}, err
}

// addDocuments makes a claim and returns requests that add documents to it.
func addDocuments(run *measurement.Run) (*load.Row, error) {
	policy, err := anotherPolicy(run)
	if err != nil {
		return nil, err
	}
	claim, err := run.Exchange.Create("claim", records.NewClaim(policy["policyNumber"]))
	path, body := "/claim/"+claim["id"]+"/documents", []byte(`{"url":"https://documents.example/claims/1/photographs-of-the-roof.pdf"}`)
	return &load.Row{Name: "documents", Status: http.StatusOK, Call: func(uint64) load.Call { return load.Call{Method: http.MethodPost, Path: path, Body: body} }}, err
}

// oldClaims makes a claim with many documents for each slice, and returns requests that add documents to one after
// the other.
func oldClaims(ctx context.Context, run *measurement.Run) (*load.Row, error) {
	var claims []*load.Row
	for range 1 + measurement.Turns {
		r, err := addDocuments(run)
		if err == nil {
			_, err = run.Exchange.Server().Measure(ctx, r, load.Amount{Connections: 1, Requests: int64(documentsOfOld(run))})
		}
		if err != nil {
			return nil, err
		}
		claims = append(claims, r)
	}
	each := uint64(min(documentsAtOnce, run.Count))
	return &load.Row{Name: "documents", Status: http.StatusOK, Call: func(n uint64) load.Call {
		return claims[(n-1)/each%uint64(len(claims))].Next()
	}}, nil
}

func recordReceipts(policyNumber string) *load.Row {
	return &load.Row{
		Name: "receipts of one policy", Status: http.StatusCreated, Await: awaitRows,
		Call: func(uint64) load.Call {
			return load.Call{Method: http.MethodPost, Path: "/receipt", Body: records.NewReceipt(policyNumber)}
		},
	}
}

// oldRow loads receipts of one policy straight into the store of the premium service, and has their row computed.
func oldRow(ctx context.Context, run *measurement.Run) (*load.Row, error) {
	policy, err := anotherPolicy(run)
	if err != nil {
		return nil, err
	}
	run.Exchange.Stop() // a store has one owner
	if err := records.LoadReceipts(ctx, filepath.Join(run.Data, "premium.db"), policy["policyNumber"], run.Count, run.Out); err != nil {
		return nil, err
	}
	if err := run.Restart(ctx); err != nil {
		return nil, err
	}
	r := recordReceipts(policy["policyNumber"])
	began := time.Now()
	if _, err := run.Exchange.Server().Measure(ctx, r, load.Amount{Connections: 1, Requests: 1}); err != nil {
		return nil, err
	}
	fmt.Fprintf(run.Out, "the row of all %d receipts was computed in %v\n", run.Count, time.Since(began).Round(time.Millisecond))
	total, err := sumRows(run.Exchange)
	if want := int64(run.Count+2) * records.ReceiptAmount; err == nil && total != want { // with the first, of which the others are copies, and the last
		err = fmt.Errorf("the row of the loaded receipts is %d, and they add up to %d", total, want)
	}
	return r, err
}

// measureAging prints what a request costs about a young record and about an old one, in turns. It reports whether
// all are within the bound. The CPU time and the bytes are of the whole process, with the computation of rows.
func measureAging(ctx context.Context, run *measurement.Run, _ *records.Book) (met bool, err error) {
	met = true
	table := tabwriter.NewWriter(run.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "row\told is after\tyoung p50 ms\told p50 ms\ttimes\tyoung CPU µs\told CPU µs\ttimes\tyoung written KB\told written KB\ttimes\tat most\terrors\n")
	for _, l := range measurement.Chosen(livesOf(run), run.Only) {
		old, err := l.old(ctx)
		if err != nil {
			return false, fmt.Errorf("%s: %w", l.name, err)
		}
		var young, aged []load.Slice
		for turn := range 1 + measurement.Turns {
			fresh, err := l.young()
			if err != nil {
				return false, fmt.Errorf("%s: %w", l.name, err)
			}
			first, err := drive(ctx, run, l, fresh)
			if err != nil {
				return false, err
			}
			second, err := drive(ctx, run, l, old)
			if err != nil {
				return false, err
			}
			if turn > 0 { // the first turn warms both up
				young, aged = append(young, first), append(aged, second)
			}
		}
		within := printAging(table, l, young, aged)
		met = met && within
	}
	return met, table.Flush()
}

// drive measures a slice of requests about a record.
func drive(ctx context.Context, run *measurement.Run, l *life, r *load.Row) (load.Slice, error) {
	before, err := run.Exchange.Written()
	if err != nil {
		return load.Slice{}, err
	}
	done, err := run.Exchange.Server().Measure(ctx, r, load.Amount{Connections: l.connections, Requests: min(l.requests, int64(run.Count))})
	if err != nil {
		return load.Slice{}, err
	}
	after, err := run.Exchange.Written()
	done.Written = float64(after - before)
	return done, err
}

func printAging(out *tabwriter.Writer, l *life, young, aged []load.Slice) (within bool) {
	within = true
	cells := []string{l.name, l.age}
	for _, of := range []func([]load.Slice) float64{
		func(s []load.Slice) float64 { return report.Median(s, report.P50) },
		func(s []load.Slice) float64 { return report.Median(s, report.CPU) },
		writtenKB,
	} {
		first, then := of(young), of(aged)
		cells = append(cells, fmt.Sprintf("%.2f", first), fmt.Sprintf("%.2f", then), fmt.Sprintf("%.2f", then/first))
		within = within && then <= mostAged*first
	}
	errors := int64(0)
	for _, s := range append(young, aged...) {
		errors += s.Errors
	}
	bound := fmt.Sprintf("%.2f%s", mostAged, report.AboveTarget(within))
	if l.told {
		bound, within = "told", true
	}
	fmt.Fprintf(out, "%s\t%s\t%d\n", strings.Join(cells, "\t"), bound, errors)
	return within && errors == 0
}

// writtenKB returns how many KB a request has written, over all slices together: what a slice has written depends on
// whether the log of SQLite was moved into the database meanwhile.
func writtenKB(slices []load.Slice) float64 {
	bytes, requests := 0.0, int64(0)
	for _, s := range slices {
		bytes, requests = bytes+s.Written, requests+s.Requests
	}
	return bytes / 1024 / float64(requests)
}
