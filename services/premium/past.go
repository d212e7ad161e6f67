package premium

import (
	"context"
	"time"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// recall sets the sum of an aggregated row to that of the receipts that were recorded until an instant. What an admin
// set is as it was then. What the row has copied from the policy is as it was copied last before the next replacement
// by an admin. It is done in the name of the exchange: a caller that sees the row sees its sum.
func (e *environment) recall(ctx context.Context, b *premium.Bordereau, at time.Time) (set bool, err error) {
	if b.Period == nil {
		return false, nil
	}
	of := row{*b.Period, rest.Text(b.PolicyNumber), rest.Text(b.TransactionType)}
	sum, err := e.sum(request.ForExchange(ctx), of, at)
	if err != nil {
		return false, err
	}
	b.GrossWrittenPremium = scalar.IntegerOf(&sum.total)
	return true, nil
}
