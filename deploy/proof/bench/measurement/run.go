// Package measurement has what all kinds of measurement share: their options, and the exchange that they measure.
package measurement

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// Options are what the command line says of a measurement.
type Options struct {
	Commands    *trial.Commands
	Duration    time.Duration // how long each side of a row is driven
	Connections int
	Policies    int            // of the book that the rows are about
	Only        *regexp.Regexp // matches the names of the rows to measure; nil: all
	Processes   bool           // whether the gateway and the services are processes of their own
	Mongo       bool           // whether the records are in MongoDB
	MongoURL    string         // of that MongoDB
	Together    bool           // whether the exchange and the callers of -overload share all cores
	Callers     int            // of each row of -overload; 0 for those of its name
	Count       int            // records of each kind that -scale loads
	Profiles    string         // folder for a profile of each row of -overload and -fair; "": none is made
}

// Kind is a kind of measurement.
type Kind struct {
	// Rows are the names of its rows.
	Rows []string
	// Measure measures the rows that the options choose, prints them, and reports whether they are at their targets.
	// The book is the one with which the exchange runs.
	Measure func(ctx context.Context, run *Run, written *records.Book) (met bool, err error)
}

// Run is a run of a measurement.
type Run struct {
	Options
	// Exchange is what is measured, and Data the folder of its data. A measurement may stop it, and has to start it
	// again.
	Exchange *sides.Exchange
	Data     string
	// Out is where what is measured is printed, and Results where it is kept in Go's benchmark format; nil: nowhere.
	Out, Results io.Writer
	// Ready is how long the first start took until /readyz, and Idle the memory at rest after it.
	Ready time.Duration
	Idle  process.Memory
}

// startTarget is the time after its start within which the exchange shall be ready.
const startTarget = time.Second

// Turns is the number of slices of time of each side of a row. The sides take turns, so that other load on the machine
// affects both. benchstat needs six samples for a confidence of 95 %; an odd number has a median.
const Turns = 7

// Start starts the exchange on a folder of data, prints how long that took, and waits until it is at rest.
func Start(ctx context.Context, o Options, data string, out, results io.Writer) (*Run, error) {
	r := &Run{Options: o, Data: data, Out: out, Results: results}
	if err := r.Restart(ctx); err != nil {
		return nil, err
	}
	processes := "1 process"
	if n := len(r.Exchange.Processes); n > 1 {
		processes = fmt.Sprintf("%d processes", n)
	}
	fmt.Fprintf(out, "exchange: %s, time until /readyz %d ms, target of one process %d ms, resident %s\n",
		processes, r.Exchange.Ready.Milliseconds(), startTarget.Milliseconds(), r.Exchange.Resident())
	r.Exchange.Rest(ctx)
	r.Ready, r.Idle = r.Exchange.Ready, r.Exchange.Resident()
	if results == nil {
		return r, nil
	}
	const info = "exchange_build_info"
	about, err := process.Scrape(ctx, r.Exchange.Admin(), info)
	if err == nil {
		_, err = fmt.Fprintf(results, "version: %s\ncommit: %s\ngo: %s\nconnections: %d\npolicies: %d\n",
			about.Label(info, "version"), about.Label(info, "commit"), about.Label(info,
				"goversion"), r.Connections, r.Policies)
	}
	if err != nil {
		_ = r.Exchange.Stop()
		return nil, err
	}
	return r, nil
}

// Restart starts the exchange, which does not run.
func (r *Run) Restart(ctx context.Context) error { return r.restart(ctx, sides.Settings{}) }

// RestartSecured starts it with TLS.
func (r *Run) RestartSecured(ctx context.Context) error {
	return r.restart(ctx, sides.Settings{Secured: true})
}

// RestartPatient starts it so that a request may take some time.
func (r *Run) RestartPatient(ctx context.Context, patience time.Duration) error {
	return r.restart(ctx, sides.Settings{Patience: patience})
}

// RestartShared starts it on data of its own, for organisations that share it. The client acts for the one that is
// named.
func (r *Run) RestartShared(ctx context.Context, organisation string) error {
	return r.restartOn(ctx, r.Data+"-organisations", sides.Settings{Organisation: organisation})
}

func (r *Run) restart(ctx context.Context, s sides.Settings) error {
	return r.restartOn(ctx, r.Data, s)
}

func (r *Run) restartOn(ctx context.Context, data string, s sides.Settings) error {
	s.Separate, s.Mongo, s.Connections, s.Profiling = r.Processes, r.MongoURL, r.Connections, r.Profiles != ""
	started, err := sides.StartExchange(ctx, r.Commands, data, s)
	if err != nil {
		return err
	}
	r.Exchange = started
	return nil
}

// Profile has the exchange profile its CPU time from now on for a duration, if the options name a folder, in which the
// profile gets the name of a row. kept waits for that.
func (r *Run) Profile(ctx context.Context, row string, d time.Duration) (kept func() error) {
	if r.Profiles == "" {
		return func() error { return nil }
	}
	ended := make(chan error, 1)
	go func() {
		url := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", r.Exchange.Admin(), max(1, int(d.Seconds())))
		name := strings.NewReplacer(" ", "-", ",", "").Replace(row) + ".pprof"
		ended <- download(ctx, url, filepath.Join(r.Profiles, name))
	}()
	return func() error { return <-ended }
}

// download keeps what is at a URL in a file.
func download(ctx context.Context, url, file string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", url, response.StatusCode, content)
	}
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o600))
}

// InTime reports whether the first start was as fast as it shall be. Separate processes have no target.
func (r *Run) InTime() bool { return r.Processes || r.Ready <= startTarget }

// Slice returns how much is asked for in a slice of time.
func (r *Run) Slice() load.Amount {
	return load.Amount{Connections: r.Connections, Duration: r.Duration / Turns}
}

// Chosen reports whether the options choose the row of a name.
func (r *Run) Chosen(name string) bool { return r.Only == nil || r.Only.MatchString(name) }

// Table returns a table of rows with some of these names.
func (r *Run) Table(names []string) *report.Table {
	unwanted := func(name string) bool { return !r.Chosen(name) }
	return report.NewTable(r.Out, r.Results, slices.DeleteFunc(slices.Clone(names), unwanted))
}
