package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

const (
	// changesOfOld is the greatest number of changes of an old record.
	changesOfOld = 10_000
	// changesAtOnce is the greatest number of changes in a slice. They make a young record older too.
	changesAtOnce = 500
	// receiptsAtOnce is the greatest number of receipts in a slice. The exchange moves the log of SQLite into the database every 16 MiB,
	// which 500 receipts write a quarter of: whole moves would fall into some slices, and not into others.
	receiptsAtOnce = 4000
	// documentsOfOld is the greatest number of documents of an old claim, to which a slice adds documentsAtOnce, up to as many as a claim
	// may have.
	documentsOfOld, documentsAtOnce = 990, 10
	// mostAged is the greatest factor by which a request about an old record may cost more than one about a young one.
	mostAged = 1.2
)

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
func (b *bench) livesOf() []*life {
	return []*life{
		{
			name: "POST /motorCoverage/{id}:endorse", age: fmt.Sprintf("%d endorsements", b.changesOfOld()), connections: 1, requests: changesAtOnce,
			young: b.endorsePolicy,
			old: func(ctx context.Context) (*row, error) {
				r, err := b.endorsePolicy()
				if err == nil {
					_, err = b.exchange.server().measure(ctx, r, amount{connections: 1, requests: b.changesOfOld()})
				}
				return r, err
			},
		},
		{
			name: "POST /receipt", age: fmt.Sprintf("%d receipts of the row", b.count), connections: b.connections, requests: receiptsAtOnce,
			young: func() (*row, error) {
				policy, err := b.anotherPolicy()
				return recordReceipts(policy["policyNumber"]), err
			},
			old: b.oldRow,
		},
		{
			name: "POST /claim/{id}/documents", age: fmt.Sprintf("%d documents", b.documentsOfOld()), connections: 1, requests: documentsAtOnce,
			told: true, young: b.addDocuments, old: b.oldClaims,
		},
	}
}

// documentsOfOld returns how many documents an old claim has.
func (b *bench) documentsOfOld() int { return min(documentsOfOld, b.count) }

// changesOfOld returns how many changes an old record has.
func (b *bench) changesOfOld() int64 { return min(changesOfOld, int64(b.count)) }

// anotherPolicy creates a policy and what it needs.
func (b *bench) anotherPolicy() (map[string]string, error) {
	var ids [3]string
	for i, of := range []struct {
		resource string
		body     []byte
	}{{"personal", personOf()}, {"vehicle", newVehicle()}, {"driver", []byte(driverBody)}} {
		made, err := b.exchange.create(of.resource, of.body)
		if err != nil {
			return nil, err
		}
		ids[i] = made["id"]
	}
	return b.exchange.create("motorCoverage", newPolicy(ids[0], ids[1], ids[2]))
}

// personOf returns the body of a person whose document has a number of its own.
func personOf() []byte {
	return []byte(strings.Replace(policyholderBody, `"X1"`, strconv.Quote(fmt.Sprint("X", serials.Add(1))), 1))
}

func (b *bench) endorsePolicy() (*row, error) {
	policy, err := b.anotherPolicy()
	path, body := "/motorCoverage/"+policy["id"]+":endorse", []byte(`{"endorsementType":"addition"}`)
	return &row{name: "endorse", status: http.StatusOK, call: func(uint64) call { return call{http.MethodPost, path, body} }}, err
}

// addDocuments makes a claim and returns requests that add documents to it.
func (b *bench) addDocuments() (*row, error) {
	policy, err := b.anotherPolicy()
	if err != nil {
		return nil, err
	}
	claim, err := b.exchange.create("claim", newClaim(policy["policyNumber"]))
	path, body := "/claim/"+claim["id"]+"/documents", []byte(`{"url":"https://documents.example/claims/1/photographs-of-the-roof.pdf"}`)
	return &row{name: "documents", status: http.StatusOK, call: func(uint64) call { return call{http.MethodPost, path, body} }}, err
}

// oldClaims makes a claim with many documents for each slice, and returns requests that add documents to one after the other.
func (b *bench) oldClaims(ctx context.Context) (*row, error) {
	var claims []*row
	for range 1 + turns {
		r, err := b.addDocuments()
		if err == nil {
			_, err = b.exchange.server().measure(ctx, r, amount{connections: 1, requests: int64(b.documentsOfOld())})
		}
		if err != nil {
			return nil, err
		}
		claims = append(claims, r)
	}
	each := uint64(min(documentsAtOnce, b.count))
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
func (b *bench) oldRow(ctx context.Context) (*row, error) {
	policy, err := b.anotherPolicy()
	if err != nil {
		return nil, err
	}
	b.exchange.stop() // a store has one owner
	if err := b.loadReceipts(ctx, policy["policyNumber"]); err != nil {
		return nil, err
	}
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	r := recordReceipts(policy["policyNumber"])
	began := time.Now()
	if _, err := b.exchange.server().measure(ctx, r, amount{connections: 1, requests: 1}); err != nil {
		return nil, err
	}
	fmt.Fprintf(b.out, "the row of all %d receipts was computed in %v\n", b.count, time.Since(began).Round(time.Millisecond))
	total, err := b.exchange.sumRows()
	if want := int64(b.count+2) * receiptAmount; err == nil && total != want { // with the first, of which the others are copies, and the last
		err = fmt.Errorf("the row of the loaded receipts is %d, and they add up to %d", total, want)
	}
	return r, err
}

func (b *bench) loadReceipts(ctx context.Context, policyNumber string) error {
	store, err := sqlitestore.Open(ctx, filepath.Join(b.data, "premium.db"))
	if err != nil {
		return err
	}
	receipt, err := makeReceiptTemplate(ctx, store, policyNumber)
	if err == nil {
		err = receipt.multiply(ctx, b.count, b.out, func(int, docstore.Document) {})
	}
	return errors.Join(err, store.Close())
}

// measureAging prints what a request costs about a young record and about an old one, in turns. It reports whether all are within the
// bound. The CPU time and the bytes are of the whole process, with the computation of rows.
func (b *bench) measureAging(ctx context.Context, _ *book) (met bool, err error) {
	met = true
	table := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "row\told is after\tyoung p50 ms\told p50 ms\ttimes\tyoung CPU µs\told CPU µs\ttimes\tyoung written KB\told written KB\ttimes\tat most\terrors\n")
	for _, l := range chosen(b.livesOf(), b.only) {
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
			first, err := b.drive(ctx, l, fresh)
			if err != nil {
				return false, err
			}
			second, err := b.drive(ctx, l, old)
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
func (b *bench) drive(ctx context.Context, l *life, r *row) (slice, error) {
	before, err := b.exchange.written()
	if err != nil {
		return slice{}, err
	}
	done, err := b.exchange.server().measure(ctx, r, amount{connections: l.connections, requests: min(l.requests, int64(b.count))})
	if err != nil {
		return slice{}, err
	}
	after, err := b.exchange.written()
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

// written returns how many bytes the process has had written to disks.
func (c *child) written() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", c.pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if bytes, is := strings.CutPrefix(line, "write_bytes: "); is {
			return strconv.ParseInt(strings.TrimSpace(bytes), 10, 64)
		}
	}
	return 0, errors.New("/proc does not say how many bytes the exchange has written")
}
