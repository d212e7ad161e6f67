package comparison

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// Against returns the comparison of creations with those of another build, whose commands are in a folder. It shows
// what a change of the declarations costs, such as one more index.
func Against(folder string) measurement.Kind {
	return measurement.Kind{Rows: names(createsOf(&records.Book{})),
		Measure: func(ctx context.Context, run *measurement.Run, written *records.Book) (bool, error) {
			return measureAgainst(ctx, run, written, folder)
		}}
}

// createsOf returns the rows of the comparison.
func createsOf(b *records.Book) []*load.Row {
	return []*load.Row{
		createVehicle(),
		{
			Name: "POST /motorCoverage", Route: "/motorCoverage", Status: http.StatusCreated,
			Call: load.Post("/motorCoverage", func(n uint64) []byte {
				return records.NewPolicy(b.Holder, b.Vehicles[n%uint64(len(b.Vehicles))], b.Driver)
			}),
		},
		createClaim(b), createReceipt(b),
		{
			Name: "POST /business", Route: "/business", Status: http.StatusCreated,
			Call: load.Post("/business", func(uint64) []byte { return records.NewBusiness() }),
		},
	}
}

// measureAgainst starts the other build on a folder or a stand-in of MongoDB of its own, measures the rows on both in
// turn, and prints them. The exchange has no target there.
func measureAgainst(
	ctx context.Context, run *measurement.Run, written *records.Book, folder string,
) (met bool, err error) {
	settings := sides.Settings{Connections: run.Connections}
	if run.Mongo { // there is one database of each service
		server, uri, err := sides.StartMongo(run.Commands)
		if err != nil {
			return false, err
		}
		defer func() { _ = server.Kill() }() // its data goes with it
		settings.Mongo = uri
	}
	other, err := sides.StartExchange(ctx, trial.In(folder), run.Data+"-other", settings)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, other.Stop()) }()
	book, err := records.Write(other.Client, run.Policies, run.Connections)
	if err != nil {
		return false, err
	}
	if err := other.Calibrate(ctx); err != nil {
		return false, err
	}
	theirs := createsOf(book)
	results, err := inTurn(ctx, run, other.Server, createsOf(written), func(r *load.Row) *load.Row {
		return theirs[slices.IndexFunc(theirs, func(t *load.Row) bool { return t.Name == r.Name })]
	})
	if err != nil {
		return false, err
	}
	fmt.Fprintln(run.Out, "the other build is that of "+folder+
		"; the ratios are what a request costs here divided by what it costs there")
	var all []string
	for _, r := range results {
		all = append(all, r.row.Name)
	}
	table := run.Table(all)
	for _, r := range results {
		errors := r.errors()
		table.Row(r.row.Name,
			report.Of("here/s", "req/s", 0, each(r.exchange, rate)...),
			report.Of("there/s", "other-req/s", 0, each(r.other, rate)...),
			report.Of("errors", "", 0, float64(errors)).If(errors == 0),
			report.Of("CPU µs", "cpu-us/op", 1, each(r.exchange, load.Slice.Micros)...),
			report.Of("there CPU µs", "other-cpu-us/op", 1, each(r.other, load.Slice.Micros)...),
			report.Of("time ratio", "time-ratio", 3, quotients(r.other, r.exchange, rate)...),
			report.Of("CPU ratio", "cpu-ratio", 3, quotients(r.exchange, r.other, load.Slice.Micros)...))
	}
	return table.Met, nil
}
