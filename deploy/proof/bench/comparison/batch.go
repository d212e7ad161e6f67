package comparison

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
)

// mostBatch is the greatest factor by which a batch may cost more than its creations one by one.
const mostBatch = 1.2

// batched is how many policies a batch creates. With the holder, the vehicle, the driver and a receipt of each it has
// as many operations as it may have.
const batched = 10

// Batch returns the comparison of batches with the same creations one by one, by one caller and by several.
func Batch() measurement.Kind {
	return measurement.Kind{Rows: []string{batchRow(1), batchRow(0)}, Measure: measureBatch}
}

// batchRow returns the name of the row with a number of callers, 0 for as many as the options say.
func batchRow(callers int) string {
	if callers == 1 {
		return "POST /x/batch, one caller"
	}
	return "POST /x/batch, all callers"
}

// creation is one creation of a batch. In its body, what begins with @ stands for a member of an earlier record.
type creation struct {
	ref, resource string
	body          []byte
}

// creations returns those of a batch, each after those that it refers to.
func creations() []creation {
	var all []creation
	for i := range batched {
		of := func(name string) string { return fmt.Sprint(name, i) }
		all = append(all,
			creation{of("p"), "personal", records.NewPerson()}, creation{of("v"), "vehicle", records.NewVehicle()},
			creation{of("d"), "driver", records.NewDriver()},
			creation{of("c"), "motorCoverage", records.NewPolicy("@"+of("p")+".id", "@"+of("v")+".id",
				"@"+of("d")+".id")},
			creation{of("r"), "receipt", records.NewReceipt("@" + of("c") + ".policyNumber")})
	}
	return all
}

// batchBody returns the body of a batch of creations.
func batchBody(all []creation) ([]byte, error) {
	type operation struct {
		Ref    string          `json:"ref"`
		Method string          `json:"method"`
		Path   string          `json:"path"`
		Body   json.RawMessage `json:"body"`
	}
	var operations []operation
	for _, c := range all {
		operations = append(operations, operation{c.ref, http.MethodPost, "/" + c.resource, c.body})
	}
	return json.Marshal(map[string]any{"operations": operations})
}

// sendBatch creates everything with one request, and returns its status; 0 if there is none.
func sendBatch(c *load.Client, key string) int {
	body, err := batchBody(creations())
	if err != nil {
		return 0
	}
	response, err := c.Send(load.Call{Method: http.MethodPost, Path: "/x/batch", Body: body,
		Header: "Idempotency-Key", Value: key})
	if err != nil {
		return 0
	}
	return response.StatusCode()
}

// sendSingly sends one creation after the other, with a key for each, and returns the status of a batch if all succeed.
func sendSingly(c *load.Client, key string) int {
	made := map[string]string{}
	for i, one := range creations() {
		body := string(one.body)
		for reference, value := range made {
			body = strings.ReplaceAll(body, reference, value)
		}
		response, err := c.Send(load.Call{Method: http.MethodPost, Path: "/" + one.resource, Body: []byte(body),
			Header: "Idempotency-Key", Value: fmt.Sprintf("%s-%d", key, i)})
		if err != nil || response.StatusCode() != http.StatusCreated {
			return 0
		}
		var record struct{ ID, PolicyNumber string }
		if json.Unmarshal(response.Body(), &record) != nil {
			return 0
		}
		made["@"+one.ref+".id"], made["@"+one.ref+".policyNumber"] = record.ID, record.PolicyNumber
	}
	return http.StatusOK
}

// measureBatch measures both ways in turn, each once to warm up, and prints them. It reports whether a batch costs
// little more.
func measureBatch(ctx context.Context, run *measurement.Run, _ *records.Book) (met bool, err error) {
	if err := run.Exchange.Calibrate(ctx); err != nil {
		return false, err
	}
	keys := fmt.Sprint("bench-", time.Now().UnixNano(), "-")
	row := func(name, prefix string, send func(*load.Client, string) int) *load.Row {
		return &load.Row{Name: name, Status: http.StatusOK, Perform: func(_ context.Context, n uint64) int {
			return send(run.Exchange.Client, fmt.Sprint(keys, prefix, n))
		}}
	}
	table := run.Table(Batch().Rows)
	for _, callers := range []int{1, 0} {
		name, much := batchRow(callers), run.Slice()
		if !run.Chosen(name) {
			continue
		}
		if callers > 0 {
			much.Connections = callers
		}
		together := row(name, fmt.Sprint("b", callers, "-"), sendBatch)
		singly := row(name, fmt.Sprint("s", callers, "-"), sendSingly)
		r := result{row: together}
		for turn := range 1 + measurement.Turns {
			one, err := run.Exchange.Measure(ctx, together, much)
			if err != nil {
				return false, err
			}
			other, err := run.Exchange.Measure(ctx, singly, much)
			if err != nil {
				return false, err
			}
			if turn > 0 {
				r.exchange, r.other = append(r.exchange, one), append(r.other, other)
			}
		}
		errors, cpu := r.errors(), quotients(r.exchange, r.other, load.Slice.Micros)
		took := quotients(r.exchange, r.other, p50)
		table.Row(name,
			report.Of("batches/s", "batches/s", 0, each(r.exchange, rate)...),
			report.Of("50 creations/s", "singly/s", 0, each(r.other, rate)...),
			report.Of("errors", "", 0, float64(errors)).If(errors == 0),
			report.Of("p50 ms", "p50-ms", 1, each(r.exchange, p50)...),
			report.Of("singly p50 ms", "singly-p50-ms", 1, each(r.other, p50)...),
			report.Of("CPU µs", "cpu-us/op", 0, each(r.exchange, load.Slice.Micros)...),
			report.Of("singly CPU µs", "singly-cpu-us/op", 0, each(r.other, load.Slice.Micros)...),
			report.Of("time ratio", "time-ratio", 2, took...).If(report.Median(took) <= mostBatch),
			report.Of("CPU ratio", "cpu-ratio", 2, cpu...).If(report.Median(cpu) <= mostBatch))
	}
	return table.Met, nil
}
