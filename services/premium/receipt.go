package premium

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
	"insurance.example/exchange/pkg/visible"
)

const (
	// rowIndex is the name of the index by which the receipts of a bordereau row are found, and the row itself.
	rowIndex = "row"
	// claimIndex is the name of the index by which the receipts of a claim are found.
	claimIndex = "claimNumber"
)

// receipt declares the receipt. Its checks are the rows of POST /receipt in the errors table. The checks of the
// references come after the third row and before the idempotent replay.
func (e *environment) receipt() rest.Resource[*premium.Receipt] {
	policyNumber, original := e.policyNumber(), &rest.Fact[*premium.Receipt, row]{
		Name: "row of the original", Load: noOriginal,
	}
	return rest.Resource[*premium.Receipt]{
		Name:     "receipt",
		SharedBy: policyIndex, Right: shared.PremiumRight,
		Aliases: map[string]string{"receiptId": "id"},
		Filters: []rest.Filter[*premium.Receipt]{
			rest.Exact(claimIndex, func(r *premium.Receipt) string { return rest.Text(r.ClaimNumber) }),
			rest.Exact("policyNumber", func(r *premium.Receipt) string { return rest.Text(r.PolicyNumber) }),
			rest.DateRange("receiptDate", func(r *premium.Receipt) string { return string(r.ReceiptDate) }),
			rest.Exact("receiptType", func(r *premium.Receipt) string { return rest.Text(r.ReceiptType) }),
		},
		Search: []search.Field{
			search.Text("claimNumber").Leads(), search.Text("policyNumber").Leads(), search.Day("receiptDate").Leads(),
			search.Text("receiptType").Leads(), search.Number("paymentAmount"),
		},
		Expand: []search.Expansion{
			search.Expand("policy", "policyNumber").By("coverage"), search.Expand("claim", "claimNumber").By("claims"),
			search.Expand("reversed", "reverses"),
		},
		Unique: []rest.Unique[*premium.Receipt]{{
			Index: refundIndex, Global: true, Anew: true,
			Value: func(r *premium.Receipt) string { return refundOf(r.Reverses, numberOf(r)) },
		}},
		Checks: []rest.Check[*premium.Receipt]{
			{
				Name: "neither policyNumber nor claimNumber present", Run: referenceGiven,
				Refuses: []problem.Kind{problems.ReferenceRequired},
			},
			rest.OneIn("receiptType not in the receiptType enumeration", "receiptType", valuesets.ReceiptType, e.sets,
				func(r *premium.Receipt) *string { return r.ReceiptType }, problems.UnknownReceiptType),
			rest.AboveZero("paymentAmount is not greater than 0", "paymentAmount",
				func(r *premium.Receipt) *scalar.Int { return r.PaymentAmount }, problems.InvalidPaymentAmount),
			{
				Name: "policyNumber or claimNumber resolves to nothing, or they do not belong together",
				Run: func(ctx context.Context, d *rest.Draft[*premium.Receipt]) error {
					_, err := policyNumber.Of(ctx, d)
					return err
				},
				Refuses: []problem.Kind{problems.PolicyNotFound, problems.ClaimNotFound, problems.ReferencesDiffer,
					problem.AmbiguousReference},
			},
		},
		Rules: []rest.Check[*premium.Receipt]{{
			Name: "effectiveDate is no day", DependsOn: []string{"effectiveDate"}, Run: dayOf,
			Refuses: []problem.Kind{problem.Invalid},
		}},
		ListsIdempotency: true,
		Unusual:          e.unusual,
		Issue:            e.issue,
		Complete:         rest.Completion[*premium.Receipt]{Member: "recordedAt", Run: recorded},
		Pin:              e.pin(policyNumber, original),
		Indexes:          []docstore.Index{{Name: rowIndex, Global: true}},
		BeforeReplace:    e.complete,
		Immutable: func() error {
			return problem.New(problems.ReceiptImmutable, "Refund the receipt, and record another.")
		},
		Actions:  []rest.Action[*premium.Receipt]{e.refund(original).AddingExtra()},
		Extra:    func(r *premium.Receipt) map[string]any { return map[string]any{"receiptId": r.ID} },
		Announce: e.announcing(),
	}
}

// announcing returns the function that has a message about a new receipt sent. It returns nil if receipts are not
// aggregated, so that they get no unsent mark.
func (e *environment) announcing() func(docstore.Document) {
	if e.period == "" {
		return nil
	}
	return func(doc docstore.Document) {
		if e.traffic != nil {
			e.traffic.announce(doc)
		}
	}
}

// counted returns what a receipt adds to the sum of its row. A refund takes away.
func counted(r *premium.Receipt) int64 {
	switch {
	case r.PaymentAmount == nil:
		return 0
	case r.Reverses != "":
		return -int64(*r.PaymentAmount)
	default:
		return int64(*r.PaymentAmount)
	}
}

