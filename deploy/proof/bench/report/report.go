// Package report has what a run has measured as it is kept, printed, compared and drawn.
package report

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
)

// Report is what a run measured, as it is kept in a file.
type Report struct {
	Began   time.Time `json:"began"`
	Build   Build     `json:"build"`
	Options Options   `json:"options"`
	// CPUs is the number that all processes of the run shared, and System the operating system and architecture.
	CPUs   int    `json:"cpus"`
	System string `json:"system"`
	// Ready is the time in seconds from the first start of the exchange until it was ready.
	Ready float64 `json:"ready"`
	// Idle and Loaded are the resident memory in bytes at rest after that start, and after the load.
	Idle   int64 `json:"idleMemory"`
	Loaded int64 `json:"loadedMemory"`
	// Tables are those of the run: one, or with -scale the one before records were loaded and the one after.
	Tables []Table `json:"tables"`
}

// Build is that of the exchange.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

// Options are those of a run that its figures depend on.
type Options struct {
	// Duration is how long each side of a row was driven, in seconds.
	Duration    float64 `json:"duration"`
	Connections int     `json:"connections"`
	Policies    int     `json:"policies"` // of the book that the rows are about
	Only        string  `json:"only,omitzero"`
	// Count is the number of vehicles, and of policies, that -scale loaded.
	Count int `json:"count,omitzero"`
}

// The names of the tables of a report.
const (
	PlainTable          = "rows"
	ProcessesTable      = "separate processes"
	MongoTable          = "one process on MongoDB"
	MongoProcessesTable = "separate processes on MongoDB"
	PocketBaseTable     = "PocketBase"
	SmallTable          = "small store"
	LargeTable          = "large store"
)

// Table is a table of a run.
type Table struct {
	Name string `json:"name"`
	Rows []Row  `json:"rows"`
}

// Row holds all slices of a row. Those of the same place followed one another.
type Row struct {
	Name     string       `json:"name"`
	Target   float64      `json:"target,omitzero"`
	Exchange []load.Slice `json:"exchange"`
	Bare     []load.Slice `json:"bare"`
}

// Add adds a table.
func (r *Report) Add(name string, results []Result) {
	table := Table{Name: name}
	for _, of := range results {
		table.Rows = append(table.Rows, Row{of.Row.Name, of.Row.Target, of.Exchange, of.Bare})
	}
	r.Tables = append(r.Tables, table)
}

// Keep writes the report into a file.
func (r *Report) Keep(file string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// Read reads a report from a file.
func Read(file string) (*Report, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s is not a report of bench -json: %w", file, err)
	}
	if len(r.Tables) == 0 {
		return nil, fmt.Errorf("%s is not a report of bench -json: it has no tables", file)
	}
	return &r, nil
}
