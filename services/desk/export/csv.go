package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/services/desk/contract"
)

// records writes the records of RFC 4180. Texts are as they are; the library would write each line feed within one as a
// return and a line feed, and leave returns out.
type records struct {
	w    io.Writer
	one  bytes.Buffer
	form *csv.Writer
}

func newRecords(w io.Writer) *records {
	r := &records{w: w}
	r.form = csv.NewWriter(&r.one)
	return r
}

func (r *records) write(cells []string) error {
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

// writeCSV writes lines as RFC 4180 has it, in UTF-8.
func writeCSV(ctx context.Context, w io.Writer, of Version) error {
	buffered := bufio.NewWriter(w)
	out := newRecords(buffered)
	var r *row
	err := of.Desk.EachLine(ctx, of.At, of.Number, func(v desk.BordereauVersion, k *contract.Kept) (err error) {
		if r, err = newRow(v, k); err != nil {
			return err
		}
		return out.write(r.header())
	}, func(line jsontext.Value) error {
		cells, err := r.cells(line)
		if err != nil {
			return err
		}
		for i, c := range r.columns {
			if c.Kind == textKind {
				cells[i] = neutral(cells[i])
			}
		}
		return out.write(cells)
	})
	if err != nil {
		return err
	}
	return buffered.Flush()
}

// keepNumbers reads a number as its text, so that no digit of it is lost.
func keepNumbers(from *jsontext.Decoder, to *any) error {
	if from.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	value, err := from.ReadValue()
	*to = string(value)
	return err
}
