package client

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/text/encoding/htmlindex"

	"insurance.example/exchange/deploy/exchange/client/resource"
	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/deploy/exchange/progress"
)

// importing says what to import.
type importing struct {
	resource                                 resource.Resource
	file, format, delimiter, batch, rejected string
	concurrency                              int
	extensions, dryRun                       bool
	dateOrder, decimal, encoding             string
	written                                  written
}

const importHelp = `Create the records of a file: NDJSON (a record on each line), CSV or a workbook (XLSX). FILE may
be -, the standard input.

In a table, a column is a member, "address.city" a member of a member; lists have semicolons between their values; an
empty cell is an absent member; rows without any value are skipped. A column that the interface does not name is
refused, or with --extensions kept as a member of your own: JSON where it reads as JSON, else text. What is between
the cells of CSV is found from the header. An apostrophe before what a spreadsheet would take for a formula is taken
away, as export puts it there. Dates of a workbook are days, and times in UTC.

Days, numbers and letters are read as the interface writes them (2026-12-31, 1234.5, UTF-8). Where a file writes them in
another way, say so: --date-order dmy (31.12.2026, 31/12/2026), --decimal comma (1.234,5), --encoding windows-1252.
Nothing of that is guessed, and what does not fit is refused; --dry-run shows what was understood. In a workbook only
days written as text have an order: its numbers are numbers.

An import can be stopped at any time, and resumed by the same command: each record has an Idempotency-Key made from
its content, so none is created twice, also if rows were corrected, moved or added meanwhile. That holds for the same
caller, and for as long as the exchange remembers keys (its --key-retention). Equal records within a file are all
created. Equal records of another file are not, unless it is imported as another --batch.

Records that the exchange refuses are written to a file of their own in the form of the input, with a column (in
NDJSON: a member) "` + reasonName + `" that says why. Mend them there and import that file: the column is left out.
The exit status is then 1. Records are created several at a time, and so not quite in the order of the file;
--concurrency 1 keeps it.

A line is printed for each record that is there, in the order of the file: the line or row of the file, the id of the
record, and the number or name that people know it by, with tabs between them. So the ids of vehicles, say, can be
joined to the rows of the policies that insure them.

--dry-run creates nothing. Each record is held against the OpenAPI document of the exchange: its members, their types
and formats, the value sets in force, what is required. A claim is also held against its policy, by the exchange. What
only a creation can tell is not checked: whether the records that it refers to exist, whether something unique is
taken, whether dates are in order.`

