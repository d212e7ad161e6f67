package comparison

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/valyala/fasthttp"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

// pairs is how often the two requests of a row are made, one after the other.
const pairs = 10_000

// The targets: by what the medians of a pair may differ.
const (
	leastDifference = 50 * time.Microsecond
	mostRatio       = 1.05
)

// pair is a row: two requests whose times are compared, each by a client of its own.
type pair struct {
	name    string
	one     func(n int) load.Call
	other   func(n int) load.Call
	clients [2]*load.Client
	// either says that it does not matter which of the two takes longer.
	either bool
}

// Invisible returns the comparison of requests about what another organisation has with those about what nobody has.
func Invisible() measurement.Kind {
	names := []string{
		"GET vehicle", "GET motorCoverage", "PUT vehicle", "policy as a whole", "history", "claims of a policy",
		"POST claim", "GET vehicle, shared", "POST vehicle, shared",
	}
	return measurement.Kind{Rows: names, Measure: measureInvisible}
}

func measureInvisible(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	settings := sides.Settings{Mongo: run.MongoURL, Connections: run.Connections, Organisation: "acme"}
	data := run.Data + "-shared"
	if run.MongoURL != "" { // there is one database of each service
		if err := run.Exchange.Stop(); err != nil {
			return false, err
		}
		data, settings.Before = run.Data, "before"
	}
	shared, err := sides.StartExchange(ctx, run.Commands, data, settings)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, shared.Stop()) }()
	book, err := records.Write(shared.Client, run.Policies, run.Connections)
	if err != nil {
		return false, err
	}
	zenith, err := shared.In("zenith", run.Connections)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(run.Out, "targets: of %d pairs, the medians differ by less than 5 %% or %v\n", pairs, leastDifference)
	rows := pairsOf(book, zenith)
	if run.MongoURL == "" {
		rows = append(rows, sharedOf(book, written, shared.Client, run.Exchange.Client)...)
	}
	var names []string
	for _, row := range rows {
		if run.Chosen(row.name) {
			names = append(names, row.name)
		}
	}
	table := run.Table(names)
	for _, row := range rows {
		if !run.Chosen(row.name) {
			continue
		}
		of, than, err := row.medians(ctx)
		if err != nil {
			return false, err
		}
		ratio, apart := of/than, time.Duration((of-than)*float64(time.Microsecond))
		if row.either {
			ratio, apart = max(ratio, 1/ratio), max(apart, -apart)
		}
		table.Row(row.name, report.Of("µs", "us/op", 1, of), report.Of("against µs", "other-us/op", 1, than),
			report.Of("ratio", "ratio", 3, of/than).If(ratio <= mostRatio || apart <= leastDifference))
	}
	return table.Met, nil
}

// pairsOf returns the rows about what another organisation has and what nobody has.
func pairsOf(b *records.Book, c *load.Client) []pair {
	call := func(method, path, body string) load.Call {
		made := load.Call{Method: method, Path: path}
		if body != "" {
			made.Body = []byte(body)
		}
		return made
	}
	// What nobody has is made as what is there is: with its first half, by which indexes are sorted.
	unknown := func(id string) string { return id[:24] + uuid.NewString()[24:] }
	var all []pair
	add := func(name string, foreign, nobodys func(n int) load.Call) {
		all = append(all, pair{name, foreign, nobodys, [2]*load.Client{c, c}, true})
	}
	at := func(all []string, n int) string { return all[n%len(all)] }
	for _, row := range []struct{ name, method, path, body string }{
		{"GET vehicle", http.MethodGet, "/vehicle/", ""},
		{"PUT vehicle", http.MethodPut, "/vehicle/", `{"plateNumber":"EX 1","vin":"WVWZZZ1JZXW000001"}`},
		{"history", http.MethodGet, "/x/history/vehicle/", ""},
	} {
		add(row.name, func(n int) load.Call { return call(row.method, row.path+at(b.Vehicles, n), row.body) },
			func(n int) load.Call { return call(row.method, row.path+unknown(at(b.Vehicles, n)), row.body) })
	}
	add("GET motorCoverage", func(int) load.Call { return call(http.MethodGet, "/motorCoverage/"+b.PolicyID, "") },
		func(int) load.Call { return call(http.MethodGet, "/motorCoverage/"+unknown(b.PolicyID), "") })
	nobodys := func(n int) string { // a number of the same form, with the last characters of another one
		number, next := at(b.Policies, n), at(b.Policies, n+1)
		return number[:len(number)/2] + next[len(number)/2:]
	}
	add("policy as a whole", func(n int) load.Call { return call(http.MethodGet, "/x/policy/"+at(b.Policies, n), "") },
		func(n int) load.Call { return call(http.MethodGet, "/x/policy/"+nobodys(n), "") })
	add("claims of a policy",
		func(n int) load.Call { return call(http.MethodGet, "/claim?policyNumber="+at(b.Policies, n), "") },
		func(n int) load.Call { return call(http.MethodGet, "/claim?policyNumber="+nobodys(n), "") })
	add("POST claim", func(n int) load.Call {
		return call(http.MethodPost, "/claim", string(records.NewClaim(at(b.Policies, n))))
	}, func(n int) load.Call { return call(http.MethodPost, "/claim", string(records.NewClaim(nobodys(n)))) })
	return all
}

// sharedOf returns the rows of what a request costs where organisations share the exchange, against where none do.
func sharedOf(on, off *records.Book, shared, alone *load.Client) []pair {
	get := func(b *records.Book) func(n int) load.Call {
		return func(n int) load.Call {
			return load.Call{Method: http.MethodGet, Path: "/vehicle/" + b.Vehicles[n%len(b.Vehicles)]}
		}
	}
	post := func(int) load.Call {
		return load.Call{Method: http.MethodPost, Path: "/vehicle", Body: records.NewVehicle()}
	}
	return []pair{
		{"GET vehicle, shared", get(on), get(off), [2]*load.Client{shared, alone}, false},
		{"POST vehicle, shared", post, post, [2]*load.Client{shared, alone}, false},
	}
}

// medians makes the requests of a row in turn and returns the medians of their times, in microseconds. The statuses
// are the same.
func (p *pair) medians(ctx context.Context) (one, other float64, err error) {
	var times [2][]float64
	for n := range pairs {
		if ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		var statuses [2]int
		for turn := range 2 {
			// Each is the first of every second pair.
			which, made := (turn+n)%2, p.one(n)
			if which == 1 {
				made = p.other(n)
			}
			began := time.Now()
			response, err := p.clients[which].Send(made)
			took := time.Since(began)
			if err != nil {
				return 0, 0, err
			}
			statuses[which] = response.StatusCode()
			times[which] = append(times[which], float64(took.Nanoseconds())/1000)
			fasthttp.ReleaseResponse(response)
		}
		if statuses[0] != statuses[1] {
			return 0, 0, fmt.Errorf("%s: statuses %v", p.name, statuses)
		}
	}
	return report.Median(times[0]), report.Median(times[1]), nil
}
