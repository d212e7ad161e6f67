package comparison

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
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
func Aging() measurement.Kind {
	k := measurement.Kind{Measure: measureAging}
	for _, l := range livesOf(&measurement.Run{}) {
		k.Rows = append(k.Rows, l.name)
	}
	return k
}

// life is a row of the table of aging: requests about one record, while it is young and when it is old.
type life struct {
	name        string
	age         string
	connections int
	requests    int // in a slice, at most
	// unbounded says that the row has no bound: a setting bounds the number of what the record carries.
	unbounded bool
	// young makes another record and returns requests about it.
	young func() (*load.Row, error)
	// old makes a record, and what comes before requests about it cost what they are to cost, and returns those
	// requests.
	old func(ctx context.Context) (*load.Row, error)
}

// livesOf returns the rows of the table of aging. An old row of the bordereau has so many receipts as the options
// count.
func livesOf(run *measurement.Run) []*life {
	return []*life{
		{
			name: "POST /motorCoverage/{id}:endorse", age: fmt.Sprintf("%d endorsements",
				changesOfOld(run)), connections: 1, requests: changesAtOnce,
			young: func() (*load.Row, error) { return endorsePolicy(run) },
			old: func(ctx context.Context) (*load.Row, error) {
				r, err := endorsePolicy(run)
				if err == nil {
					_, err = run.Exchange.Measure(ctx, r, load.Amount{Connections: 1, Requests: changesOfOld(run)})
				}
				return r, err
			},
		},
		{
			name: "POST /receipt", age: fmt.Sprintf("%d receipts of the row",
				run.Count), connections: run.Connections, requests: receiptsAtOnce,
			young: func() (*load.Row, error) {
				policy, err := anotherPolicy(run)
				return recordReceipts(policy["policyNumber"]), err
			},
			old: func(ctx context.Context) (*load.Row, error) { return oldRow(ctx, run) },
		},
		{
			name: "POST /claim/{id}/documents", age: fmt.Sprintf("%d documents",
				documentsOfOld(run)), connections: 1, requests: documentsAtOnce,
			unbounded: true,
			young:     func() (*load.Row, error) { return addDocuments(run) },
			old:       func(ctx context.Context) (*load.Row, error) { return oldClaims(ctx, run) },
		},
	}
}

// documentsOfOld returns how many documents an old claim has.
func documentsOfOld(run *measurement.Run) int { return min(mostDocuments, run.Count) }

// changesOfOld returns how many changes an old record has.
func changesOfOld(run *measurement.Run) int { return min(mostChanges, run.Count) }

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
	return &load.Row{Name: "endorse", Status: http.StatusOK,
		Call: load.Post(path, func(uint64) []byte { return body })}, err
}

// addDocuments makes a claim and returns requests that add documents to it.
func addDocuments(run *measurement.Run) (*load.Row, error) {
	policy, err := anotherPolicy(run)
	if err != nil {
		return nil, err
	}
	claim, err := run.Exchange.Create("claim", records.NewClaim(policy["policyNumber"]))
	path := "/claim/" + claim["id"] + "/documents"
	body := []byte(`{"url":"https://documents.example/claims/1/photographs-of-the-roof.pdf"}`)
	return &load.Row{Name: "documents", Status: http.StatusOK,
		Call: load.Post(path, func(uint64) []byte { return body })}, err
}

