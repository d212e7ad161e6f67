package premium

import (
	"context"
	"net/url"

	lru "github.com/hashicorp/golang-lru/v2"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/assumed"
	"insurance.example/exchange/pkg/peer"
)

// known remembers which policies and claims exist. Neither is ever deleted, and a claim never changes its policy, so an
// entry never becomes wrong. Only what exists is remembered, because what is missing may be created later.
type known struct {
	policies *lru.Cache[string, struct{}]
	claims   *lru.Cache[string, string] // claim number -> policy number
}

const remembered = 50_000

func newKnown() (*known, error) {
	policies, err := lru.New[string, struct{}](remembered)
	if err != nil {
		return nil, err
	}
	claims, err := lru.New[string, string](remembered)
	return &known{policies, claims}, err
}

// policyExists reports whether a policy has the number.
func (e *environment) policyExists(ctx context.Context, policyNumber string) (bool, error) {
	if e.known.policies.Contains(policyNumber) {
		return true, nil
	}
	_, found, err := e.policy(ctx, policyNumber)
	if found && assumed.From(ctx) == nil { // what is assumed may never be
		e.known.policies.Add(policyNumber, struct{}{})
	}
	return found, err
}

// policyOfClaim returns the number of the policy that a claim is against, and whether there is such a claim.
func (e *environment) policyOfClaim(
	ctx context.Context, claimNumber string,
) (policyNumber string, found bool, err error) {
	if policyNumber, found = e.known.claims.Get(claimNumber); found {
		return policyNumber, true, nil
	}
	claim, found, err := peer.Get[internalapi.Claim](ctx, e.claims, internalapi.ClaimPath+url.PathEscape(claimNumber))
	if found && assumed.From(ctx) == nil {
		e.known.claims.Add(claimNumber, claim.PolicyNumber)
	}
	return claim.PolicyNumber, found, err
}

// policy returns the coverage service's description of a policy, and whether there is such a policy.
func (e *environment) policy(ctx context.Context, policyNumber string) (internalapi.Policy, bool, error) {
	return peer.Get[internalapi.Policy](ctx, e.coverage, internalapi.PolicyPath+url.PathEscape(policyNumber))
}