// dayOf refuses a receipt whose effectiveDate is no day.
func dayOf(_ context.Context, d *rest.Draft[*premium.Receipt]) error {
	if _, is := d.Value.EffectiveDate.Value(); !is && !d.Value.EffectiveDate.IsZero() {
		return problem.New(problem.Invalid, "").
			At("/effectiveDate", "must be a day of the calendar written YYYY-MM-DD")
	}
	return nil
}

func (e *environment) issue(d *rest.Draft[*premium.Receipt]) {
	if day, is := d.Value.EffectiveDate.Value(); is {
		d.Aside = jsontext.Value(`{"effectiveDate":"` + day + `"}`)
	}
	if d.Value.ReceiptDate == "" {
		d.Value.ReceiptDate = scalar.DateOf(d.Now, e.zone)
	}
	d.Value.RecordedAt = scalar.Instant(d.Now)
	if e.period != "" {
		period := e.period.at(d.Now.In(e.zone))
		d.Value.Period = &period
	}
}

// recorded completes a receipt that a release stored without the instant of recording.
func recorded(r *premium.Receipt, created time.Time, pinned docstore.Keys) error {
	r.RecordedAt = scalar.Instant(created)
	if pinned[rowIndex] == "" {
		return nil
	}
	of, err := parseRow(pinned[rowIndex])
	r.Period = &of.Period
	return err
}

// complete sets what a replacement leaves out, and the exchange adds at the creation, to what is stored. So a
// replacement with the body of the creation changes nothing and is accepted.
func (e *environment) complete(d *rest.Draft[*premium.Receipt]) error {
	if d.Value.ReceiptDate == "" {
		d.Value.ReceiptDate = d.Stored.ReceiptDate
	}
	if e.access.On() && d.Value.PolicyNumber == nil && rest.Text(d.Value.ClaimNumber) != "" {
		d.Value.PolicyNumber = d.Stored.PolicyNumber
	}
	return nil
}

func referenceGiven(_ context.Context, d *rest.Draft[*premium.Receipt]) error {
	if !visible.In(rest.Text(d.Value.PolicyNumber)) && !visible.In(rest.Text(d.Value.ClaimNumber)) {
		return problem.New(problems.ReferenceRequired, "policyNumber or claimNumber is required.").
			At("/policyNumber", "is required unless claimNumber is sent").
			At("/claimNumber", "is required unless policyNumber is sent")
	}
	return nil
}

// policyNumberFact is the number of the policy that a receipt belongs to. The receipt names the policy or a claim
// under it.
type policyNumberFact = *rest.Fact[*premium.Receipt, string]

// policyNumber returns the fact that loads the policy number. The policy and the claim that are named must exist and
// belong together.
func (e *environment) policyNumber() policyNumberFact {
	return &rest.Fact[*premium.Receipt, string]{Name: "policyNumber", Load: e.resolveReferences}
}

func (e *environment) resolveReferences(ctx context.Context, d *rest.Draft[*premium.Receipt]) (string, error) {
	if err := d.Resolve(ctx, "policyNumber", "claimNumber"); err != nil {
		return "", err
	}
	policyNumber, claimNumber := rest.Text(d.Value.PolicyNumber), rest.Text(d.Value.ClaimNumber)
	// A number that was sent and is empty names nothing; null and no number are the same.
	if d.Value.PolicyNumber != nil && policyNumber == "" {
		return "", problem.New(problems.PolicyNotFound, "").At("/policyNumber", "names no policy")
	}
	if d.Value.ClaimNumber != nil && claimNumber == "" {
		return "", problem.New(problems.ClaimNotFound, "").At("/claimNumber", "names no claim")
	}
	if policyNumber != "" {
		found, err := e.policyExists(ctx, policyNumber)
		if err != nil {
			return "", err
		}
		if !found {
			return "", problem.New(problems.PolicyNotFound, "").At("/policyNumber", "names no policy")
		}
	}
	if claimNumber == "" {
		return policyNumber, nil
	}
	of, found, err := e.policyOfClaim(ctx, claimNumber)
	switch {
	case err != nil:
		return "", err
	case !found:
		return "", problem.New(problems.ClaimNotFound, "").At("/claimNumber", "names no claim")
	case policyNumber != "" && policyNumber != of:
		return "", problem.New(problems.ReferencesDiffer, "").At("/claimNumber", "is a claim against another policy")
	case policyNumber == "" && e.access.On():
		// The policy of the claim decides whose the receipt is and who sees it, and the receipt is found by it.
		d.Value.PolicyNumber = &of
	}
	return of, nil
}
