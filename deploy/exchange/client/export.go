package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/deploy/exchange/progress"
)

// exporting says what to export.
type exporting struct {
	resource, format, file, delimiter string
	filters                           []string
	mark                              bool
}

func (p *program) exports() *cobra.Command {
	command := &cobra.Command{
		Use: "export RESOURCE", Short: "Write all records of a resource as NDJSON, CSV or a workbook (XLSX)",
		Long: `Write all records of a resource, in the order of their creation.

ndjson has a record on each line, as the exchange returns it. csv and xlsx have a row for each record and a column for
each member, "address.city" for a member of a member: always all members that the interface names, so that exports line
up, and the others that occur. What csv holds, import reads back to the same values.

In csv, a text that a spreadsheet would take for a formula has an apostrophe before it, which import takes away again;
numbers stay as they are. In a workbook, days and times are dates, times in UTC to the millisecond; a number keeps
fifteen digits, so that one with more is text.`,
		Example: `  exchange export claim > claims.ndjson
  exchange export motorCoverage --out policies.csv
  exchange export claim -o csv --delimiter semicolon --bom --out claims.csv
  exchange export premiumBordereau --filter treatyReference=QS-2026-01 --out bordereau.xlsx`,
		Args: p.arguments(0, anyResource), ValidArgsFunction: p.completeResource(anyResource, nil),
	}
	connect := p.registerConnection(command)
	var e exporting
	filters := p.registerFilters(command, filtersOfList)
	flags := command.Flags()
	flags.StringVarP(&e.format, "output", "o", "",
		"form of the output: ndjson, csv or xlsx; by the name of --out where not given, else ndjson")
	flags.StringVar(&e.file, "out", "-", "file to write; - is the standard output")
	flags.StringVar(&e.delimiter, "delimiter", "comma", "what is between the cells of csv: comma, semicolon or tab")
	flags.BoolVar(&e.mark, "bom", false, "begin csv with a byte order mark, by which some spreadsheets know UTF-8")
	complete(command, "output", formats...)
	complete(command, "delimiter", "comma", "semicolon", "tab")
	command.RunE = func(command *cobra.Command, args []string) error {
		e.resource, e.filters = args[0], *filters
		if e.format == "" {
			if e.format = formatOf(e.file); e.format == "" {
				e.format = ndjson
			}
		}
		if err := oneOf("output", e.format, formats...); err != nil {
			return err
		}
		if delimiters[e.delimiter] == 0 {
			return usage("--delimiter is comma, semicolon or tab, not %q", e.delimiter)
		}
		if e.mark && e.format != asCSV {
			return usage("--bom is for csv")
		}
		if e.format == asXLSX && e.file == "-" && Terminal(p.Out) {
			return usage("a workbook is not for a terminal; give --out")
		}
		c, err := p.call(connect)
		if err != nil {
			return err
		}
		return p.export(command.Context(), c, e)
	}
	return command
}

// export writes the records to the file or the standard output. The file appears only once it is complete.
func (p *program) export(ctx context.Context, c *caller, e exporting) (err error) {
	if e.file == "-" {
		return p.exportTo(ctx, c, e, p.Out)
	}
	file, err := os.CreateTemp(filepath.Dir(e.file), "."+filepath.Base(e.file)+".*")
	if err != nil {
		return err
	}
	if err := errors.Join(p.exportTo(ctx, c, e, file), file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), e.file)
}

func (p *program) exportTo(ctx context.Context, c *caller, e exporting, w io.Writer) error {
	shown := progress.New(p.Err, -1)
	count := 0
	each := func(take func(jsontext.Value) error) error {
		return c.each(ctx, e, p.pageSize(e.resource, 0), func(record jsontext.Value) error {
			count++
			return errors.Join(take(record), shown.At(int64(count), fmt.Sprintf("%d records", count)))
		})
	}
	var err error
	switch e.format {
	case asCSV:
		err = spooled(table.Of(p.resource(e.resource)), each, func(s *spool) error {
			if e.mark {
				if _, err := io.WriteString(w, "\ufeff"); err != nil {
					return err
				}
			}
			return s.writeCSV(w, delimiters[e.delimiter])
		})
	case asXLSX:
		err = spooled(table.Of(p.resource(e.resource)), each, func(s *spool) error {
			return s.writeXLSX(w, e.resource)
		})
	default:
		err = each(func(record jsontext.Value) error { return printRecord(w, asJSON, record) })
	}
	if err := errors.Join(err, shown.End()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Err, "%d records exported.\n", count)
	return err
}

// each calls take with every record of an export, page by page.
func (c *caller) each(ctx context.Context, e exporting, size int, take func(jsontext.Value) error) error {
	values, err := query(e.filters, size)
	if err != nil {
		return err
	}
	for page, err := range c.pages(ctx, "/"+e.resource, values) {
		if err != nil {
			return err
		}
		for _, record := range page.records {
			if err := take(record); err != nil {
				return err
			}
		}
	}
	return nil
}
