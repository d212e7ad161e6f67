package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// report is what a run measured, as it is kept in a file.
type report struct {
	Began   time.Time       `json:"began"`
	Build   build           `json:"build"`
	Options reportedOptions `json:"options"`
	// CPUs is the number that all processes of the run shared, and System the operating system and architecture.
	CPUs   int    `json:"cpus"`
	System string `json:"system"`
	// Ready is the time in seconds from the first start of the exchange until it was ready.
	Ready float64 `json:"ready"`
	// Idle and Loaded are the resident memory in bytes at rest after that start, and after the load.
	Idle   int64 `json:"idleMemory"`
	Loaded int64 `json:"loadedMemory"`
	// Tables are those of the run: one, or with -scale the one before records were loaded and the one after.
	Tables []reportedTable `json:"tables"`
}

// build is that of the exchange.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

type reportedOptions struct {
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
	plainTable          = "rows"
	processesTable      = "separate processes"
	mongoTable          = "one process on MongoDB"
	mongoProcessesTable = "separate processes on MongoDB"
	pocketBaseTable     = "PocketBase"
	smallTable          = "small store"
	largeTable          = "large store"
)

type reportedTable struct {
	Name string        `json:"name"`
	Rows []reportedRow `json:"rows"`
}

// reportedRow holds all slices of a row. Those of the same place followed one another.
type reportedRow struct {
	Name     string  `json:"name"`
	Target   float64 `json:"target,omitzero"`
	Exchange []slice `json:"exchange"`
	Bare     []slice `json:"bare"`
}

// add adds a table.
func (r *report) add(name string, results []result) {
	table := reportedTable{Name: name}
	for _, of := range results {
		table.Rows = append(table.Rows, reportedRow{of.row.name, of.row.target, of.exchange, of.bare})
	}
	r.Tables = append(r.Tables, table)
}

// keep writes the report into a file.
func (r *report) keep(file string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// readReport reads a report from a file.
func readReport(file string) (*report, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s is not a report of bench -json: %w", file, err)
	}
	if len(r.Tables) == 0 {
		return nil, fmt.Errorf("%s is not a report of bench -json: it has no tables", file)
	}
	return &r, nil
}
