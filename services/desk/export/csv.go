package export

import (
	"context"
	"encoding/csv"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/services/desk/bordereau"
	"insurance.example/exchange/services/desk/contract"
)

// writeCSV writes lines as RFC 4180 has it, in UTF-8.
func writeCSV(ctx context.Context, w io.Writer, of *bordereau.Desk, at bordereau.Place, number string) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	var r *row
	err := of.EachLine(ctx, at, number, func(v desk.BordereauVersion, k *contract.Kept) (err error) {
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
			if c.Kind == textKind {
				cells[i] = neutral(cells[i])
			}
		}
		return out.Write(cells)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
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
