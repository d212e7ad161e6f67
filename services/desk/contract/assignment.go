package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// The collection of the policies that were assigned, and its index.
const (
	assignments = "assignment"
	policyIndex = "policyNumber"
)

// assignment is the contract that a policy was assigned to.
//
// It is changed in two steps, because versions of bordereaux are prepared at the same time. First it says where the
// policy is to go; nothing else has changed then. A preparation that finds this completes it first; see
// Contracts.complete.
type assignment struct {
	// Contract is empty while the policy was never assigned, so that the rules of contracts decide.
	Contract     string    `json:"contract"`
	PolicyNumber string    `json:"policyNumber"`
	By           string    `json:"by"`
	At           time.Time `json:"at"`
	// From is the contract that the policy came from, empty for none. FromCount and ToCount are how many assignments
	// concerned the two contracts, with this one: a version of a bordereau knows how many it has seen.
	From      string `json:"from,omitzero"`
	FromCount int64  `json:"fromCount,omitzero"`
	ToCount   int64  `json:"toCount,omitzero"`
	// Next is where the policy is to go; nil without a change under way.
	Next *nextContract `json:"next,omitzero"`

	at docstore.At
}

// nextContract is the contract that a policy is to be assigned to.
type nextContract struct {
	Contract string    `json:"contract"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
}

func (c *Contracts) openAssigned(ctx context.Context, store docstore.Store) error {
	in, err := store.Collection(ctx, docstore.Spec{
		Name: assignments, Unlogged: true, Indexes: []docstore.Index{{Name: policyIndex, Unique: true}},
	})
	c.assigned = docstore.Kept[assignment]{
		In: in, What: "assignment", Past: true, At: func(a *assignment) *docstore.At { return &a.at },
		Keys: func(a *assignment) docstore.Keys { return docstore.Keys{policyIndex: a.PolicyNumber} },
	}
	return err
}

func (c *Contracts) assignmentOf(ctx context.Context, policyNumber string) (*assignment, error) {
	return c.assigned.One(ctx, request.OrganisationFrom(ctx), docstore.Keys{policyIndex: policyNumber})
}

// Assigned returns some of the policies that were assigned to contracts, in the order in which they first were, after
// a place. next is the place after them, empty where there are no more.
func (c *Contracts) Assigned(
	ctx context.Context, after uuid.UUID, limit int,
) (some []desk.PolicyAssignment, next string, err error) {
	q := docstore.Query{After: after, Limit: limit, Bytes: pageBytes}
	docs, err := c.assigned.In.Find(ctx, request.OrganisationFrom(ctx), q)
	if err != nil {
		return nil, "", err
	}
	for _, doc := range docstore.WithBodies(docs) {
		var a assignment
		if err := json.Unmarshal(doc.Body, &a); err != nil {
			return nil, "", fmt.Errorf("stored assignment %s: %w", doc.ID, err)
		}
		if next = doc.ID.String(); a.Contract != "" {
			some = append(some, desk.PolicyAssignment{Contract: a.Contract, PolicyNumber: a.PolicyNumber})
		}
	}
	if !q.Followed(docs) {
		next = ""
	}
	return some, next, nil
}

// Policy is what decides to which contract a policy belongs.
type Policy struct {
	Number, Line string
	// Inception is the inceptionDate of its first record.
	Inception scalar.DateTime
}

// Of returns the reference of the contract that a policy belongs to: the one that it is assigned to or else, of all
// contracts, the one whose rule takes it; empty for none.
func (c *Contracts) Of(ctx context.Context, p Policy, all []*Kept) (reference string, err error) {
	a, err := c.assignmentOf(ctx, p.Number)
	if err != nil {
		return "", err
	}
	return a.of(p, all), nil
}

// of returns the contract of a policy with an assignment, which may be nil.
func (a *assignment) of(p Policy, all []*Kept) string {
	if a != nil && a.Contract != "" {
		return a.Contract
	}
	for _, k := range all {
		if k.Takes(p.Line, p.Inception) {
			return k.Reference
		}
	}
	return ""
}

// Belonging says why a policy belongs to a contract, or that it does not.
type Belonging int

// The belongings of a policy.
const (
	Elsewhere Belonging = iota
	ByRule
	Assigned
)

// to returns how a policy with an assignment, which may be nil, belongs to a contract. Rules never overlap.
func (a *assignment) to(k *Kept, p Policy) Belonging {
	switch {
	case a != nil && a.Contract == k.Reference:
		return Assigned
	case a != nil && a.Contract != "" || !k.Takes(p.Line, p.Inception):
		return Elsewhere
	}
	return ByRule
}

// Belongs returns how a policy belongs to a contract at present.
func (c *Contracts) Belongs(ctx context.Context, k *Kept, p Policy) (Belonging, error) {
	a, err := c.assignmentOf(ctx, p.Number)
	return a.to(k, p), err
}

// Decide is Belongs for a version of a bordereau that is stored: an assignment that is under way is completed first.
// Errors: those of reported and of the store.
func (c *Contracts) Decide(ctx context.Context, k *Kept, p Policy, reported Reported) (Belonging, error) {
	is := Elsewhere
	err := docstore.Again(func() error {
		a, err := c.assignmentOf(ctx, p.Number)
		if err != nil || a == nil || a.Next == nil {
			is = a.to(k, p)
			return err
		}
		if err := c.complete(ctx, a, p, reported); err != nil && !refused(err) {
			return err
		}
		return docstore.ErrStale // it is read as it is now
	})
	return is, err
}

// Seen is what a version of a bordereau has seen of assignments.
type Seen struct {
	// Assigned is how many assignments concerned its contract; negative for a version that does not say it.
	Assigned int64
	// At is when it was prepared.
	At time.Time
}

// Belonged returns how a policy belonged to a contract, as it was when a version of a bordereau saw it.
func (c *Contracts) Belonged(ctx context.Context, k *Kept, p Policy, seen Seen) (Belonging, error) {
	a, err := c.assignmentOf(ctx, p.Number)
	for err == nil && a != nil && a.after(k.Reference, seen) {
		a, err = c.assigned.Before(ctx, request.OrganisationFrom(ctx), a)
		if errors.Is(err, docstore.ErrNotFound) {
			return (*assignment)(nil).to(k, p), nil
		}
	}
	return a.to(k, p), err
}

// after reports whether an assignment concerns a contract and came after what a version has seen.
func (a *assignment) after(contract string, seen Seen) bool {
	if a.ToCount == 0 || seen.Assigned < 0 {
		return a.At.After(seen.At) // it is from a release that did not count
	}
	return a.From == contract && a.FromCount > seen.Assigned || a.Contract == contract && a.ToCount > seen.Assigned
}

// Reported reports whether a version of a contract that is pending or stands has lines of a policy.
type Reported func(ctx context.Context, contract, policyNumber string) (bool, error)

// Assign assigns a policy to a contract, whatever its rule says. Errors: problem.NotFound, problems.ContractInUse,
// those of reported and of the store.
func (c *Contracts) Assign(
	ctx context.Context, reference string, p Policy, reported Reported,
) (assignment desk.PolicyAssignment, err error) {
	if _, err := c.Get(ctx, reference); err != nil {
		return assignment, err
	}
	err = docstore.Again(func() error {
		a, err := c.assignmentOf(ctx, p.Number)
		if err != nil {
			return err
		}
		switch {
		case a == nil || a.Next == nil && a.Contract != reference:
			err = c.begin(ctx, reference, a, p, reported)
		case a.Next == nil:
			assignment = desk.PolicyAssignment{Contract: a.Contract, PolicyNumber: a.PolicyNumber, AssignedBy: a.By,
				AssignedAt: scalar.Instant(a.At)}
			return nil
		default:
			err = c.complete(ctx, a, p, reported)
			if refused(err) && a.Next.Contract != reference {
				err = nil // another one was
			}
		}
		if err == nil {
			err = docstore.ErrStale // it is read as it is now
		}
		return err
	})
	return assignment, err
}

// begin writes where a policy is to go, unless the contract that it is to leave has reported it.
func (c *Contracts) begin(
	ctx context.Context, reference string, was *assignment, p Policy, reported Reported,
) error {
	all, err := c.All(ctx)
	if err != nil {
		return err
	}
	next := assignment{PolicyNumber: p.Number}
	if was != nil {
		next = *was
	}
	if from := was.of(p, all); from != "" && from != reference {
		// Only complete can be sure. That the count of the contract has moved would be in the way of its approvals.
		if has, err := reported(ctx, from, p.Number); err != nil || has {
			return cmp.Or(err, next.refuse(from))
		}
	}
	next.Next = &nextContract{reference, request.CallerFrom(ctx).Key(), c.now()}
	return c.writeAssignment(ctx, &next, was)
}

// complete ends an assignment that is under way, in one of two ways: the policy goes, or stays because another contract
// has reported it. The contracts count the assignment before the lines of others are looked at. So a version with
// lines of the policy is seen here, or was prepared with an older count and is not approved. Errors:
// problems.ContractInUse, docstore.ErrStale if somebody else has completed it, those of reported and of the store.
func (c *Contracts) complete(ctx context.Context, a *assignment, p Policy, reported Reported) error {
	all, err := c.All(ctx)
	if err != nil {
		return err
	}
	to := a.Next.Contract
	done := &assignment{Contract: to, PolicyNumber: a.PolicyNumber, By: a.Next.By, At: a.Next.At, From: a.of(p, all),
		at: a.at}
	if done.From == to {
		done.From = ""
	}
	if done.From != "" {
		if done.FromCount, err = c.count(ctx, done.From, true); err != nil {
			return err
		}
	}
	if done.ToCount, err = c.count(ctx, to, false); err != nil {
		return err
	}
	for _, other := range all {
		if other.Reference == to {
			continue
		}
		has, err := reported(ctx, other.Reference, p.Number)
		if err != nil {
			return err
		}
		if has {
			stays := *a
			stays.Next = nil
			if err := c.writeAssignment(ctx, &stays, a); err != nil {
				return err
			}
			return stays.refuse(other.Reference)
		}
	}
	return c.writeAssignment(ctx, done, a)
}

// refuse returns the refusal of an assignment of a policy that a contract has reported.
func (a *assignment) refuse(contract string) error {
	return problem.New(problems.ContractInUse, "The policy "+a.PolicyNumber+" has lines in a bordereau of the "+
		"contract "+contract+", and stays there.").With("contract", contract)
}

// refused reports whether an assignment was refused.
func refused(err error) bool {
	is, ok := errors.AsType[*problem.Error](err)
	return ok && is.Kind == problems.ContractInUse
}

// count counts an assignment to a contract, or away from it, and returns how many there were.
func (c *Contracts) count(ctx context.Context, reference string, away bool) (counted int64, err error) {
	err = c.note(ctx, reference, func(s *state) {
		if s.Assigned++; away {
			s.Left++
		}
		counted = s.Assigned
	})
	return counted, err
}

// writeAssignment stores an assignment in place of the one that was read, which is kept, or as a new one.
func (c *Contracts) writeAssignment(ctx context.Context, a, was *assignment) error {
	return c.assigned.Write(ctx, request.OrganisationFrom(ctx), a, was)
}
