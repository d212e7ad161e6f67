// Package report prints what was measured: as a table for people, and in Go's benchmark format for benchstat, which
// compares runs.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Cell is a value of a row under a title: a text, or samples whose median is printed.
type Cell struct {
	title, unit, text string
	samples           []float64
	over              bool
}

// Text returns a cell with a text.
func Text(title, text string) Cell { return Cell{title: title, text: text} }

// Of returns a cell with the median of samples, with so many digits after the point. With a unit, they are results.
func Of(title, unit string, digits int, samples ...float64) Cell {
	return Cell{title: title, unit: unit, samples: samples, text: fmt.Sprintf("%.*f", digits, Median(samples))}
}

// If returns the cell, marked unless it is within its bound.
func (c Cell) If(within bool) Cell {
	c.over = !within
	return c
}

// Table prints each row as soon as it is measured, the titles of its cells before the first one.
type Table struct {
	out, results io.Writer
	width        int
	titled       bool
	// Met is false once a cell is outside its bound.
	Met bool
}

// NewTable returns a table of rows with some of these names. The results are nil where none are kept.
func NewTable(out, results io.Writer, names []string) *Table {
	t := &Table{out: out, results: results, Met: true}
	for _, name := range names {
		t.width = max(t.width, utf8.RuneCountInString(name))
	}
	return t
}

// Row prints a row and writes its results. A cell outside its bound has the mark "!".
func (t *Table) Row(name string, cells ...Cell) {
	if !t.titled {
		t.titled = true
		t.line("row", cells, func(c Cell) string { return c.title })
	}
	t.line(name, cells, func(c Cell) string {
		if c.over {
			t.Met = false
			return c.text + " !"
		}
		return c.text
	})
	t.write(name, cells)
}

func (t *Table) line(name string, cells []Cell, text func(Cell) string) {
	const narrowest = 7
	line := fmt.Sprintf("%-*s", t.width, name)
	for _, c := range cells {
		line += fmt.Sprintf("  %-*s", max(narrowest, utf8.RuneCountInString(c.title)), text(c))
	}
	fmt.Fprintln(t.out, strings.TrimRight(line, " "))
}

// write writes a line of Go's benchmark format for each sample of the cells.
func (t *Table) write(name string, cells []Cell) {
	if t.results == nil {
		return
	}
	for n := 0; ; n++ {
		line := ""
		for _, c := range cells {
			if c.unit != "" && n < len(c.samples) {
				line += fmt.Sprintf("\t%.6g %s", c.samples[n], c.unit)
			}
		}
		if line == "" {
			return
		}
		fmt.Fprintf(t.results, "BenchmarkExchange/%s\t1%s\n", strings.ReplaceAll(name, " ", "_"), line)
	}
}

// Median returns the median of samples, the upper one of two.
func Median(samples []float64) float64 {
	return slices.Sorted(slices.Values(samples))[len(samples)/2]
}
