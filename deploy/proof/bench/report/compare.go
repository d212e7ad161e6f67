package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchmath"
)

// thresholds say what is taken for a change: what would come about by chance in one comparison of a hundred, if
// nothing had changed. Twenty and more are made at once. Five slices against five are then a change only if none of
// the one side lies among those of the other.
var thresholds = benchmath.Thresholds{CompareAlpha: 0.01}

// confidence is that of the intervals around medians. Five slices do not make an interval of 0.95.
const confidence = 0.9

// compared are the figures that are compared, in their order.
var compared = []struct {
	name string
	of   func(Row) []float64
	// digits are those after the point that are printed.
	digits int
}{
	{"CPU µs", func(r Row) []float64 { return each(r.Exchange, CPU) }, 1},
	{"CPU ratio to bare", func(r Row) []float64 { return quotients(r.Bare, r.Exchange, CPU) }, 3},
	{"rate ratio to bare", func(r Row) []float64 { return quotients(r.Exchange, r.Bare, PerSecond) }, 3},
	{"allocations", func(r Row) []float64 { return each(r.Exchange, Objects) }, 1},
	{"allocated KB", func(r Row) []float64 { return each(r.Exchange, kilobytes) }, 2},
}

// Compare compares the files of reports that two arguments name, in each of which blanks separate names.
func Compare(args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New(`compare takes the files of two sides, as in: bench compare old.json "new1.json new2.json"`)
	}
	var sides [2][]*Report
	for i, names := range args {
		for _, file := range strings.Fields(names) {
			r, err := Read(file)
			if err != nil {
				return err
			}
			sides[i] = append(sides[i], r)
		}
		if len(sides[i]) == 0 {
			return errors.New("one side names no file")
		}
	}
	return compareReports(out, sides[0], sides[1])
}

// compareReports prints how the figures of newer reports differ from those of older ones, and which differences are
// more than noise. The slices of all reports of a side are taken together. Rows that one side lacks are left out. It
// returns an error if the reports were not made in the same way.
func compareReports(out io.Writer, older, newer []*Report) error {
	for _, r := range slices.Concat(older, newer) {
		if r.Options.conditions() != older[0].Options.conditions() || r.CPUs != older[0].CPUs || r.System != older[0].System {
			return fmt.Errorf("the reports were not made in the same way: one with %+v on %d CPUs of %s, one with %+v on %d CPUs of %s",
				older[0].Options, older[0].CPUs, older[0].System, r.Options, r.CPUs, r.System)
		}
	}
	describe(out, "old", older)
	describe(out, "new", newer)
	fmt.Fprintf(out, "medians, with their %v %% confidence intervals; ~ is no change that can be told from noise (Mann-Whitney U, alpha %v)\n\n", 100*confidence, thresholds.CompareAlpha)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "row\tfigure\told\tnew\tchange\t")
	rows := 0
	var warnings []error
	for _, t := range older[0].Tables {
		for _, r := range t.Rows {
			before, after := rowsNamed(older, t.Name, r.Name), rowsNamed(newer, t.Name, r.Name)
			if len(after) == 0 {
				continue
			}
			rows++
			for _, figure := range compared {
				one, other := sampleOf(before, figure.of), sampleOf(after, figure.of)
				test := benchmath.AssumeNothing.Compare(one, other)
				from, to := benchmath.AssumeNothing.Summary(one, confidence), benchmath.AssumeNothing.Summary(other, confidence)
				fmt.Fprintf(table, "%s\t%s\t%.*f ± %s\t%.*f ± %s\t%s\t(%s)\n", rowTitle(t.Name, r.Name), figure.name,
					figure.digits, from.Center, from.PctRangeString(), figure.digits, to.Center, to.PctRangeString(),
					test.FormatDelta(from.Center, to.Center), test)
				warnings = append(warnings, slices.Concat(test.Warnings, from.Warnings, to.Warnings)...)
			}
		}
	}
	_ = table.Flush() // a pipe that is gone ends the process
	if rows == 0 {
		return errors.New("the reports have no row in common")
	}
	printWarnings(out, warnings)
	if len(older) == 1 || len(newer) == 1 {
		fmt.Fprintln(out, "\nThe slices of one run are more alike than those of several. Give several reports of each side, made in turn, to be sure.")
	}
	fmt.Fprintln(out, "\nCPU time itself changes with what else the machine does; its ratio to that of the bare handler, and allocations, hardly do.")
	return nil
}

// conditions are the options without those that may differ between reports that are compared.
func (o Options) conditions() Options {
	o.Only = ""
	return o
}

func describe(out io.Writer, side string, all []*Report) {
	for _, r := range all {
		fmt.Fprintf(out, "%s: version %s, %s, measured at %s\n", side, r.Build.Version, r.Build.Go, r.Began.Format("2006-01-02 15:04:05"))
	}
}

// rowTitle is the name of a row, with that of its table where a report has more than one.
func rowTitle(table, row string) string {
	if table == PlainTable {
		return row
	}
	return row + ", " + table
}

// rowsNamed returns a row of a table as each of the reports has it.
func rowsNamed(all []*Report, table, row string) (found []Row) {
	for _, of := range all {
		for _, t := range of.Tables {
			for _, r := range t.Rows {
				if t.Name == table && r.Name == row {
					found = append(found, r)
				}
			}
		}
	}
	return found
}

func sampleOf(rows []Row, figure func(Row) []float64) *benchmath.Sample {
	var values []float64
	for _, r := range rows {
		values = append(values, figure(r)...)
	}
	return benchmath.NewSample(values, &thresholds)
}

// printWarnings prints what the statistics say about their own reliability, each once.
func printWarnings(out io.Writer, warnings []error) {
	var said []string
	for _, w := range warnings {
		if !slices.Contains(said, w.Error()) {
			said = append(said, w.Error())
			fmt.Fprintln(out, "warning:", w)
		}
	}
}
