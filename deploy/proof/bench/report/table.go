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

// Column is a column of a table. Its digits are those after the point. With a unit, its values are results too.
type Column struct {
	Title, Unit string
	Digits      int
}

// Cell is a value of a row: a text, or the samples whose median is printed.
type Cell struct {
	text    string
	samples []float64
	over    bool
}

// Text returns a cell with a text.
func Text(format string, args ...any) Cell { return Cell{text: fmt.Sprintf(format, args...)} }

// Of returns a cell with the median of samples.
func Of(samples ...float64) Cell { return Cell{samples: samples} }

// If returns the cell, marked unless it is within its bound.
func (c Cell) If(within bool) Cell {
	c.over = !within
	return c
}

// Table prints each row as soon as it is measured.
type Table struct {
	out, results io.Writer
	columns      []Column
	width        int
	// Met is false once a cell is outside its bound.
	Met bool
}

// NewTable prints the titles of a table whose rows will have some of these names. The results are nil where none are
// kept.
func NewTable(out, results io.Writer, names []string, columns ...Column) *Table {
	t := &Table{out: out, results: results, columns: columns, Met: true}
	var titles []string
	for _, c := range columns {
		titles = append(titles, c.Title)
	}
	for _, name := range names {
		t.width = max(t.width, utf8.RuneCountInString(name))
	}
	t.line("row", titles)
	return t
}

// Row prints a row and writes its results. A cell outside its bound has the mark "!".
func (t *Table) Row(name string, cells ...Cell) {
	var texts []string
	for i, c := range cells {
		if len(c.samples) > 0 {
			c.text = fmt.Sprintf("%.*f", t.columns[i].Digits, Median(c.samples))
		}
		if c.over {
			c.text, t.Met = c.text+" !", false
		}
		texts = append(texts, c.text)
	}
	t.line(name, texts)
	t.write(name, cells)
}

func (t *Table) line(name string, texts []string) {
	const narrowest = 7
	line := fmt.Sprintf("%-*s", t.width, name)
	for i, text := range texts {
		line += fmt.Sprintf("  %-*s", max(narrowest, utf8.RuneCountInString(t.columns[i].Title)), text)
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
		for i, c := range cells {
			if t.columns[i].Unit != "" && n < len(c.samples) {
				line += fmt.Sprintf("\t%.6g %s", c.samples[n], t.columns[i].Unit)
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
