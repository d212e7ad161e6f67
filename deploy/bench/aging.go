package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
)

const (
	// mostChanges is the greatest number of changes of an old record.
	mostChanges = 10_000
	// changesAtOnce is the greatest number of changes in a slice. They make a young record older too.
	changesAtOnce = 500
	// receiptsAtOnce is the greatest number of receipts in a slice. The exchange moves the log of SQLite into the database every 16 MiB,
	// which 500 receipts write a quarter of: whole moves would fall into some slices, and not into others.
	receiptsAtOnce = 4000
	// mostDocuments is the greatest number of documents of an old claim, to which a slice adds documentsAtOnce, up to as many as a claim
	// may have.
	mostDocuments, documentsAtOnce = 990, 10
	// mostAged is the greatest factor by which a request about an old record may cost more than one about a young one.
	mostAged = 1.2
)

// aging returns the comparison of requests about young records with the same ones about old records.
func aging() kindOfMeasurement { return kindOf(livesOf(&bench{}), measureAging) }

// life is a row of the table of aging: requests about one record, while it is young and when it is old.
type life struct {
	name        string
	age         string
	connections int
	requests    int64 // in a slice, at most
	// told says that no bound is held: the number of what the record carries is bounded by a setting.
	told bool
	// young makes another record and returns requests about it.
	young func() (*row, error)
	// old makes a record, and what comes before requests about it cost what they are to cost, and returns those requests.
	old func(ctx context.Context) (*row, error)
}

func (l *life) title() string { return l.name }

// livesOf returns the rows of the table of aging. An old row of the bordereau has so many receipts as the options count.
func livesOf(run *bench) []*life {
	return []*life{
		{
			name: "POST /motorCoverage/{id}:endorse", age: fmt.Sprintf("%d endorsements", changesOfOld(run)), connections: 1, requests: changesAtOnce,
			young: func() (*row, error) { return endorsePolicy(run) },
			old: func(ctx context.Context) (*row, error) {
				r, err := endorsePolicy(run)
				if err == nil {
					_, err = run.exchange.server().measure(ctx, r, amount{connections: 1, requests: changesOfOld(run)})
				}
				return r, err
			},
		},
		{
			name: "POST /receipt", age: fmt.Sprintf("%d receipts of the row", run.count), connections: run.connections, requests: receiptsAtOnce,
			young: func() (*row, error) {
				policy, err := anotherPolicy(run)
				return recordReceipts(policy["policyNumber"]), err
			},
			old: func(ctx context.Context) (*row, error) { return oldRow(ctx, run) },
		},
		{
			name: "POST /claim/{id}/documents", age: fmt.Sprintf("%d documents", documentsOfOld(run)), connections: 1, requests: documentsAtOnce,
			told:  true,
			young: func() (*row, error) { return addDocuments(run) },
			old:   func(ctx context.Context) (*row, error) { return oldClaims(ctx, run) },
		},
	}
}

// documentsOfOld returns how many documents an old claim has.
func documentsOfOld(run *bench) int { return min(mostDocuments, run.count) }

// changesOfOld returns how many changes an old record has.
func changesOfOld(run *bench) int64 { return min(mostChanges, int64(run.count)) }

// anotherPolicy creates a policy and what it needs.
func anotherPolicy(run *bench) (map[string]string, error) {
	var ids [3]string
	for i, of := range []struct {
		resource string
		body     []byte
	}{{"personal", newPerson()}, {"vehicle", newVehicle()}, {"driver", newDriver()}} {
		made, err := run.exchange.create(of.resource, of.body)
		if err != nil {
			return nil, err
		}
		ids[i] = made["id"]
	}
	return run.exchange.create("motorCoverage", newPolicy(ids[0], ids[1], ids[2]))
}

func endorsePolicy(run *bench) (*row, error) {
	policy, err := anotherPolicy(run)
	path, body := "/motorCoverage/"+policy["id"]+":endorse", []byte(`{"endorsementType":"addition"}`)
	return &row{name: "endorse", status: http.StatusOK, call: func(uint64) call { return call{http.MethodPost, path, body} }}, err
}

// addDocuments makes a claim and returns requests that add documents to it.
func addDocuments(run *bench) (*row, error) {
	policy, err := anotherPolicy(run)
	if err != nil {
		return nil, err
	}
	claim, err := run.exchange.create("claim", newClaim(policy["policyNumber"]))
	path, body := "/claim/"+claim["id"]+"/documents", []byte(`{"url":"https://documents.example/claims/1/photographs-of-the-roof.pdf"}`)
	return &row{name: "documents", status: http.StatusOK, call: func(uint64) call { return call{http.MethodPost, path, body} }}, err
}

