package client

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding"

	"insurance.example/exchange/deploy/exchange/client/table"
)

// rejects is the file of rejected records. It has the form of the input, with a reason for each record, so that the
// records can be corrected and imported again. The first rejected record creates it. If an import ends without any,
// the file of an earlier import is removed.
type rejects struct {
	path   string
	layout *layout
	kinds  table.Columns
	count  int

	file *os.File
	out  rejectWriter
}

// rejectWriter writes rejected records in one format.
type rejectWriter interface {
	write(o row, reason string) error
	// close writes what is left. It does not close the file.
	close() error
}

// add writes a record and why it was rejected.
func (r *rejects) add(o row, format string, p problem) (err error) {
	if r.file == nil {
		if r.file, err = os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
			return err
		}
		if r.out, err = r.writer(format); err != nil {
			return err
		}
	}
	r.count++
	return r.out.write(o, p.words())
}

func (r *rejects) writer(format string) (rejectWriter, error) {
	switch format {
	case asCSV:
		return newCSVRejects(r.file, r.layout)
	case asXLSX:
		return newXLSXRejects(r.file, r.layout, r.kinds)
	default:
		return ndjsonRejects{bufio.NewWriter(r.file)}, nil
	}
}

// close writes what is left. whole says that the import is complete, so that the file of an earlier import can be
// removed.
func (r *rejects) close(whole bool) error {
	switch {
	case r.file != nil:
		var err error
		if r.out != nil {
			err = r.out.close()
		}
		return errors.Join(err, r.file.Close())
	case whole:
		info, err := os.Lstat(r.path)
		if err == nil && info.Mode().IsRegular() {
			err = os.Remove(r.path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

type ndjsonRejects struct{ w *bufio.Writer }

// write writes the record with the reason as its first member. A line that is no JSON object becomes a member of one.
func (n ndjsonRejects) write(o row, reason string) error {
	quoted := func(text string) []byte {
		// Invalid UTF-8 is replaced, because JSON cannot hold it.
		value, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\ufffd"))
		return value
	}
	record := jsontext.Value(slices.Clone(o.record))
	if record.Kind() != jsontext.KindBeginObject || !record.IsValid() {
		record = slices.Concat([]byte(`{"`+lineName+`":`), quoted(string(o.record)), []byte(`}`))
	} else if err := record.Compact(); err != nil {
		return err
	}
	line := slices.Concat([]byte(`{"`+reasonName+`":`), quoted(reason))
	if len(record) > len(`{}`) {
		line = append(line, ',')
	}
	_, err := n.w.Write(append(append(line, record[1:]...), '\n'))
	return err
}

func (n ndjsonRejects) close() error { return n.w.Flush() }

type csvRejects struct{ w *csv.Writer }

func newCSVRejects(file *os.File, l *layout) (*csvRejects, error) {
	var w io.Writer = file
	if l.encoding != nil {
		w = encoding.ReplaceUnsupported(l.encoding.NewEncoder()).Writer(file)
	}
	if l.mark {
		if _, err := io.WriteString(w, "\ufeff"); err != nil {
			return nil, err
		}
	}
	c := &csvRejects{csv.NewWriter(w)}
	c.w.Comma, c.w.UseCRLF = l.delimiter, l.crlf
	return c, c.row(reasonName, l.header)
}

func (c *csvRejects) write(o row, reason string) error { return c.row(reason, o.cells) }

// row writes a row with the reason first, so that in a row with too many cells all cells keep their order.
func (c *csvRejects) row(reason string, cells []string) error {
	texts := []string{table.Neutral(reason)}
	for _, cell := range cells {
		texts = append(texts, table.Neutral(cell))
	}
	return c.w.Write(texts)
}

func (c *csvRejects) close() error {
	c.w.Flush()
	return c.w.Error()
}
