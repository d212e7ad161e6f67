package premium

import (
	"fmt"
	"time"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/rest"
)

// period is the length of a bordereau period: month, quarter, or empty where receipts are not aggregated.
type period string

const (
	month   period = "month"
	quarter period = "quarter"
)

func (p *period) String() string { return string(*p) }

// Type names the values for --help.
func (p *period) Type() string { return "month|quarter" }

// Set reads the setting.
func (p *period) Set(text string) error {
	switch period(text) {
	case month, quarter:
		*p = period(text)
		return nil
	default:
		return fmt.Errorf("%q is neither month nor quarter", text)
	}
}

// at names the period that is current at an instant: 2026-11, 2026-Q4.
func (p period) at(t time.Time) string {
	t = t.UTC()
	if p == quarter {
		return fmt.Sprintf("%04d-Q%d", t.Year(), (int(t.Month())+2)/3)
	}
	return t.Format("2006-01")
}

// check holds the settings against the value sets in force.
func (r *rules) check(sets rest.Sets) error {
	if r.refundReceiptType == "" {
		return nil
	}
	stored, ok := sets.Lookup(valuesets.ReceiptType, r.refundReceiptType)
	if !ok {
		return fmt.Errorf("setting %s: %q is no value of %s", settings.RefundReceiptType, r.refundReceiptType, valuesets.ReceiptType)
	}
	r.refundReceiptType = stored
	return nil
}

// tell reports the settings that are not set, with what that means.
func (r *rules) tell(unset func(setting, effect string)) {
	if r.refundReceiptType == "" {
		unset(settings.RefundReceiptType, "a refund must be asked for with a receiptType")
	}
	if r.period == "" {
		unset(settings.BordereauPeriod, "receipts are not aggregated into the premium bordereau")
	}
}
