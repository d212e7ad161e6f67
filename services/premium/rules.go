package premium

import (
	"fmt"
	"time"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/rest"
)

// period is the length of a bordereau period: month or quarter. It is empty if receipts are not aggregated.
type period string

const (
	month   period = "month"
	quarter period = "quarter"
)

func (p *period) String() string { return string(*p) }

// Type returns the values, as --help shows them.
func (p *period) Type() string { return "month|quarter" }

// Set parses the setting. It returns an error if text is neither month nor quarter.
func (p *period) Set(text string) error {
	switch period(text) {
	case month, quarter:
		*p = period(text)
		return nil
	default:
		return fmt.Errorf("%q is neither month nor quarter", text)
	}
}

// at returns the name of the period that includes an instant in its zone, such as 2026-11 or 2026-Q4.
func (p period) at(t time.Time) string {
	if p == quarter {
		return fmt.Sprintf("%04d-Q%d", t.Year(), (int(t.Month())+2)/3)
	}
	return t.Format("2006-01")
}

// check returns an error if refundReceiptType is no value of its set. It replaces a corrected spelling by the value.
func (r *rules) check(sets rest.Sets) error {
	if r.refundReceiptType == "" {
		return nil
	}
	stored, ok := sets.Lookup(valuesets.ReceiptType, r.refundReceiptType)
	if !ok {
		return fmt.Errorf("setting %s: %q is no value of %s", settings.RefundReceiptType, r.refundReceiptType,
			valuesets.ReceiptType)
	}
	r.refundReceiptType = stored
	return nil
}

// reportUnset calls unset for each setting that is not set, and says what the service does without it.
func (r *rules) reportUnset(unset func(setting, effect string)) {
	if r.refundReceiptType == "" {
		unset(settings.RefundReceiptType, "each refund must name a receiptType")
	}
	if r.period == "" {
		unset(settings.BordereauPeriod, "receipts are not aggregated into the premium bordereau")
	}
}
