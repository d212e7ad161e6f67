package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"io"
)

// Records writes the records of RFC 4180. Texts are as they are; the library would write each line feed within one as a
// return and a line feed, and leave returns out.
type Records struct {
	w    io.Writer
	one  bytes.Buffer
	form *csv.Writer
}

// NewRecords returns what writes records to w, a call of it for each.
func NewRecords(w io.Writer) *Records {
	r := &Records{w: w}
	r.form = csv.NewWriter(&r.one)
	return r
}

// Write writes a record. Errors: those of the writer.
func (r *Records) Write(cells []string) error {
	r.one.Reset()
	if err := r.form.Write(cells); err != nil {
		return err
	}
	r.form.Flush()
	r.one.Truncate(r.one.Len() - len("\n"))
	r.one.WriteString("\r\n")
	_, err := r.w.Write(r.one.Bytes())
	return err
}

func writeCSV(w io.Writer, columns []Column, each Each) error {
	buffered := bufio.NewWriter(w)
	out, names := NewRecords(buffered), make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	if err := out.Write(names); err != nil {
		return err
	}
	if err := each(func(cells []string) error {
		safe := make([]string, len(cells))
		for i, c := range columns {
			if safe[i] = cells[i]; c.Kind != Amount && c.Kind != Whole || !isNumber(cells[i]) {
				safe[i] = Neutral(cells[i])
			}
		}
		return out.Write(safe)
	}); err != nil {
		return err
	}
	return buffered.Flush()
}
