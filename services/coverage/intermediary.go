package coverage

import (
	"context"
	"slices"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// The members that name who brought a policy.
const (
	brokerMember = "brokerId"
	agentMember  = "agentId"
)

// insurer is the resource of those who bring policies.
const insurer = "insuranceEntity"

// broughtBy returns what a policy has in one of these members.
func broughtBy(p *coverage.Policy, member string) *scalar.Since[scalar.ID] {
	if member == agentMember {
		return &p.AgentID
	}
	return &p.BrokerID
}

// intermediaryExists returns the rule that a member, if it was sent, names an insuranceEntity that the caller sees.
// What a policy of an earlier release has under the name means nothing, and stays as long as it is not changed.
func intermediaryExists[T any](e *environment, member string) rest.Check[T] {
	return rest.Check[T]{
		Name: member + " names no insuranceEntity", DependsOn: []string{member},
		Refuses: []problem.Kind{problem.Invalid, problems.EntityNotFound},
		Run: func(ctx context.Context, d *rest.Draft[T]) error {
			if err := d.Resolve(ctx, member); err != nil {
				return err
			}
			sent := broughtBy(policyOf(d.Value), member)
			ref, is := sent.Value()
			switch {
			case !is && !sent.IsZero():
				return problem.New(problem.Invalid, "").At("/"+member, "must be a string")
			case ref == "":
				return nil
			}
			if id, isID := ref.UUID(); isID {
				party, is, err := peer.Get[internalapi.Party](ctx, e.parties, internalapi.PartyPath+id.String())
				if err != nil || is && party.Resource == insurer {
					return err
				}
			}
			return problem.New(problems.EntityNotFound, "").At("/"+member, "names no insuranceEntity")
		},
	}
}

// setAside takes the members off a renewal that its body does not name, and returns what gives them back: it has them
// as the policy that is renewed, whatever they are there, and nobody checks them again.
func setAside(p *coverage.Policy, sent []string) (back func()) {
	var former [2]scalar.Since[scalar.ID]
	members := []string{brokerMember, agentMember}
	for i, member := range members {
		if of := broughtBy(p, member); !slices.Contains(sent, member) {
			former[i], *of = *of, scalar.Since[scalar.ID]{}
		}
	}
	return func() {
		for i, member := range members {
			if of := broughtBy(p, member); !slices.Contains(sent, member) {
				*of = former[i]
			}
		}
	}
}