// oldClaims makes a claim with many documents for each slice, and returns requests that add documents to one after the other.
func oldClaims(ctx context.Context, run *bench) (*row, error) {
	var claims []*row
	for range 1 + turns {
		r, err := addDocuments(run)
		if err == nil {
			_, err = run.exchange.server().measure(ctx, r, amount{connections: 1, requests: int64(documentsOfOld(run))})
		}
		if err != nil {
			return nil, err
		}
		claims = append(claims, r)
	}
	each := uint64(min(documentsAtOnce, run.count))
	return &row{name: "documents", status: http.StatusOK, call: func(n uint64) call {
		return claims[(n-1)/each%uint64(len(claims))].next()
	}}, nil
}

func recordReceipts(policyNumber string) *row {
	return &row{
		name: "receipts of one policy", status: http.StatusCreated, await: awaitRows,
		call: func(uint64) call { return call{http.MethodPost, "/receipt", newReceipt(policyNumber)} },
	}
}

// oldRow loads receipts of one policy straight into the store of the premium service, and has their row computed.
func oldRow(ctx context.Context, run *bench) (*row, error) {
	policy, err := anotherPolicy(run)
	if err != nil {
		return nil, err
	}
	run.exchange.stop() // a store has one owner
	if err := loadReceipts(ctx, filepath.Join(run.data, "premium.db"), policy["policyNumber"], run.count, run.out); err != nil {
		return nil, err
	}
	if err := run.restart(ctx); err != nil {
		return nil, err
	}
	r := recordReceipts(policy["policyNumber"])
	began := time.Now()
	if _, err := run.exchange.server().measure(ctx, r, amount{connections: 1, requests: 1}); err != nil {
		return nil, err
	}
	fmt.Fprintf(run.out, "the row of all %d receipts was computed in %v\n", run.count, time.Since(began).Round(time.Millisecond))
	total, err := sumRows(run.exchange)
	if want := int64(run.count+2) * receiptAmount; err == nil && total != want { // with the first, of which the others are copies, and the last
		err = fmt.Errorf("the row of the loaded receipts is %d, and they add up to %d", total, want)
	}
	return r, err
}

// measureAging prints what a request costs about a young record and about an old one, in turns. It reports whether all are within the
// bound. The CPU time and the bytes are of the whole process, with the computation of rows.
func measureAging(ctx context.Context, run *bench, _ *book) (met bool, err error) {
	met = true
	table := tabwriter.NewWriter(run.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "row\told is after\tyoung p50 ms\told p50 ms\ttimes\tyoung CPU µs\told CPU µs\ttimes\tyoung written KB\told written KB\ttimes\tat most\terrors\n")
	for _, l := range chosen(livesOf(run), run.only) {
		old, err := l.old(ctx)
		if err != nil {
			return false, fmt.Errorf("%s: %w", l.name, err)
		}
		var young, aged []slice
		for turn := range 1 + turns {
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
func drive(ctx context.Context, run *bench, l *life, r *row) (slice, error) {
	before, err := run.exchange.written()
	if err != nil {
		return slice{}, err
	}
	done, err := run.exchange.server().measure(ctx, r, amount{connections: l.connections, requests: min(l.requests, int64(run.count))})
	if err != nil {
		return slice{}, err
	}
	after, err := run.exchange.written()
	done.Written = float64(after - before)
	return done, err
}

func printAging(out *tabwriter.Writer, l *life, young, aged []slice) (within bool) {
	within = true
	cells := []string{l.name, l.age}
	for _, of := range []func([]slice) float64{
		func(s []slice) float64 { return median(s, func(s slice) float64 { return 1e3 * s.P50 }) },
		func(s []slice) float64 {
			return median(s, func(s slice) float64 { return 1e6 * s.CPU / float64(s.Requests) })
		},
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
	bound := fmt.Sprintf("%.2f%s", mostAged, above(within))
	if l.told {
		bound, within = "told", true
	}
	fmt.Fprintf(out, "%s\t%s\t%d\n", strings.Join(cells, "\t"), bound, errors)
	return within && errors == 0
}

// writtenKB returns how many KB a request has written, over all slices together: what a slice has written depends on whether the log of
// SQLite was moved into the database meanwhile.
func writtenKB(slices []slice) float64 {
	bytes, requests := 0.0, int64(0)
	for _, s := range slices {
		bytes, requests = bytes+s.Written, requests+s.Requests
	}
	return bytes / 1024 / float64(requests)
}
