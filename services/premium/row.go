package premium

import (
	"context"
	"errors"
	"strings"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest"
)

// row is the key of a row of the premium bordereau.
type row events.BordereauDirty

const separator = "|"

// index returns the key as an index value. The transaction type comes last, because a value that a deployer has added
// may contain the separator.
func (r row) index() string {
	return strings.Join([]string{r.Period, r.PolicyNumber, r.TransactionType}, separator)
}

func parseRow(index string) (row, error) {
	parts := strings.SplitN(index, separator, 3)
	if len(parts) != 3 {
		return row{}, errors.New("what is stored with the receipt names no bordereau row")
	}
	return row{Period: parts[0], PolicyNumber: parts[1], TransactionType: parts[2]}, nil
}

// pin returns the function that determines the row of a receipt. The period is the one in which the receipt is
// recorded. A refund has the transaction type of its original.
func (e *environment) pin(
	policyNumber policyNumberFact, original originalRow,
) func(context.Context, *rest.Draft[*premium.Receipt]) (docstore.Keys, error) {
	return func(ctx context.Context, d *rest.Draft[*premium.Receipt]) (docstore.Keys, error) {
		if e.period == "" {
			return nil, nil
		}
		of, err := original.Of(ctx, d)
		if err != nil {
			return nil, err
		}
		if of.PolicyNumber == "" {
			number, err := policyNumber.Of(ctx, d)
			if err != nil {
				return nil, err
			}
			of = row{PolicyNumber: number, TransactionType: rest.Text(d.Value.ReceiptType)}
		}
		of.Period = e.period.at(d.Now.In(e.zone))
		return docstore.Keys{rowIndex: of.index()}, nil
	}
}
