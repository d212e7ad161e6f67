package premium

import (
	"context"
	"math/big"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/inspect"
)

// examine compares the rows of the bordereau with their receipts: every receipt without an unsent mark is in a row,
// and every row is the sum of its receipts. It compares refunds with what they give back.
func (e *environment) examine(ctx context.Context, x inspect.Examination) error {
	receipts, err := e.receipts.Inspect(ctx, x)
	if err != nil {
		return err
	}
	rows, err := e.rows.Inspect(ctx, x)
	if err != nil {
		return err
	}
	aggregated := 0 // receipts
	if err := inspect.EachPage(ctx, receipts, docstore.Query{}, func(page []docstore.Document) error {
		n, err := e.examineReceipts(ctx, x, page, rows)
		if aggregated += n; err != nil {
			return err
		}
		return e.examineRefunds(ctx, x, page, receipts)
	}); err != nil {
		return err
	}
	return inspect.EachPage(ctx, rows, docstore.Query{}, func(page []docstore.Document) error {
		for _, doc := range page {
			if err := e.examineRow(ctx, x, doc, rows, receipts); err != nil {
				return err
			}
			if aggregated > 0 {
				if err := e.noteWritten(ctx, x, doc, rows); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// examineReceipts looks up the rows of receipts, and returns how many are in one.
func (e *environment) examineReceipts(
	ctx context.Context, x inspect.Examination, page []docstore.Document, rows docstore.Collection,
) (included int, err error) {
	rowOf, finding := map[string]string{}, docstore.Finding{Collection: e.receipts.Collection}
	var keys []string
	for _, doc := range page {
		origin, err := rest.OriginOf(doc)
		pinned := origin.Pinned[rowIndex]
		var receipt premium.Receipt
		if err != nil || pinned == "" || json.Unmarshal(doc.Body, &receipt) != nil {
			continue // it is in no row; that it cannot be read was found out before
		}
		finding.ID = doc.ID.String()
		if of, err := parseRow(pinned); err != nil ||
			receipt.PolicyNumber != nil && *receipt.PolicyNumber != of.PolicyNumber {
			finding.Invariant = "a receipt is in a row of its policy"
			finding.Found, finding.Expected = pinned, rest.Text(receipt.PolicyNumber)
			if err := x.Report(finding); err != nil {
				return 0, err
			}
		}
		if !doc.Unsent {
			rowOf[finding.ID] = pinned
			keys = append(keys, pinned)
		}
	}
	slices.Sort(keys)
	missing, err := inspect.Missing(ctx, rows, rowIndex, slices.Compact(keys))
	if err != nil {
		return 0, err
	}
	for _, doc := range page {
		key, included := rowOf[doc.ID.String()]
		if !included || !slices.Contains(missing, key) {
			continue
		}
		finding.ID, finding.Invariant = doc.ID.String(), "a receipt without a mark is in a row"
		finding.Found, finding.Expected = "no row", key
		if err := x.Report(finding); err != nil {
			return 0, err
		}
	}
	x.Count("receipts in rows", len(rowOf))
	return len(rowOf), nil
}

// examineRefunds compares each refund with the one before it and with its receipt. If each has the next number and the
// next sum, and no sum is more than the receipt, all of them together are as they should be, and none needs to be
// remembered. What a refund refers to was written before it.
func (e *environment) examineRefunds(
	ctx context.Context, x inspect.Examination, page []docstore.Document, receipts docstore.Collection,
) error {
	refunds := 0
	for _, doc := range page {
		var refund, reversed premium.Receipt
		if json.Unmarshal(doc.Body, &refund) != nil || refund.Reverses == "" {
			continue
		}
		refunds++
		finding := docstore.Finding{Collection: e.receipts.Collection, ID: doc.ID.String()}
		before, has, err := e.refundBefore(ctx, &refund, receipts)
		if err != nil {
			return err
		}
		sum := before + amountOf(&refund)
		switch {
		case !has:
			finding.Invariant = "the refunds of a receipt have the numbers from 1 on"
			finding.Found = decimal(numberOf(&refund))
			finding.Expected = "the number after that of another refund, or 1"
		case refundedBy(&refund) != sum:
			finding.Invariant = "refundedAmount is the sum of the refunds so far"
			finding.Found, finding.Expected = decimal(refundedBy(&refund)), decimal(sum)
		default:
			original, has, err := inspect.One(ctx, receipts, docstore.IDIndex, string(refund.Reverses))
			if err != nil {
				return err
			}
			if !has || json.Unmarshal(original.Body, &reversed) != nil || sum <= amountOf(&reversed) {
				continue // a receipt that is not there or cannot be read was found out before
			}
			finding.Invariant = "the refunds of a receipt are no more than it"
			finding.Found, finding.Expected = decimal(sum), "at most "+decimal(amountOf(&reversed))
		}
		if err := x.Report(finding); err != nil {
			return err
		}
	}
	if refunds > 0 {
		x.Count("refunds", refunds)
	}
	return nil
}

// refundBefore returns what the refunds before one come to, and whether they are there: the first has none before it.
func (e *environment) refundBefore(
	ctx context.Context, refund *premium.Receipt, receipts docstore.Collection,
) (sum scalar.Int, has bool, err error) {
	number := numberOf(refund)
	if number <= 1 {
		return 0, number == 1, nil
	}
	doc, has, err := inspect.One(ctx, receipts, refundIndex, refundOf(refund.Reverses, number-1))
	if err != nil || !has {
		return 0, false, err
	}
	var before premium.Receipt
	if unreadable := json.Unmarshal(doc.Body, &before); unreadable != nil {
		// It is a finding of its own; there is nothing to compare.
		return refundedBy(refund) - amountOf(refund), true, nil //nolint:nilerr
	}
	return refundedBy(&before), true, nil
}

// decimal returns a number in digits.
func decimal(n scalar.Int) string { return strconv.FormatInt(int64(n), 10) }

// examineRow compares the sum of a row with its receipts. A row that awaits some of them is left to their marks.
func (e *environment) examineRow(
	ctx context.Context, x inspect.Examination, doc docstore.Document, rows, receipts docstore.Collection,
) error {
	var b premium.Bordereau
	if err := json.Unmarshal(doc.Body, &b); err != nil || b.Period == nil {
		return nil //nolint:nilerr // that it cannot be read was found out before
	}
	of := row{*b.Period, rest.Text(b.PolicyNumber), rest.Text(b.TransactionType)}
	total, several, awaited := new(big.Int), 0, false
	its := docstore.Query{Equal: docstore.Keys{rowIndex: of.index()}}
	if err := inspect.EachPage(ctx, receipts, its,
		func(page []docstore.Document) error {
			for _, receipt := range page {
				var r premium.Receipt
				if err := json.Unmarshal(receipt.Body, &r); err != nil {
					continue // found out before
				}
				total.Add(total, big.NewInt(counted(&r)))
				awaited = awaited || receipt.Unsent
			}
			several += len(page)
			return nil
		}); err != nil {
		return err
	}
	if awaited {
		x.Count("rows that await receipts", 1)
		return nil
	}
	sum := scalar.IntegerOf(total)
	if several > 0 && b.GrossWrittenPremium != sum {
		// In a database that is not read as at one instant, the row may have been computed anew before its receipts
		// were read.
		var again []docstore.Document
		if err := inspect.EachPage(ctx, rows, its, func(page []docstore.Document) error {
			again = page
			return nil
		}); err != nil {
			return err
		}
		if len(again) == 1 && again[0].ID == doc.ID && again[0].Version > doc.Version {
			return e.examineRow(ctx, x, again[0], rows, receipts)
		}
	}
	x.Count("rows", 1)
	finding := docstore.Finding{Collection: e.rows.Collection, ID: doc.ID.String()}
	switch {
	case several == 0:
		finding.Invariant, finding.Found, finding.Expected = "a row has receipts", "none", of.index()
		return x.Report(finding)
	case b.GrossWrittenPremium != sum:
		finding.Invariant, finding.Found, finding.Expected = "a row is the sum of its receipts", string(
			b.GrossWrittenPremium), string(sum)
		return x.Report(finding)
	}
	return nil
}

// noteWritten notes a row that a caller has written if its premium is not the sum of the receipts of its policy and
// transaction type, in the rows of all periods together.
func (e *environment) noteWritten(
	ctx context.Context, x inspect.Examination, doc docstore.Document, rows docstore.Collection,
) error {
	var written premium.Bordereau
	if err := json.Unmarshal(doc.Body, &written); err != nil || written.Period != nil || written.PolicyNumber == nil ||
		written.TransactionType == nil || written.GrossWrittenPremium == "" {
		return nil //nolint:nilerr // that it cannot be read was found out before
	}
	total := new(big.Int)
	if err := inspect.OfOwner(ctx, rows, doc.Owner, policyIndex, *written.PolicyNumber,
		func(other docstore.Document) error {
			var b premium.Bordereau
			if err := json.Unmarshal(other.Body, &b); err != nil || b.Period == nil ||
				rest.Text(b.TransactionType) != *written.TransactionType {
				return nil //nolint:nilerr // that it cannot be read was found out before
			}
			if sum, is := new(big.Int).SetString(string(b.GrossWrittenPremium), 10); is {
				total.Add(total, sum)
			}
			return nil
		}); err != nil {
		return err
	}
	sum := scalar.IntegerOf(total)
	if written.GrossWrittenPremium == sum {
		return nil
	}
	return x.Note(docstore.Finding{
		Collection: e.rows.Collection, ID: doc.ID.String(),
		Invariant: "a row that a caller has written has the sum of the receipts",
		Found:     string(written.GrossWrittenPremium), Expected: string(sum),
	})
}
