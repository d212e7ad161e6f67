package bordereau

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/visible"
	"insurance.example/exchange/services/desk/contract"
)

const (
	// mostAcknowledgements is how many acknowledgements of a version are kept, the first of each person.
	mostAcknowledgements = 100
	// mostWaivers is how often findings of a version may be waived. A version with more errors is rejected.
	mostWaivers = 1000
)

// change changes a version as it is now. how may refuse, and may be called several times. Errors: problem.NotFound,
// that of how, those of the store.
func (d *Desk) change(
	ctx context.Context, at Place, number string, how func(*contract.Kept, *ledger, *version) error,
) (desk.BordereauStatus, error) {
	var changed desk.BordereauStatus
	err := docstore.Again(func() error {
		k, l, v, err := d.version(ctx, at, number)
		if err == nil {
			err = how(k, l, v)
		}
		switch {
		case errors.Is(err, errDone):
			err = nil
		case err == nil:
			err = d.write(ctx, l)
		}
		if err == nil {
			changed = v.status()
		}
		return err
	})
	return changed, err
}

// errDone is the error of a change that was made already, by the same person in the same way.
var errDone = errors.New("it is done already")

// sign returns the signature of the caller of a request, for the next version of a ledger.
func (d *Desk) sign(ctx context.Context, l *ledger) signature {
	return signature{contract.CallerKey(ctx), d.now().UTC(), l.at.Version + 1}
}

// Approve approves a version. The checks are those of the register, in their order. Errors: problem.NotFound,
// problem.Invalid, problems.NotPending, problems.FindingsOpen, problems.SamePerson, problems.DigestDiffers,
// problems.VersionMisfit, those of the store.
func (d *Desk) Approve(
	ctx context.Context, at Place, number string, asked desk.BordereauDigest,
) (desk.BordereauStatus, error) {
	return d.change(ctx, at, number, func(k *contract.Kept, l *ledger, v *version) error {
		by := d.sign(ctx, l)
		if err := digestGiven(asked); err != nil {
			return err
		}
		if v.State == desk.Approved && v.Decided.By == by.By && digestIs(v, asked) == nil {
			return errDone
		}
		if v.State != desk.Pending {
			return notPending(v)
		}
		if err := d.findingsWaived(ctx, v); err != nil {
			return err
		}
		if err := secondPerson(k, l, v, by.By); err != nil {
			return err
		}
		if err := digestIs(v, asked); err != nil {
			return err
		}
		// From now on the units of the contract stay, and its rule takes what is reported. That is looked at after it.
		now, err := d.contracts.NoteApproved(ctx, k.Reference)
		if err == nil {
			err = d.fitsStill(ctx, now, v)
		}
		if err == nil {
			err = secondPerson(now, l, v, by.By)
		}
		if err != nil {
			return err
		}
		v.State, v.Decided, v.Under, v.Layout = desk.Approved, by, now.Edition(), d.layout
		return nil
	})
}

// secondPerson refuses the approval by a person who may not approve a version, if two are to sign off. They are if the
// contract has said so at any time since the version approved before it, so that one person who sets the contract to
// one and back gains nothing. It is the one place that decides this.
func secondPerson(k *contract.Kept, l *ledger, v *version, who string) error {
	if until := k.TwoUntil(); until == 0 || until < l.approvedUnder() {
		return nil
	}
	refuse := func(because, words string) error {
		if k.SignOff == desk.OnePerson {
			words += " The contract lets one person sign off only after the next version that two have signed off."
		}
		return problem.New(problems.SamePerson, words+" Somebody else must approve it.").With("because", because)
	}
	if v.Head.PreparedBy == who {
		return refuse("prepared", "You have prepared this version.")
	}
	for _, w := range v.Waived {
		if w.By == who {
			return refuse("waived", "You have waived a finding of this version.")
		}
	}
	since := int64(0)
	for _, before := range l.Versions {
		if before.State == desk.Approved {
			since = max(since, before.Head.ContractVersion)
		}
	}
	if k.ChangedMoney(who, since) {
		return refuse("changed-contract",
			"You have changed what amounts are computed by, since the approved version before.")
	}
	return nil
}

// approvedUnder returns the edition of the contract under which the last version of a ledger was approved; 0 if none
// is.
func (l *ledger) approvedUnder() (edition int64) {
	for _, v := range l.Versions {
		if v.State == desk.Approved {
			// An earlier release did not keep it. It was not before that of the preparation.
			edition = max(edition, v.Under, v.Head.ContractVersion)
		}
	}
	return edition
}

// fitsStill refuses a version whose amounts are in other units than the contract now says, or that may have a policy
// which belongs to another contract by now.
func (d *Desk) fitsStill(ctx context.Context, k *contract.Kept, v *version) error {
	then, err := d.contracts.Numbered(ctx, k.Reference, v.Head.ContractVersion)
	if err != nil {
		return err
	}
	misfit := func(what string) error {
		return problem.New(problems.VersionMisfit, what+" since the version was prepared. Reject it and prepare "+
			"another one.")
	}
	switch {
	case !k.SameUnits(then.Terms):
		return misfit("The currency, amountUnit, frequency, timeZone or quarterBegins of the contract has changed")
	case k.Left() != v.Read.Left:
		return misfit("A policy was assigned away from the contract")
	case k.Keeps(v.taken(then)) != nil:
		return misfit("The rule of the contract has changed so that it leaves out a policy of the version")
	}
	return nil
}

// taken returns what the rule of a contract, as it was then, has taken into a version.
func (v *version) taken(then *contract.Kept) contract.Taken {
	if v.Read.Taken == nil {
		return then.All()
	}
	return v.Read.Taken
}

