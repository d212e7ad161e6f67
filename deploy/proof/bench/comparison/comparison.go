package comparison

import (
	"context"
	"fmt"
	"os"
	"slices"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

// Rows returns the comparison of the exchange with the bare handler, of separate processes with the bare handler
// behind a proxy, or of either on MongoDB with MongoDB's driver alone.
func Rows(o measurement.Options) measurement.Kind {
	rows := rowsOf
	switch {
	case o.Mongo:
		rows = mongoRowsOf
	case o.Processes:
		rows = separateRowsOf
	}
	return measurement.Kind{Rows: names(rows(&records.Book{})),
		Measure: func(ctx context.Context, run *measurement.Run, written *records.Book) (bool, error) {
			compare := compareWithBare
			if run.Mongo {
				compare = compareWithDriver
			}
			results, err := compare(ctx, run, written, rows)
			if err != nil {
				return false, err
			}
			loaded := run.Exchange.Resident()
			met := printRows(run, results)
			if run.Processes || run.Mongo {
				return met, nil
			}
			for _, r := range results {
				if r.row.Await == nil {
					continue
				}
				inTime, err := printAggregation(ctx, run, r)
				if err != nil {
					return false, err
				}
				met = met && inTime
			}
			return printMemory(run, loaded) && met, nil
		}}
}

// names returns the names of rows.
func names(rows []*load.Row) (all []string) {
	for _, r := range rows {
		all = append(all, r.Name)
	}
	return all
}

// result is what was measured of a row, slice by slice.
type result struct {
	row             *load.Row
	exchange, other []load.Slice
}

// compareWithBare measures the exchange and a bare handler that gives the same responses. If the exchange is separate
// processes, so is the other side: the bare handler, and a proxy in front of it.
func compareWithBare(ctx context.Context, run *measurement.Run, written *records.Book,
	rows func(*records.Book) []*load.Row) ([]*result, error) {
	var responses []sides.Response
	all := rows(written)
	for _, r := range all {
		canned, err := sample(run.Exchange.Client, r)
		if err != nil {
			return nil, err
		}
		responses = append(responses, canned)
	}
	handler, err := sides.StartBare(responses)
	if err != nil {
		return nil, err
	}
	defer func() { _ = handler.Kill() }()
	address, processes := handler.Address, []process.ID{process.ID(handler.PID())}
	if run.Processes {
		proxy, err := sides.StartProxy(address)
		if err != nil {
			return nil, err
		}
		defer func() { _ = proxy.Kill() }()
		address, processes = proxy.Address, append(processes, process.ID(proxy.PID()))
	}
	bare := &load.Server{Client: load.Dial(address, run.Exchange.Token, run.Connections),
		Processes: processes}
	return inTurn(ctx, run, bare, all, func(r *load.Row) *load.Row { return r })
}

// compareWithDriver measures the exchange and MongoDB's driver, which is in this process, as the callers are.
func compareWithDriver(ctx context.Context, run *measurement.Run, written *records.Book,
	rows func(*records.Book) []*load.Row) ([]*result, error) {
	driver, err := sides.ConnectDriver(ctx, run.MongoURL, run.Connections)
	if err != nil {
		return nil, err
	}
	defer driver.Close()
	self := &load.Server{Processes: []process.ID{process.ID(os.Getpid())}}
	return inTurn(ctx, run, self, rows(written), func(r *load.Row) *load.Row { return driver.Row(r.Name, written) })
}

// inTurn measures both sides of each row that the options choose, each once to warm up. What is asked of the other
// side may be another row.
func inTurn(ctx context.Context, run *measurement.Run, other *load.Server, rows []*load.Row,
	others func(*load.Row) *load.Row) (all []*result, err error) {
	if err := run.Exchange.Calibrate(ctx); err != nil {
		return nil, err
	}
	for _, r := range rows {
		if !run.Chosen(r.Name) {
			continue
		}
		measured, asked := &result{row: r}, others(r)
		for range 1 + measurement.Turns {
			one, err := run.Exchange.Measure(ctx, r, run.Slice())
			if err != nil {
				return nil, err
			}
			another, err := other.Measure(ctx, asked, run.Slice())
			if err != nil {
				return nil, err
			}
			measured.exchange, measured.other = append(measured.exchange, one), append(measured.other, another)
		}
		measured.exchange, measured.other = measured.exchange[1:], measured.other[1:]
		all = append(all, measured)
	}
	return all, nil
}

// sample sends one request of the row and returns the response, which the bare handler will give.
func sample(c *load.Client, r *load.Row) (sides.Response, error) {
	to := r.Next()
	response, err := c.Send(to)
	if err != nil {
		return sides.Response{}, err
	}
	if response.StatusCode() != r.Status {
		return sides.Response{}, fmt.Errorf("%s: status %d: %s", r.Name, response.StatusCode(), response.Body())
	}
	canned := sides.Response{Method: to.Method, Route: r.Route, Status: r.Status, Header: map[string]string{},
		Body: response.Body()}
	for name, value := range response.Header.All() {
		switch string(name) {
		case "Date", "Content-Length": // the server sets them
		default:
			canned.Header[string(name)] = string(value)
		}
	}
	return canned, nil
}

// printRows prints the table, and reports whether every row is at its target and without errors.
func printRows(run *measurement.Run, results []*result) (met bool) {
	other := "bare"
	switch {
	case run.Mongo:
		other = "driver"
		fmt.Fprintln(run.Out,
			"CPU and allocations are those of the exchange, without MongoDB; "+
				"the CPU of the driver is with that of the callers")
	case run.Processes:
		fmt.Fprintln(run.Out,
			"CPU and allocations are those of all processes of a side; "+
				"bare is Go's reverse proxy in front of the bare handler")
	}
	var all []string
	for _, r := range results {
		all = append(all, r.row.Name)
	}
	table := run.Table(all)
	for _, r := range results {
		ratio, errors := report.Median(r.ratios()), r.errors()
		table.Row(r.row.Name,
			report.Of("requests/s", "req/s", 0, each(r.exchange, rate)...),
			report.Of("p50 ms", "p50-ms", 2, each(r.exchange, p50)...),
			report.Of("p99 ms", "p99-ms", 2, each(r.exchange, p99)...),
			report.Of("errors", "", 0, float64(errors)).If(errors == 0),
			report.Of(other+"/s", other+"-req/s", 0, each(r.other, rate)...),
			report.Of("ratio", "ratio", 2, r.ratios()...).If(ratio >= r.row.Target),
			report.Of("target", "", 2, r.row.Target),
			report.Of("CPU µs", "cpu-us/op", 1, each(r.exchange, load.Slice.Micros)...),
			report.Of(other+" CPU µs", other+"-cpu-us/op", 1, each(r.other, load.Slice.Micros)...),
			report.Of("CPU ratio", "cpu-ratio", 2, r.cpuRatios()...),
			report.Of("allocations", "allocs/op", 0, each(r.exchange, load.Slice.Allocations)...),
			report.Of("allocated KB", "KB/op", 1, each(r.exchange, load.Slice.Kilobytes)...))
	}
	return table.Met
}

// The most memory in bytes that the exchange shall have resident after its start, and after the load of the table.
const (
	idleTarget   = 60 << 20
	loadedTarget = 120 << 20
)

// printMemory prints the resident memory and reports whether it is at its targets.
func printMemory(run *measurement.Run, loaded process.Memory) (met bool) {
	for _, of := range []struct {
		name         string
		size, target uint64
	}{{"idle", run.Idle.All, idleTarget}, {"after the load", loaded.All, loadedTarget}} {
		fmt.Fprintf(run.Out, "memory of the exchange, %s: %d MB, target %d MB%s\n", of.name, of.size>>20,
			of.target>>20, exceeds(of.size > of.target))
	}
	return run.Idle.All <= idleTarget && loaded.All <= loadedTarget
}

// exceeds returns the mark of a value outside its bound.
func exceeds(it bool) string {
	if it {
		return " !"
	}
	return ""
}

// ratios returns the rates of the exchange divided by those of the other side in the slices that followed them.
func (r *result) ratios() []float64 { return quotients(r.exchange, r.other, rate) }

// cpuRatios returns the CPU time of a request to the other side divided by that of one to the exchange.
func (r *result) cpuRatios() []float64 { return quotients(r.other, r.exchange, load.Slice.Micros) }

// errors returns the number of requests to both sides that did not get the right response.
func (r *result) errors() (count int) {
	for _, s := range slices.Concat(r.exchange, r.other) {
		count += s.Errors
	}
	return count
}

// quotients returns what a function returns for the slices, divided by what it returns for others at the same time.
func quotients(all, by []load.Slice, of func(load.Slice) float64) []float64 {
	pairs := make([]float64, len(all))
	for i := range pairs {
		pairs[i] = of(all[i]) / of(by[i])
	}
	return pairs
}

// each returns the values that a function returns for the slices.
func each(all []load.Slice, of func(load.Slice) float64) []float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	return values
}
