package client

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/deploy/exchange/progress"
	"insurance.example/exchange/pkg/resource"
)

// importing says what to import.
type importing struct {
	resource                                 resource.Resource
	file, format, delimiter, batch, rejected string
	concurrency                              int
	extensions, dryRun                       bool
	dateOrder, decimal, encodingName         string
	profile, sheet, hiddenRows               string
	headerRow                                int               // 0: the first with a value
	encoding                                 encoding.Encoding // nil: UTF-8, or UTF-16 if a byte order mark says so
}

// The values of --date-order and --decimal.
var (
	dateOrders = []string{reconciliation.YearFirst, reconciliation.DayFirst, reconciliation.MonthFirst}
	decimals   = []string{"comma", "point"}
)

func (p *program) imports() *cobra.Command {
	command := command("import", p.arguments(1, creatable), p.completeResource(creatable, completeFile))
	connect := p.registerConnection(command)
	var i importing
	flags := command.Flags()
	choice(command, &i.format, "format", "", formats,
		"format of FILE: ndjson, csv or xlsx; by its name where not given")
	flags.StringVar(&i.delimiter, "delimiter", "",
		"what is between the cells of CSV: comma, semicolon or tab; found from the header where not given")
	choice(command, &i.dateOrder, "date-order", "", dateOrders,
		"how days are written: ymd, dmy or mdy; where not given, as the interface writes them")
	choice(command, &i.decimal, "decimal", "", decimals,
		"what is before the fraction of a number in CSV: comma or point; where not given, as the interface writes it")
	flags.StringVar(&i.encodingName, "encoding", "",
		"encoding of CSV, such as windows-1252 or utf-16le (default utf-8)")
	flags.StringVar(&i.sheet, "sheet", "", "name of the sheet of a workbook (default the first that is not hidden)")
	flags.IntVar(&i.headerRow, "header-row", 0, "row of a table that is its header (default the first with a value)")
	choice(command, &i.hiddenRows, "hidden-rows", "", []string{reconciliation.ReadHidden, reconciliation.SkipHidden},
		"what to do with rows of a workbook that are hidden or filtered: read or skip; refused where not given")
	flags.StringVar(&i.profile, "profile", "",
		"profile that a table is read by, of your own or shipped, such as motor; RESOURCE is then one that it makes")
	flags.BoolVar(&i.extensions, "extensions", false,
		"keep columns that the interface does not name as members of your own")
	flags.BoolVar(&i.dryRun, "dry-run", false, "check the records and create none")
	flags.StringVar(&i.batch, "batch", "", "name of the batch: records equal to those of another batch are created too")
	flags.StringVar(&i.rejected, "rejected", "",
		"file for the records that are refused (default FILE.rejected and its ending)")
	flags.IntVar(&i.concurrency, "concurrency", 8, "how many records of NDJSON are on their way at a time, 1 to 64")
	complete(command, "delimiter", "comma", "semicolon", "tab")
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
	i.format = cmp.Or(i.format, formatOf(i.file))
	if i.format == "" && slices.Contains(likeXLSX, strings.ToLower(filepath.Ext(i.file))) {
		i.format = asXLSX
	}
	if i.format == "" {
		return usage("the name %q stands for no format; give --format ndjson, csv or xlsx", i.file)
	}
	if i.delimiter != "" && delimiters[i.delimiter] == 0 {
		return usage("--delimiter is comma, semicolon or tab, not %q", i.delimiter)
	}
	if err := cmp.Or(i.settleWhere(), i.settleWritten()); err != nil {
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

// settleWhere checks where in the file the records are.
func (i *importing) settleWhere() error {
	switch {
	case i.format == ndjson && i.headerRow != 0:
		return usage("NDJSON has no header; --header-row is for tables")
	case i.format != asXLSX && i.sheet+i.hiddenRows != "":
		return usage("--sheet and --hidden-rows are for workbooks")
	case i.headerRow < 0:
		return usage("--header-row is 1 or more, as a spreadsheet counts rows")
	}
	return nil
}

// settleWritten sets how the file is written.
func (i *importing) settleWritten() (err error) {
	switch {
	case i.format == ndjson && i.dateOrder+i.decimal+i.encodingName+i.profile != "":
		return usage("NDJSON is written in one way; --date-order, --decimal, --encoding and --profile are for tables")
	case i.format == asXLSX && i.decimal+i.encodingName != "":
		return usage("a workbook writes numbers and letters in one way; --decimal and --encoding are for CSV")
	}
	if i.encodingName != "" {
		if i.encoding, err = htmlindex.Get(i.encodingName); err != nil {
			return usage("--encoding %q is no encoding that is known here; there are utf-8, windows-1252, "+
				"iso-8859-15, utf-16le and the others of the WHATWG's list", i.encodingName)
		}
	}
	return nil
}

// flags returns the flags with which a further command reads a file that is written like this one.
func (i *importing) flags() (words string) {
	for _, f := range []struct{ name, value string }{
		{"profile", i.profile}, {"batch", i.batch}, {"delimiter", i.delimiter}, {"date-order", i.dateOrder},
		{"decimal", i.decimal}, {"encoding", i.encodingName},
	} {
		if f.value != "" {
			words += " --" + f.name + " " + Quoted(f.value)
		}
	}
	if i.headerRow > 0 {
		words += fmt.Sprintf(" --header-row %d", i.headerRow)
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
	if i.format != ndjson {
		return p.importTable(ctx, c, i)
	}
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
	run := &importRun{
		importing: i, caller: c, keys: newKeys(i.resource.Name, i.batch), progress: progress.New(p.Err, size),
		rejects: &rejects{path: i.rejected}, out: p.Out, made: map[int]string{},
	}
	if i.dryRun {
		if run.checker, err = c.newChecker(ctx, i.resource.Name); err != nil {
			return err
		}
	}
	err = run.all(ctx, readNDJSON(input))
	run.progress.End()
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
	}
	if run.replayed > 0 {
		fmt.Fprintln(p.Err, alreadyThere)
	}
	if run.rejects.count > 0 {
		return run.mend(run.caller, run.rejects.count)
	}
	return nil
}

const alreadyThere = "Records that were already there had been imported before. If they are meant to be new, give " +
	"the import a --batch of its own."

// mend returns the error of an import of which some records were refused: how to go on with them.
func (i *importing) mend(c *caller, count int) error {
	return &hinted{
		fmt.Errorf("%d records were refused; %s says why", count, i.rejected),
		fmt.Sprintf("Mend them there, and then: exchange import %s %s%s%s", i.resource.Name, Quoted(i.rejected),
			i.flags(), c.given),
	}
}
