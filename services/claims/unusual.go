package claims

import (
	"context"
	"fmt"
	"time"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/rest"
)

// unusual warns of what is unusual about a claim. A replacement is warned of its numbers alone.
func (e *environment) unusual(ctx context.Context, d *rest.Draft[*claims.Claim]) {
	c := d.Value
	for name, amount := range map[string]*scalar.Int{"reserve": c.Reserve, "excessAmount": c.ExcessAmount} {
		if amount != nil && *amount < 0 {
			d.Warn("negative-amount", "negative amount", fmt.Sprintf("%s is %d.", name, *amount))
		}
	}
	if c.LiabilityShare != nil && (*c.LiabilityShare < 0 || *c.LiabilityShare > 100) {
		d.Warn("share-out-of-range", "share out of range",
			fmt.Sprintf("liabilityShare is %d, outside 0 to 100.", *c.LiabilityShare))
	}
	if d.Record != nil {
		return
	}
	if c.FNOL.Before(c.LossDate) {
		d.Warn("notified-before-loss", "notified before the loss",
			"fnol, "+c.FNOL.String()+", is before lossDate, "+c.LossDate.String()+".")
	}
	if d.Now.Before(c.LossDate.Time()) {
		d.Warn("loss-in-the-future", "loss in the future", "lossDate, "+c.LossDate.String()+", is still to come.")
	}
	e.filedBefore(ctx, d)
}

// filedBefore warns of a claim of the same policy with the same cause on the same day of loss.
func (e *environment) filedBefore(ctx context.Context, d *rest.Draft[*claims.Claim]) {
	year, month, day := d.Value.LossDate.Time().In(e.zone).Date()
	for _, doc := range e.claims.Newest(ctx, "policyNumber", rest.Text(d.Value.PolicyNumber), false) {
		// Only the members that count are read: most claims of a policy are for something else.
		cause, _ := jsonmember.Text(doc.Body, "lossCause")
		if cause != rest.Text(d.Value.LossCause) {
			continue
		}
		at, _ := jsonmember.Text(doc.Body, "lossDate")
		other, err := time.Parse(time.RFC3339Nano, at)
		if y, m, d := other.In(e.zone).Date(); err != nil || d != day || m != month || y != year {
			continue
		}
		number, _ := jsonmember.Text(doc.Body, "claimNumber")
		d.Warn("possible-duplicate", "possible duplicate", "Claim "+number+
			" of the policy is for a loss of the same day and cause.")
		return
	}
}