func (p *program) imports() *cobra.Command {
	command := &cobra.Command{
		Use: "import RESOURCE FILE", Short: "Create the records of a file: NDJSON, CSV or a workbook (XLSX)",
		Long: importHelp,
		Example: `  exchange import vehicle fleet.csv --dry-run
  exchange import vehicle fleet.csv
  exchange import vehicle fleet.xlsx --batch again
  exchange import vehicle fleet.csv --date-order dmy --decimal comma --encoding windows-1252 --dry-run
  exchange import receipt may.ndjson --batch 2026-05 --concurrency 16
  exchange export driver --url $EXCHANGE_URL | exchange import driver - --format ndjson`,
		Args: p.arguments(1, creatable), ValidArgsFunction: p.completeResource(creatable, completeFile),
	}
	connect := p.registerConnection(command)
	var i importing
	flags := command.Flags()
	flags.StringVar(&i.format, "format", "", "format of FILE: ndjson, csv or xlsx; by its name where not given")
	flags.StringVar(&i.delimiter, "delimiter", "",
		"what is between the cells of CSV: comma, semicolon or tab; found from the header where not given")
	flags.StringVar(&i.dateOrder, "date-order", "",
		"how days are written: ymd, dmy or mdy; where not given, as the interface writes them")
	flags.StringVar(&i.decimal, "decimal", "",
		"what is before the fraction of a number in CSV: comma or point; where not given, as the interface writes it")
	flags.StringVar(&i.encoding, "encoding", "", "encoding of CSV, such as windows-1252 or utf-16le (default utf-8)")
	flags.BoolVar(&i.extensions, "extensions", false,
		"keep columns that the interface does not name as members of your own")
	flags.BoolVar(&i.dryRun, "dry-run", false, "check the records and create none")
	flags.StringVar(&i.batch, "batch", "", "name of the batch: records equal to those of another batch are created too")
	flags.StringVar(&i.rejected, "rejected", "",
		"file for the records that are refused (default FILE.rejected and its ending)")
	flags.IntVar(&i.concurrency, "concurrency", 8, "how many records are on their way at a time, 1 to 64")
	complete(command, "format", formats...)
	complete(command, "delimiter", "comma", "semicolon", "tab")
	complete(command, "date-order", slices.Sorted(maps.Keys(table.DateOrders))...)
	complete(command, "decimal", table.Decimals...)
	complete(command, "encoding", "utf-8", "windows-1252", "iso-8859-15", "windows-1250", "utf-16le")
	command.RunE = func(command *cobra.Command, args []string) error {
		i.resource, i.file = p.resource(args[0]), args[1]
		if err := i.settle(); err != nil {
			return err
		}
		c, err := p.call(connect)
		if err != nil {
			return err
		}
		return p.importFile(command.Context(), c, i)
	}
	return command
}

// settle sets the defaults of options that were not given.
func (i *importing) settle() error {
	if i.format == "" {
		if i.format = formatOf(i.file); i.format == "" {
			return usage("the name %q stands for no format; give --format ndjson, csv or xlsx", i.file)
		}
	}
	if err := oneOf("format", i.format, formats...); err != nil {
		return err
	}
	if i.delimiter != "" && delimiters[i.delimiter] == 0 {
		return usage("--delimiter is comma, semicolon or tab, not %q", i.delimiter)
	}
	if err := i.settleWritten(); err != nil {
		return err
	}
	if i.concurrency < 1 || i.concurrency > mostConnections {
		return usage("--concurrency is 1 to %d", mostConnections)
	}
	if i.rejected == "" {
		i.rejected = rejectedName(i.file, i.resource.Name, i.format)
	}
	if filepath.Clean(i.rejected) == filepath.Clean(i.file) {
		return usage("--rejected would overwrite the file that is imported")
	}
	return nil
}

// settleWritten sets how the file is written.
func (i *importing) settleWritten() (err error) {
	switch {
	case i.format == ndjson && i.dateOrder+i.decimal+i.encoding != "":
		return usage("NDJSON is written in one way; --date-order, --decimal and --encoding are for tables")
	case i.format == asXLSX && i.decimal+i.encoding != "":
		return usage("a workbook writes numbers and letters in one way; --decimal and --encoding are for CSV")
	case i.dateOrder != "" && table.DateOrders[i.dateOrder] == "":
		return usage("--date-order is ymd, dmy or mdy, not %q", i.dateOrder)
	case i.decimal != "" && !slices.Contains(table.Decimals, i.decimal):
		return usage("--decimal is comma or point, not %q", i.decimal)
	}
	i.written = written{
		notation: table.Notation{Order: i.dateOrder, Decimal: i.decimal}, understood: &table.Understood{},
	}
	if i.encoding != "" {
		if i.written.encoding, err = htmlindex.Get(i.encoding); err != nil {
			return usage("--encoding %q is no encoding that is known here; there are utf-8, windows-1252, "+
				"iso-8859-15, utf-16le and the others of the WHATWG's list", i.encoding)
		}
	}
	return nil
}

// flags returns the flags with which a further command reads a file that is written like this one.
func (i *importing) flags() (words string) {
	for _, f := range []struct{ name, value string }{
		{"delimiter", i.delimiter}, {"date-order", i.dateOrder}, {"decimal", i.decimal}, {"encoding", i.encoding},
	} {
		if f.value != "" {
			words += " --" + f.name + " " + Quoted(f.value)
		}
	}
	if i.extensions {
		words += " --extensions"
	}
	return words
}

