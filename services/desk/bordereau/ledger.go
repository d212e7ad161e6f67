package bordereau

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/once"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/period"
)

// mostVersions is how many versions a period may have.
const mostVersions = 20

// ledger lists the versions of one contract and kind.
type ledger struct {
	Contract string `json:"contract"`
	Kind     string `json:"kind"`
	// Versions are those of all periods, in the order in which they were prepared.
	Versions []*version `json:"versions"`

	at docstore.At
}

// keptLedgers keeps the ledgers.
func keptLedgers(in docstore.Collection) docstore.Kept[ledger] {
	return docstore.Kept[ledger]{In: in, What: "ledger", At: func(l *ledger) *docstore.At { return &l.at },
		Keys:       func(l *ledger) docstore.Keys { return docstore.Keys{ledgerIndex: ledgerKey(l.Contract, l.Kind)} },
		Unreadable: func(cause error) error { return &unreadable{cause} }}
}

// unreadable is the error of a stored ledger that is none.
type unreadable struct{ cause error }

func (u *unreadable) Error() string { return u.cause.Error() }

// version is a version, and what became of it.
type version struct {
	// Head is what never changes.
	Head desk.BordereauVersion `json:"head"`
	// Batch names the blocks of its lines and findings.
	Batch uuid.UUID `json:"batch"`
	// Read says which receipts were looked at.
	Read  read   `json:"read"`
	State string `json:"state"`
	// Carried is how many claims are not lines of it and have amounts that a later version goes on from.
	Carried int `json:"carried,omitzero"`
	// Errors and Warnings count its findings.
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	// Checks is how many checks it has outcomes of. Versions of earlier releases have none.
	Checks int `json:"checks,omitzero"`
	// Waived are the findings that somebody has waived, by id, and WaivedIn the versions of the ledger in which one
	// was.
	Waived   map[string]waiver `json:"waived,omitzero"`
	WaivedIn []int64           `json:"waivedIn,omitzero"`
	// Key is the Idempotency-Key of the request that prepared the version, if it had one.
	Key *history.UsedKey `json:"key,omitzero"`
	// PreparedIn is the version of the ledger that listed it first.
	PreparedIn int64 `json:"preparedIn"`
	// Decided is who approved or rejected it, Reason why it was rejected, Acknowledged who of the other side was the
	// first to see it, and AlsoAcknowledged who else has, once each.
	Decided signature `json:"decided,omitzero"`
	// Under is the edition of the contract under which it was approved; 0 for what earlier releases approved.
	Under int64 `json:"under,omitzero"`
	// Layout is the number of the layout of exports when it was approved; 0 for what earlier releases approved.
	Layout           int         `json:"layout,omitzero"`
	Reason           string      `json:"reason,omitzero"`
	Acknowledged     signature   `json:"acknowledged,omitzero"`
	AlsoAcknowledged []signature `json:"alsoAcknowledged,omitzero"`
}

// signature says who has changed a version, when, and in which version of the ledger.
type signature struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
	In int64     `json:"in"`
}

type waiver struct {
	signature
	Reason string `json:"reason"`
}

// read says what a version was made from, so that the next one goes on there.
type read struct {
	// Next is the id of the receipt after which the next version begins to read; empty for the beginning, and of
	// claims, which are always read from there.
	Next string `json:"next"`
	// Last is the id of the last receipt or claim that was read. Up to it, all receipts that were recorded before the
	// end of the period have their lines.
	Last string `json:"last"`
	// Rule and Assigned say which policies belonged to the contract then, and Left how many had been assigned away.
	// Versions of claims from before 1.3.0 have none.
	Rule     string `json:"rule"`
	Assigned int64  `json:"assigned"`
	Left     int64  `json:"left,omitzero"`
	// Taken is what the rule has taken; nil for versions from before 1.3.0, which do not say it.
	Taken contract.Taken `json:"taken,omitzero"`
	// Until are the instants from which other contracts took what is before the end of the contract's window.
	Until contract.Until `json:"until,omitzero"`
}

// head returns what never changes of a version; nothing for none.
func (v *version) head() desk.BordereauVersion {
	if v == nil {
		return desk.BordereauVersion{}
	}
	return v.Head
}

// status returns what became of a version, as its readers see it.
func (v *version) status() desk.BordereauStatus {
	s := desk.BordereauStatus{
		Number: v.Head.Number, Type: v.Head.Type, State: v.State, Digest: v.Head.Digest, Lines: v.Head.Lines,
		PreparedBy: v.Head.PreparedBy, PreparedAt: v.Head.PreparedAt, DecidedBy: v.Decided.By, Reason: v.Reason,
		AcknowledgedBy: v.Acknowledged.By, Errors: v.Errors, Warnings: v.Warnings, Totals: v.Head.Totals,
		Claims: v.Head.Claims, Unwaived: v.unwaived(),
	}
	if v.Decided.By != "" {
		s.DecidedAt = scalar.Instant(v.Decided.At)
	}
	if v.Acknowledged.By != "" {
		s.AcknowledgedAt = scalar.Instant(v.Acknowledged.At)
	}
	for _, by := range v.acknowledgements() {
		s.Acknowledgements = append(s.Acknowledgements,
			desk.BordereauAcknowledgement{AcknowledgedBy: by.By, AcknowledgedAt: scalar.Instant(by.At)})
	}
	return s
}

