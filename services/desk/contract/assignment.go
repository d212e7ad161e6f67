package contract

import (
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
type assignment struct {
	Contract     string    `json:"contract"`
	PolicyNumber string    `json:"policyNumber"`
	By           string    `json:"by"`
	At           time.Time `json:"at"`

	id      uuid.UUID
	version int64
}

func (c *Contracts) openAssigned(ctx context.Context, store docstore.Store) (err error) {
	if c.assigned, err = store.Collection(ctx, docstore.Spec{
		Name: assignments, Unlogged: true, Indexes: []docstore.Index{{Name: policyIndex, Unique: true}},
	}); err != nil {
		return err
	}
	c.assignedBefore, err = docstore.As[docstore.History](c.assigned)
	return err
}

func (c *Contracts) assignmentOf(ctx context.Context, policyNumber string) (*assignment, error) {
	docs, err := c.assigned.Find(ctx, request.OrganisationFrom(ctx), docstore.Query{
		Equal: docstore.Keys{policyIndex: policyNumber}, Limit: 1,
	})
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	a := &assignment{id: docs[0].ID, version: docs[0].Version}
	if err := json.Unmarshal(docs[0].Body, a); err != nil {
		return nil, fmt.Errorf("stored assignment %s: %w", docs[0].ID, err)
	}
	return a, nil
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
	if err != nil || a != nil {
		if a != nil {
			reference = a.Contract
		}
		return reference, err
	}
	return byRule(p, all), nil
}

// OfAt is Of, as it was at an instant at which all contracts were as they are given.
func (c *Contracts) OfAt(ctx context.Context, p Policy, all []*Kept, at time.Time) (string, error) {
	a, err := c.assignmentOf(ctx, p.Number)
	if err != nil {
		return "", err
	}
	for a != nil && a.At.After(at) {
		former, err := c.assignedBefore.Former(ctx, request.OrganisationFrom(ctx), a.id, a.version-1)
		if errors.Is(err, docstore.ErrNotFound) {
			return byRule(p, all), nil // it was assigned later
		}
		if err != nil {
			return "", err
		}
		was := &assignment{id: a.id, version: former.Version}
		if err := json.Unmarshal(former.Body, was); err != nil {
			return "", fmt.Errorf("stored assignment %s: %w", a.id, err)
		}
		a = was
	}
	if a == nil {
		return byRule(p, all), nil
	}
	return a.Contract, nil
}

// byRule returns the contract whose rule takes a policy. Rules never overlap.
func byRule(p Policy, all []*Kept) string {
	for _, k := range all {
		if k.Takes(p.Line, p.Inception) {
			return k.Reference
		}
	}
	return ""
}

// Assign assigns a policy to a contract, whatever its rule says. reported reports whether a version of a contract that
// stands has lines of the policy. Errors: problem.NotFound, problems.ContractInUse, those of reported and of the store.
func (c *Contracts) Assign(
	ctx context.Context, reference string, p Policy,
	reported func(ctx context.Context, contract, policyNumber string) (bool, error),
) (desk.PolicyAssignment, error) {
	for range mostTries {
		a, err := c.assign(ctx, reference, p, reported)
		if _, taken := docstore.Duplicate(err); !taken && !errors.Is(err, docstore.ErrStale) {
			return a, err
		}
	}
	return desk.PolicyAssignment{}, errBusy
}

func (c *Contracts) assign(
	ctx context.Context, reference string, p Policy,
	reported func(ctx context.Context, contract, policyNumber string) (bool, error),
) (shown desk.PolicyAssignment, err error) {
	all, err := c.All(ctx)
	if err != nil {
		return shown, err
	}
	if _, err := c.Get(ctx, reference); err != nil {
		return shown, err
	}
	a, err := c.assignmentOf(ctx, p.Number)
	if err != nil {
		return shown, err
	}
	from := byRule(p, all)
	if a != nil {
		from = a.Contract
	}
	if a == nil || a.Contract != reference {
		for _, other := range all {
			if other.Reference == reference {
				continue
			}
			has, err := reported(ctx, other.Reference, p.Number)
			if err != nil {
				return shown, err
			}
			if has {
				return shown, problem.New(problems.ContractInUse, "The policy has lines in a bordereau of the "+
					"contract "+other.Reference+", and stays there.").With("contract", other.Reference)
			}
		}
		was := a
		a = &assignment{Contract: reference, PolicyNumber: p.Number, By: request.CallerFrom(ctx).Key(), At: c.now()}
		if err := c.writeAssignment(ctx, a, was); err != nil {
			return shown, err
		}
	}
	// Both contracts have to look at what they have read already. It is noted at every repetition, so that one that
	// stopped half way is completed.
	for _, of := range []string{reference, from} {
		if of != "" {
			if err := c.note(ctx, of, func(s *state) bool { s.Assigned++; return true }); err != nil {
				return shown, err
			}
		}
	}
	return desk.PolicyAssignment{Contract: a.Contract, PolicyNumber: a.PolicyNumber, AssignedBy: a.By,
		AssignedAt: scalar.Instant(a.At)}, nil
}

// writeAssignment stores an assignment in place of the one that was read, which is kept, or as a new document.
func (c *Contracts) writeAssignment(ctx context.Context, a, was *assignment) error {
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	doc := docstore.Document{Body: body, Keys: docstore.Keys{policyIndex: a.PolicyNumber}}
	if was != nil {
		before, err := json.Marshal(was)
		if err != nil {
			return err
		}
		doc.ID, doc.Version = was.id, was.version
		return c.assigned.Replace(ctx, request.OrganisationFrom(ctx), doc,
			&docstore.Former{Version: was.version, Body: before})
	}
	if doc.ID, err = docstore.NewID(uuid.UUID{}); err != nil {
		return err
	}
	return c.assigned.Insert(ctx, request.OrganisationFrom(ctx), doc)
}
