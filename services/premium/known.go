package premium

import (
	"context"
	"net/url"

	lru "github.com/hashicorp/golang-lru/v2"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
)

// known remembers which policies and claims an organisation has. Neither is ever deleted or given away, and a claim
// never changes its policy, so an entry never becomes wrong. Only what exists is remembered, because what is missing
// may be created later.
type known struct {
	policies *lru.Cache[request.Sought, struct{}]
	claims   *lru.Cache[request.Sought, string] // claim number -> policy number
}

const remembered = 50_000

func newKnown() (*known, error) {
	policies, err := lru.New[request.Sought, struct{}](remembered)
	if err != nil {
		return nil, err
	}
	claims, err := lru.New[request.Sought, string](remembered)
	return &known{policies, claims}, err
}

// policyExists reports whether a policy has the number.
func (e *environment) policyExists(ctx context.Context, policyNumber string) (bool, error) {
	sought := request.SoughtBy(ctx, policyNumber)
	if e.known.policies.Contains(sought) {
		return true, nil
	}
	policy, found, err := e.policy(ctx, policyNumber)
	if found && e.lasts(ctx, policy.Owner) {
		e.known.policies.Add(sought, struct{}{})
	}
	return found, err
}

// lasts reports whether what was found stays so: it is no longer seen once another organisation ends its sharing, and
// what is assumed may never be.
func (*environment) lasts(ctx context.Context, owner string) bool {
	return peer.Assumed(ctx) == nil && request.OrganisationFrom(ctx).Sees(owner)
}

// policyOfClaim returns the number of the policy that a claim is against, and whether there is such a claim.
func (e *environment) policyOfClaim(
	ctx context.Context, claimNumber string,
) (policyNumber string, found bool, err error) {
	sought := request.SoughtBy(ctx, claimNumber)
	if policyNumber, found = e.known.claims.Get(sought); found {
		return policyNumber, true, nil
	}
	claim, found, err := peer.Get[internalapi.Claim](ctx, e.claims, internalapi.ClaimPath+url.PathEscape(claimNumber))
	if found && e.lasts(ctx, claim.Owner) {
		e.known.claims.Add(sought, claim.PolicyNumber)
	}
	return claim.PolicyNumber, found, err
}

// policy returns the coverage service's description of a policy, and whether there is such a policy.
func (e *environment) policy(ctx context.Context, policyNumber string) (internalapi.Policy, bool, error) {
	return peer.Get[internalapi.Policy](ctx, e.coverage, internalapi.PolicyPath+url.PathEscape(policyNumber))
}