// acknowledgements returns who of the other side has seen the version, in the order in which they have.
func (v *version) acknowledgements() []signature {
	if v.Acknowledged.By == "" {
		return nil
	}
	return append([]signature{v.Acknowledged}, v.AlsoAcknowledged...)
}

// unwaived returns how many errors are not waived. Only errors are waived.
func (v *version) unwaived() int { return max(0, v.Errors-len(v.Waived)) }

// of returns the versions of a period, in the order of their numbers.
func (l *ledger) of(p period.Period) (of []*version) {
	for _, v := range l.Versions {
		if v.Head.Period == p.String() {
			of = append(of, v)
		}
	}
	return of
}

// made returns the version that an earlier request with the same Idempotency-Key has made, nil if there is none.
// Errors: problem.KeyReused.
func (l *ledger) made(by *once.Once) (*version, error) {
	for _, v := range l.Versions {
		if made, err := by.Made(v.Key); made || err != nil {
			return v, err
		}
	}
	return nil, nil
}

// numbered returns the version of a period with a number, nil if there is none.
func (l *ledger) numbered(p period.Period, number int) *version {
	of := l.of(p)
	if i := slices.IndexFunc(of, func(v *version) bool { return v.Head.Number == number }); i >= 0 {
		return of[i]
	}
	return nil
}

// approved returns the approved versions of a period, in the order of their numbers. Of those, the ones from the last
// correction on stand; see standing.
func (l *ledger) approved(p period.Period) (of []*version) {
	for _, v := range l.of(p) {
		if v.State == desk.Approved {
			of = append(of, v)
		}
	}
	return of
}

// standing returns the approved versions of a period that count: the last correction and what comes after it.
func (l *ledger) standing(p period.Period) []*version {
	of := l.approved(p)
	for i, v := range slices.Backward(of) {
		if v.Head.Type == desk.Correction {
			return of[i:]
		}
	}
	return of
}

// periods returns the periods with an approved version, in their order.
func (l *ledger) periods() (all []period.Period) {
	for _, v := range l.Versions {
		p, ok := period.Parse(v.Head.Period)
		if ok && v.State == desk.Approved && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b period.Period) int { return a.Compare(b) })
	return all
}

// standingBefore returns the versions that count of the last period before one that has any.
func (l *ledger) standingBefore(p period.Period) (stands []*version) {
	for _, of := range l.periods() {
		if of.Earlier(p) {
			stands = l.standing(of)
		}
	}
	return stands
}

// pending returns the pending version; nil if there is none.
func (l *ledger) pending() *version {
	for _, v := range l.Versions {
		if v.State == desk.Pending {
			return v
		}
	}
	return nil
}

// The collection of the ledgers, and its index.
const (
	ledgers     = "ledger"
	ledgerIndex = "contract"
)

func ledgerSpec() docstore.Spec {
	return docstore.Spec{Name: ledgers, Indexes: []docstore.Index{{Name: ledgerIndex, Unique: true}}}
}

func ledgerKey(contract, kind string) string { return contract + "/" + kind }

// ledger returns the ledger of a contract; an empty one if nothing was prepared.
func (d *Desk) ledger(ctx context.Context, contract, kind string) (*ledger, error) {
	l, err := d.ledgers.One(ctx, request.OrganisationFrom(ctx), docstore.Keys{ledgerIndex: ledgerKey(contract, kind)})
	if stored, is := errors.AsType[*unreadable](err); is {
		return nil, problem.New(problem.Altered, "The "+kind+" bordereaux of the contract "+contract+
			" cannot be read as they are stored; the others can. They are neither shown nor changed.").Because(stored)
	}
	if l == nil {
		l = &ledger{Contract: contract, Kind: kind}
	}
	return l, err
}

// seen returns the ledger of a contract with the versions that the caller sees. It is not written.
func (d *Desk) seen(ctx context.Context, k *contract.Kept, kind string) (*ledger, error) {
	l, err := d.ledger(ctx, k.Reference, kind)
	if err == nil && !k.ShowsDrafts(ctx) {
		l.Versions = slices.DeleteFunc(l.Versions, func(v *version) bool { return v.State != desk.Approved })
	}
	return l, err
}

// write stores a ledger in place of the version that was read, or as a new one. Errors: as those of docstore.Kept.
func (d *Desk) write(ctx context.Context, l *ledger) error {
	err := d.ledgers.Write(ctx, request.OrganisationFrom(ctx), l, nil)
	if errors.Is(err, docstore.ErrUnavailable) {
		return d.settle(ctx, l, err)
	}
	return err
}

// settle finds out whether a write whose outcome is unknown has happened: then the ledger is as it was to be.
func (d *Desk) settle(ctx context.Context, l *ledger, cause error) error {
	is, err := d.ledger(ctx, l.Contract, l.Kind)
	if err != nil || is.at.Version != l.at.Version+1 {
		return cause
	}
	wanted, err := json.Marshal(l, json.Deterministic(true))
	if err != nil {
		return cause
	}
	if body, err := json.Marshal(is, json.Deterministic(true)); err != nil || !bytes.Equal(body, wanted) {
		return cause
	}
	return nil
}
