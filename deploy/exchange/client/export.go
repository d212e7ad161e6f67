package client

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/deploy/exchange/progress"
	"insurance.example/exchange/pkg/whole"
)

// exporting says what to export.
type exporting struct {
	resource, format, file, delimiter string
	filters                           []string
	mark, references                  bool
}

func (p *program) exports() *cobra.Command {
	command := command("export", p.arguments(0, anyResource), p.completeResource(anyResource, nil))
	connect := p.registerConnection(command)
	var e exporting
	filters := p.registerFilters(command, filtersOfList)
	flags := command.Flags()
	choice(command, &e.format, "output", "o", formats,
		"form of the output: ndjson, csv or xlsx; by the name of --out where not given, else ndjson")
	flags.StringVar(&e.file, "out", "-", "file to write; - is the standard output")
	flags.StringVar(&e.delimiter, "delimiter", "comma", "what is between the cells of csv: comma, semicolon or tab")
	flags.BoolVar(&e.mark, "bom", false, "begin csv with a byte order mark, by which some spreadsheets know UTF-8")
	flags.BoolVar(&e.references, "references", false,
		"name other records by ref: and their externalReference, so that the file can be imported elsewhere")
	complete(command, "delimiter", "comma", "semicolon", "tab")
	command.RunE = func(command *cobra.Command, args []string) error {
		e.resource, e.filters = args[0], *filters
		e.format = cmp.Or(e.format, formatOf(e.file), ndjson)
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
		return p.WriteFile(e.file, func(w io.Writer) error { return p.exportTo(command.Context(), c, e, w) })
	}
	return command
}

// WriteFile has a file written, which appears only once it is complete; - is the standard output.
func (s *Surroundings) WriteFile(name string, do func(io.Writer) error) error {
	if name == "-" {
		return do(s.Out)
	}
	return whole.Stream(name, do)
}

// exportTo writes the records.
func (p *program) exportTo(ctx context.Context, c *caller, e exporting, w io.Writer) error {
	values, err := query(e.filters, p.pageSize(e.resource, 0))
	if err != nil {
		return err
	}
	bar := progress.New(p.Err, -1)
	count := 0
	refer := newReferences(c, p.resource(e.resource))
	each := func(take func(jsontext.Value) error) error {
		for record, err := range c.records(ctx, "/"+e.resource, values) {
			if err != nil {
				return err
			}
			count++
			if e.references {
				if record, err = refer.in(ctx, record); err != nil {
					return err
				}
			}
			if err := take(record); err != nil {
				return err
			}
			bar.At(int64(count), fmt.Sprintf("%d records", count))
		}
		return nil
	}
	if e.format == ndjson {
		err = each(func(record jsontext.Value) error { return printRecord(w, asJSON, record) })
	} else {
		form := table.Layout{Delimiter: delimiters[e.delimiter], Mark: e.mark, Sheet: e.resource}
		if e.format == asXLSX {
			form.Zone, err = c.zone(ctx)
		}
		if err == nil {
			err = spooled(table.Of(p.resource(e.resource)), each, func(s *spool) error {
				return s.write(e.format, w, form)
			})
		}
	}
	if bar.End(); err != nil {
		return err
	}
	if refer.left > 0 {
		fmt.Fprintf(p.Err, "Ids and numbers that stay, because their records have no externalReference: %d.\n",
			refer.left)
	}
	_, err = fmt.Fprintf(p.Err, "%d records exported.\n", count)
	return err
}

// zone returns the time zone of the exchange, in which it reads what a workbook says of days and times: UTC for one of
// an older release.
func (c *caller) zone(ctx context.Context) (*time.Location, error) {
	got, err := c.send(ctx, Request{Method: http.MethodGet, Path: "/x/about"})
	if refused, is := errors.AsType[*refusal](err); is && !refused.passing() {
		return time.UTC, nil
	}
	var about struct {
		TimeZone string `json:"timeZone"`
	}
	if err == nil {
		err = json.Unmarshal(got.body, &about)
	}
	if err != nil {
		return nil, err
	}
	return time.LoadLocation(about.TimeZone)
}

// spool keeps records in a temporary file until all columns are known. They are needed for the first row of a table.
type spool struct {
	columns   table.Columns
	occurring map[string]bool
	widths    map[string]int // of the widest value, in characters
	count     int
	file      *os.File
	w         *bufio.Writer
}

// spooled spools the records with which each calls take, and then calls write.
func spooled(
	columns table.Columns, each func(take func(jsontext.Value) error) error, write func(*spool) error,
) (err error) {
	file, err := os.CreateTemp("", "exchange-export-*.ndjson")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	s := &spool{
		columns: columns, occurring: map[string]bool{}, widths: map[string]int{}, file: file, w: bufio.NewWriter(file),
	}
	if err := each(s.add); err != nil {
		return err
	}
	if err := s.w.Flush(); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return write(s)
}

func (s *spool) add(record jsontext.Value) error {
	cells, err := s.columns.Flatten(record)
	if err != nil {
		return err
	}
	for _, cell := range cells {
		s.occurring[cell.Column] = true
		s.widths[cell.Column] = max(s.widths[cell.Column], uniseg.StringWidth(table.Plain(cell.Value)))
	}
	s.count++
	return printRecord(s.w, asJSON, record)
}

// rows yields the cells of each record by their column.
func (s *spool) rows() iter.Seq2[map[string]table.Cell, error] {
	return func(yield func(map[string]table.Cell, error) bool) {
		records := jsontext.NewDecoder(bufio.NewReader(s.file))
		for {
			record, err := records.ReadValue()
			if errors.Is(err, io.EOF) {
				return
			}
			var cells []table.Cell
			if err == nil {
				cells, err = s.columns.Flatten(record)
			}
			row := map[string]table.Cell{}
			for _, cell := range cells {
				row[cell.Column] = cell
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// write writes the records as a table in one of the formats.
func (s *spool) write(format string, to io.Writer, l table.Layout) error {
	header := s.columns.Header(s.occurring)
	l.Records, l.Widths = s.count, map[string]int{}
	for _, column := range header {
		head := s.columns.Head(column)
		l.Header, l.Widths[head] = append(l.Header, head), s.widths[column]+1
	}
	out, err := table.NewWriter(format == asXLSX, to, l, s.columns)
	if err != nil {
		return err
	}
	return out.End(s.writeRows(header, out))
}

func (s *spool) writeRows(header []string, out table.Writer) error {
	number := 0
	for row, err := range s.rows() {
		if err != nil {
			return err
		}
		number++
		cells := make([]any, len(header))
		for i, column := range header {
			if cell, has := row[column]; has {
				if cells[i], err = out.Value(cell); err != nil {
					return fmt.Errorf("record %d: %w", number, err)
				}
			}
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	return nil
}