// oldClaims makes a claim with many documents for each slice, and returns requests that add documents to one after
// the other.
func oldClaims(ctx context.Context, run *measurement.Run) (*load.Row, error) {
	var claims []*load.Row
	for range 1 + measurement.Turns {
		r, err := addDocuments(run)
		if err == nil {
			_, err = run.Exchange.Measure(ctx, r, load.Amount{Connections: 1, Requests: documentsOfOld(run)})
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
		Name: "receipts of one policy", Status: http.StatusCreated, Await: AwaitRows,
		Call: load.Post("/receipt", func(uint64) []byte { return records.NewReceipt(policyNumber) }),
	}
}

// oldRow loads copies of a receipt of one policy straight into the store of the premium service, and has their row
// computed.
func oldRow(ctx context.Context, run *measurement.Run) (*load.Row, error) {
	policy, err := anotherPolicy(run)
	if err != nil {
		return nil, err
	}
	receipt, err := run.Exchange.Create("receipt", records.NewReceipt(policy["policyNumber"]))
	if err == nil {
		_, err = AwaitRows(ctx, run.Exchange.Server) // a copy has no mark
	}
	if err := errors.Join(err, run.Exchange.Stop()); err != nil { // a store has one owner
		return nil, err
	}
	if err := records.LoadReceipts(ctx, filepath.Join(run.Data, "premium.db"), receipt["id"], run.Count,
		run.Out); err != nil {
		return nil, err
	}
	if err := run.Restart(ctx); err != nil {
		return nil, err
	}
	before, err := sumRows(run.Exchange)
	if err != nil {
		return nil, err
	}
	r := recordReceipts(policy["policyNumber"])
	began := time.Now()
	if _, err := run.Exchange.Measure(ctx, r, load.Amount{Connections: 1, Requests: 1}); err != nil {
		return nil, err
	}
	fmt.Fprintf(run.Out, "the row of all %d receipts was computed in %v\n", run.Count,
		time.Since(began).Round(time.Millisecond))
	total, err := sumRows(run.Exchange)
	if want := before + int64(run.Count+1)*records.ReceiptAmount; err == nil && total != want {
		err = fmt.Errorf("the rows of the bordereau are %d, and the receipts add up to %d", total, want)
	}
	return r, err
}

// measureAging prints what a request costs about a young record and about an old one, in turns. It reports whether
// all are within the bound. The CPU time and the bytes are of the whole process, with the computation of rows.
func measureAging(ctx context.Context, run *measurement.Run, _ *records.Book) (met bool, err error) {
	table := run.Table(Aging().Rows)
	for _, l := range livesOf(run) {
		if !run.Chosen(l.name) {
			continue
		}
		young, old, err := measureLife(ctx, run, l)
		if err != nil {
			return false, fmt.Errorf("%s: %w", l.name, err)
		}
		printLife(table, l, young, old)
	}
	return table.Met, nil
}

// measureLife measures requests about young records and about old ones, in turns. The first turn warms both up.
func measureLife(ctx context.Context, run *measurement.Run, l *life) (young, old []load.Slice, err error) {
	aged, err := l.old(ctx)
	if err != nil {
		return nil, nil, err
	}
	much := load.Amount{Connections: l.connections, Requests: min(l.requests, run.Count)}
	for range 1 + measurement.Turns {
		fresh, err := l.young()
		if err != nil {
			return nil, nil, err
		}
		first, err := run.Exchange.Measure(ctx, fresh, much)
		if err != nil {
			return nil, nil, err
		}
		second, err := run.Exchange.Measure(ctx, aged, much)
		if err != nil {
			return nil, nil, err
		}
		young, old = append(young, first), append(old, second)
	}
	return young[1:], old[1:], nil
}

func printLife(table *report.Table, l *life, young, old []load.Slice) {
	cells := []report.Cell{report.Text("old is after                   ", l.age)}
	for _, figure := range []struct {
		title, unit string
		of          func([]load.Slice) []float64
	}{
		{"p50 ms", "p50-ms", func(s []load.Slice) []float64 { return each(s, p50) }},
		{"CPU µs", "cpu-us/op", func(s []load.Slice) []float64 { return each(s, load.Slice.Micros) }},
		{"written KB", "written-KB/op", writtenKB},
	} {
		first, then := figure.of(young), figure.of(old)
		times := report.Median(then) / report.Median(first)
		cells = append(cells,
			report.Of("young "+figure.title, "young-"+figure.unit, 2, first...),
			report.Of("old "+figure.title, "old-"+figure.unit, 2, then...),
			report.Of("times", "", 2, times).If(l.unbounded || times <= mostAged))
	}
	errors := 0
	for _, s := range append(young, old...) {
		errors += s.Errors
	}
	table.Row(l.name, append(cells, report.Of("errors", "", 0, float64(errors)).If(errors == 0))...)
}

// writtenKB returns how many KB a request has written, over all slices together: what a slice has written depends on
// whether the log of SQLite was moved into the database meanwhile.
func writtenKB(slices []load.Slice) []float64 {
	bytes, requests := 0.0, 0
	for _, s := range slices {
		bytes, requests = bytes+s.Written, requests+s.Requests
	}
	return []float64{bytes / 1024 / float64(requests)}
}