func notPending(v *version) error {
	return problem.New(problems.NotPending, fmt.Sprintf("Version %d is %s.", v.Head.Number, v.State)).
		With("state", v.State)
}

func digestGiven(asked desk.BordereauDigest) error {
	if asked.Digest == "" {
		return problem.New(problem.Invalid, "The digest says what is signed off.").
			At("/digest", "is required: the digest of the version that was looked at")
	}
	return nil
}

func digestIs(v *version, asked desk.BordereauDigest) error {
	if !strings.EqualFold(v.Head.Digest, asked.Digest) {
		return problem.New(problems.DigestDiffers,
			"The version has another digest. Read it again before you sign it off.")
	}
	return nil
}

// findingsWaived refuses a version with errors that are not waived, and names them.
func (d *Desk) findingsWaived(ctx context.Context, v *version) error {
	open := v.unwaived()
	if open == 0 {
		return nil
	}
	refusal := problem.New(problems.FindingsOpen, fmt.Sprintf("%d of the version's findings are errors that nobody "+
		"has waived. Correct the records, reject the version and prepare another one; or waive each with a reason.",
		open))
	err := d.eachFinding(ctx, v, func(f desk.BordereauFinding) bool {
		if _, waived := v.Waived[f.ID]; !waived && f.Severity == desk.SeverityError {
			refusal.At("/findings/"+f.ID, "policy "+f.PolicyNumber+": "+f.Words)
		}
		return true
	})
	if err != nil {
		return err
	}
	return refusal
}

// Reject rejects a pending version. Errors: problem.NotFound, problem.Invalid, problems.NotPending, those of the store.
func (d *Desk) Reject(
	ctx context.Context, at Place, number string, asked desk.BordereauReason,
) (desk.BordereauStatus, error) {
	return d.change(ctx, at, number, func(_ *contract.Kept, l *ledger, v *version) error {
		by := d.sign(ctx, l)
		if err := reasonGiven(asked); err != nil {
			return err
		}
		if v.State == desk.Rejected && v.Decided.By == by.By && v.Reason == asked.Reason {
			return errDone
		}
		if v.State != desk.Pending {
			return notPending(v)
		}
		v.State, v.Decided, v.Reason = desk.Rejected, by, asked.Reason
		return nil
	})
}

// Acknowledge notes that the other side has seen an approved version: the counterparty that the contract names, where
// organisations share the exchange. Errors: problem.NotFound, problem.Invalid, problem.RightMissing,
// problems.NotPending where it is not approved, problems.DigestDiffers, those of the store.
func (d *Desk) Acknowledge(
	ctx context.Context, at Place, number string, asked desk.BordereauDigest,
) (desk.BordereauStatus, error) {
	return d.change(ctx, at, number, func(k *contract.Kept, l *ledger, v *version) error {
		by := d.sign(ctx, l)
		if k.AcknowledgedByAnother(ctx) {
			return problem.New(problem.RightMissing, "The contract names a counterparty, which acknowledges what is "+
				"reported to it.").With("right", "counterparty")
		}
		if err := digestGiven(asked); err != nil {
			return err
		}
		if v.State != desk.Approved {
			return notPending(v)
		}
		if err := digestIs(v, asked); err != nil {
			return err
		}
		switch all := v.acknowledgements(); {
		case len(all) == 0:
			v.Acknowledged = by
		case len(all) == mostAcknowledgements,
			slices.ContainsFunc(all, func(before signature) bool { return before.By == by.By }):
			return errDone
		default:
			v.AlsoAcknowledged = append(v.AlsoAcknowledged, by)
		}
		return nil
	})
}

func reasonGiven(asked desk.BordereauReason) error {
	wrong := problem.New(problem.Invalid, "The reason is for those who read it later.")
	switch {
	case !visible.In(asked.Reason):
		return wrong.At("/reason", "is required: why it is done")
	case utf8.RuneCountInString(strings.TrimSpace(asked.Reason)) > mostNote:
		return wrong.At("/reason", fmt.Sprintf("has more than %d characters", mostNote))
	}
	return nil
}

// Waive waives an error of a pending version, with a reason. Errors: problem.NotFound, problem.Invalid,
// problems.NotPending, those of the store.
func (d *Desk) Waive(
	ctx context.Context, at Place, number, finding string, asked desk.BordereauReason,
) (desk.BordereauStatus, error) {
	return d.change(ctx, at, number, func(_ *contract.Kept, l *ledger, v *version) error {
		by := d.sign(ctx, l)
		if err := reasonGiven(asked); err != nil {
			return err
		}
		found := false
		if err := d.eachFinding(ctx, v, func(f desk.BordereauFinding) bool {
			found = f.ID == finding && f.Severity == desk.SeverityError
			return !found
		}); err != nil {
			return err
		}
		if !found {
			return problem.New(problem.NotFound, "The version has no error "+problem.Short(finding)+
				". Its findings are listed at /findings; warnings need no waiver.")
		}
		if was, is := v.Waived[finding]; is && was.By == by.By && was.Reason == asked.Reason {
			return errDone
		}
		if v.State != desk.Pending {
			return notPending(v)
		}
		if v.Waived == nil {
			v.Waived = map[string]waiver{}
		}
		v.Waived[finding] = waiver{by, asked.Reason}
		if v.WaivedIn = append(v.WaivedIn, by.In); len(v.WaivedIn) > mostWaivers {
			return problem.New(problems.FindingsOpen, fmt.Sprintf(
				"Findings of the version were waived %d times, as often as may be. Reject it and correct the records.",
				mostWaivers))
		}
		return nil
	})
}
