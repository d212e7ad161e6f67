package export

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/sheet/table"
	"insurance.example/exchange/services/desk/contract"
)

// writeCSV writes lines as RFC 4180 has it, in UTF-8.
func writeCSV(ctx context.Context, w io.Writer, of Version) error {
	buffered := bufio.NewWriter(w)
	out := table.NewRecords(buffered)
	var r *row
	err := of.Desk.EachLine(ctx, of.At, of.Number, func(v desk.BordereauVersion, k *contract.Kept) (err error) {
		if r, err = newRow(v, k); err != nil {
			return err
		}
		return out.Write(r.header())
	}, func(line jsontext.Value) error {
		cells, err := r.cells(line)
		if err != nil {
			return err
		}
		for i, c := range r.columns {
			if c.is == table.Text {
				cells[i] = table.Neutral(cells[i])
			}
		}
		return out.Write(cells)
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