var rejectedBefore = regexp.MustCompile(`\.rejected(?:-(\d+))?$`)

// rejectedName returns the name of the file of rejected records of a file: fleet.rejected.csv of fleet.csv, and
// fleet.rejected-2.csv of that.
func rejectedName(file, resource, format string) string {
	if file == "-" {
		return resource + ".rejected." + format
	}
	ending := filepath.Ext(file)
	if formatOf(file) == "" {
		ending = "." + format
	}
	name := strings.TrimSuffix(file, filepath.Ext(file))
	match := rejectedBefore.FindStringSubmatchIndex(name)
	if match == nil {
		return name + ".rejected" + ending
	}
	time := 2
	if match[2] >= 0 {
		if before, err := strconv.Atoi(name[match[2]:match[3]]); err == nil {
			time = before + 1
		}
	}
	return fmt.Sprintf("%s.rejected-%d%s", name[:match[0]], time, ending)
}

func (p *program) importFile(ctx context.Context, c *caller, i importing) (err error) {
	input, size := p.In, int64(-1)
	if i.file != "-" {
		file, err := os.Open(i.file)
		if err != nil {
			return usage("%v", err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		input = file
	}
	columns, form := table.Of(i.resource), &layout{encoding: i.written.encoding}
	run := &importRun{
		importing: i, caller: c, keys: newKeys(i.resource.Name, i.batch), progress: progress.New(p.Err, size),
		rejects: &rejects{path: i.rejected, layout: form, kinds: columns}, out: p.Out, made: map[int]string{},
	}
	if i.dryRun {
		if run.checker, err = c.newChecker(ctx, i.resource.Name); err != nil {
			return err
		}
	}
	err = run.all(ctx, i.rows(input, columns, form))
	if ended := run.progress.End(); err == nil {
		err = ended
	}
	if closed := run.rejects.close(err == nil); err == nil && closed != nil {
		return fmt.Errorf("%s: %w", i.rejected, closed)
	}
	if err != nil {
		if i.dryRun || run.done() == 0 {
			return err
		}
		return &hinted{
			err, fmt.Sprintf("%s. The same command goes on from here: what was created is not created again.", run),
		}
	}
	return p.conclude(run)
}

// conclude prints what a completed import has done.
func (p *program) conclude(run *importRun) error {
	if _, err := fmt.Fprintf(p.Out, "%s.\n", run); err != nil {
		return err
	}
	if run.dryRun {
		fmt.Fprintln(p.Err, run.checker.scope())
		if words := run.written.understood.String(); words != "" {
			fmt.Fprintf(p.Err, "Understood, as declared: %s.\n", words)
		}
	}
	if run.replayed > 0 {
		fmt.Fprintln(p.Err, "Records that were already there had been imported before. If they are meant to be "+
			"new, give the import a --batch of its own.")
	}
	if run.rejects.count > 0 {
		return &hinted{
			fmt.Errorf("%d records were refused; %s says why", run.rejects.count, run.rejected),
			fmt.Sprintf("Mend them there, and then: exchange import %s %s%s%s", run.resource.Name, Quoted(run.rejected),
				run.flags(), run.caller.given),
		}
	}
	return nil
}

// rows yields the records of a file, and fills in how a table was written.
func (i importing) rows(r io.Reader, columns table.Columns, form *layout) iter.Seq2[row, error] {
	switch i.format {
	case asCSV:
		return csvSource{columns, delimiters[i.delimiter], i.extensions, i.written, form}.rows(r)
	case asXLSX:
		return xlsxSource{i.resource.Name, columns, i.extensions, i.written, form}.rows(r)
	default:
		return readNDJSON(r)
	}
}
