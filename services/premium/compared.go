package premium

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/query"
)

const (
	// mostCompared is how many receipts, policies or claims are asked for at a time.
	mostCompared = 200
	// claimPayment is the type of the receipts that are paid for claims.
	claimPayment = "claim payment"
)

// mountCompared adds the operations by which the desk compares what it reports with what others say.
func (e *environment) mountCompared(router gin.IRouter) {
	router.GET(internalapi.StatedPath+":ids", e.statedPremium)
	router.GET(internalapi.ToDatePath+":policyNumbers", func(c *gin.Context) {
		sums, err := dated(c, "policyNumbers", e.now, e.sumsOf)
		rest.Respond(c, internalapi.PremiumToDate{Sums: sums}, err)
	})
	router.GET(internalapi.ClaimPaymentsPath+":claimNumbers", func(c *gin.Context) {
		paid, err := dated(c, "claimNumbers", e.now, e.paidFor)
		rest.Respond(c, internalapi.ClaimPayments{Claims: paid}, err)
	})
}

// dated returns what a function reads of the names of a request as they were at its instant; one to come is now. It
// reads one after the other, so that what was read for a name is not in memory with the next.
func dated[T any](
	c *gin.Context, parameter string, now func() time.Time,
	read func(ctx context.Context, name string, at time.Time) ([]T, error),
) ([]T, error) {
	at, err := history.Instant(c.Request.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	if present := now(); at.After(present) {
		at = present
	}
	all, err := query.Named(c.Request.Context(), parameter, c.Param(parameter), mostCompared, 1,
		func(ctx context.Context, name string) ([]T, error) { return read(ctx, name, at) })
	found := []T{}
	for _, of := range all {
		found = append(found, of...)
	}
	return found, err
}

// statedPremium serves the internal operation that returns the rows of receipts of which somebody has stated the
// netPremium.
func (e *environment) statedPremium(c *gin.Context) {
	all, err := query.Named(c.Request.Context(), "ids", c.Param("ids"), mostCompared, query.Together, e.stated)
	stated, seen := internalapi.StatedPremium{Rows: []internalapi.StatedRow{}}, map[row]bool{}
	for _, of := range all {
		key := row{of.Period, of.PolicyNumber, of.TransactionType}
		if of.Period != "" && !seen[key] {
			stated.Rows, seen[key] = append(stated.Rows, of), true
		}
	}
	rest.Respond(c, stated, err)
}

// stated returns the row in which a receipt counts; the zero value where nobody has stated its netPremium.
func (e *environment) stated(ctx context.Context, id string) (of internalapi.StatedRow, err error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return of, nil //nolint:nilerr // what is no id names no receipt
	}
	receipt, err := e.receipts.Stored().Get(ctx, request.OrganisationFrom(ctx), parsed)
	if errors.Is(err, docstore.ErrNotFound) {
		return of, nil
	}
	if err != nil {
		return of, err
	}
	origin, err := rest.OriginOf(receipt)
	if err != nil || origin.Pinned[rowIndex] == "" {
		return of, err
	}
	row, found, err := e.rows.One(ctx, rowIndex, origin.Pinned[rowIndex])
	if err != nil || !found || row.Value.NetPremium == nil {
		return of, err
	}
	b := row.Value
	return internalapi.StatedRow{Period: rest.Text(b.Period), PolicyNumber: rest.Text(b.PolicyNumber),
		TransactionType: rest.Text(b.TransactionType), GrossWrittenPremium: b.GrossWrittenPremium,
		NetPremium: *b.NetPremium}, nil
}

// mostAhead is by how much clocks somewhere are ahead of UTC. Rows have their periods from the zone that the exchange
// had when their receipts were recorded.
const mostAhead = 14 * time.Hour

// sumsOf returns the sums of the receipts of a policy that were recorded until an instant, by type.
func (e *environment) sumsOf(ctx context.Context, policyNumber string, at time.Time) ([]internalapi.PremiumSum, error) {
	var types []string
	sums := map[string]*big.Int{}
	own := docstore.Query{Equal: docstore.Keys{policyIndex: policyNumber}, Own: true}
	err := each(ctx, e.rows, own, func(doc docstore.Document, b *premium.Bordereau, _ time.Time) error {
		if b.Period == nil {
			return nil // a caller has written it, and no receipt counts in it
		}
		sum, err := e.until(ctx, doc, b, at)
		if sum == nil || err != nil {
			return err
		}
		of := rest.Text(b.TransactionType)
		if sums[of] == nil {
			types, sums[of] = append(types, of), new(big.Int)
		}
		sums[of].Add(sums[of], sum)
		return nil
	})
	totals := make([]internalapi.PremiumSum, len(types))
	for i, of := range types {
		totals[i] = internalapi.PremiumSum{PolicyNumber: policyNumber, TransactionType: of,
			Gross: scalar.IntegerOf(sums[of])}
	}
	return totals, err
}

// until returns the sum of a row at an instant; nil where nothing had been recorded in it. A row that has not changed
// since has its sum; the receipts of another one are added up, unless it is of a period that had not begun anywhere.
func (e *environment) until(
	ctx context.Context, doc docstore.Document, b *premium.Bordereau, at time.Time,
) (*big.Int, error) {
	length := month
	if strings.Contains(*b.Period, "Q") {
		length = quarter
	}
	if *b.Period > length.at(at.UTC().Add(mostAhead)) {
		return nil, nil
	}
	changed, err := e.rows.Changed(doc)
	if err != nil {
		return nil, err
	}
	if changed.IsZero() || changed.After(at.Add(-disorder)) {
		of := row{*b.Period, rest.Text(b.PolicyNumber), rest.Text(b.TransactionType)}
		sum, err := e.sum(request.ForExchange(ctx), of, at)
		if err != nil || sum.receipts == 0 {
			return nil, err
		}
		return &sum.total, nil
	}
	sum, is := new(big.Int).SetString(string(b.GrossWrittenPremium), 10)
	if !is {
		return nil, fmt.Errorf("stored row %s has no sum", b.ID)
	}
	return sum, nil
}

// paidFor returns what the receipts of the type claim payment that name a claim come to, less the refunds, as far as
// they were recorded until an instant; nothing where there are none. A refund may have another type than its original.
func (e *environment) paidFor(
	ctx context.Context, claimNumber string, at time.Time,
) ([]internalapi.ClaimPayment, error) {
	paid, sum := map[scalar.ID]bool{}, new(big.Int)
	own := docstore.Query{Equal: docstore.Keys{claimIndex: claimNumber}, Own: true}
	err := each(ctx, e.receipts, own,
		func(_ docstore.Document, r *premium.Receipt, recorded time.Time) error {
			if recorded.After(at) {
				return nil
			}
			if r.Reverses == "" && rest.Text(r.ReceiptType) == claimPayment {
				paid[r.ID] = true
			}
			if paid[r.ID] || paid[r.Reverses] {
				sum.Add(sum, big.NewInt(counted(r)))
			}
			return nil
		})
	if len(paid) == 0 || err != nil {
		return nil, err
	}
	return []internalapi.ClaimPayment{{ClaimNumber: claimNumber, Paid: scalar.IntegerOf(sum)}}, nil
}
