package client

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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
	if format == ndjson {
		return ndjsonRejects{bufio.NewWriter(r.file)}, nil
	}
	// The reason comes first, so that in a row with too many cells all cells keep their order.
	form := *r.layout
	form.header = append([]string{reasonName}, form.header...)
	form.widths = map[string]int{reasonName: widest}
	out, err := newTableWriter(format, r.file, form, r.kinds)
	if err != nil {
		return nil, err
	}
	return tableRejects{out, r.layout.header}, nil
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
	// Invalid UTF-8 is replaced, because JSON cannot hold it.
	reason = strings.ToValidUTF8(reason, "\ufffd")
	rejected := rejectedRecord{Reason: &reason, Record: o.record}
	if rejected.Record.Kind() != jsontext.KindBeginObject || !rejected.Record.IsValid() {
		rejected.Line, rejected.Record = strings.ToValidUTF8(string(o.record), "\ufffd"), nil
	}
	text, err := json.Marshal(rejected)
	if err != nil {
		return err
	}
	_, err = n.w.Write(append(text, '\n'))
	return err
}

func (n ndjsonRejects) close() error { return n.w.Flush() }

// tableRejects is a table of rejected rows under their header.
type tableRejects struct {
	tableWriter
	header []string
}

func (t tableRejects) write(o row, reason string) error {
	cells := []any{reason}
	for i, read := range o.cells {
		column := ""
		if i < len(t.header) {
			column = t.header[i]
		}
		cell, err := t.text(column, read)
		if err != nil {
			return err
		}
		cells = append(cells, cell)
	}
	return t.tableWriter.write(cells)
}

func (t tableRejects) close() error { return t.end(nil) }
