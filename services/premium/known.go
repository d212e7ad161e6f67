package premium

import (
	"context"
	"net/url"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
)

// known remembers which policies and claims an organisation has. Neither is ever deleted or given away, and a claim
// never changes its policy, so an entry never becomes wrong. Only what exists is remembered, because what is missing
// may be created later.
type known struct {
	policies *lru.Cache[request.Sought, term]
	claims   *lru.Cache[request.Sought, string] // claim number -> policy number
}

const remembered = 50_000

// term is the term of a policy, as it was read at an instant.
type term struct{ begins, ends, read time.Time }

const (
	// fresh is how long a term is taken for what it is by now.
	fresh = time.Minute
	// longestTerm is how long coverage may take to return a term that only a warning needs.
	longestTerm = 2 * time.Second
)

func newKnown() (*known, error) {
	policies, err := lru.New[request.Sought, term](remembered)
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
	_, found, err := e.termOf(ctx, sought, policyNumber)
	return found, err
}

// termOf reads the term of a policy, and remembers it.
func (e *environment) termOf(
	ctx context.Context, sought request.Sought, policyNumber string,
) (of term, found bool, err error) {
	policy, found, err := e.policy(ctx, policyNumber)
	of = term{policy.InceptionDate.Time(), policy.ExpiryDate.Time(), e.now()}
	if found && e.lasts(ctx, policy.Owner) {
		e.known.policies.Add(sought, of)
	}
	return of, found, err
}

// freshTerm returns the term of a policy, not more than a minute old unless coverage cannot be asked, and whether it
// is known. However long coverage says nothing, most of the time of the request is left.
func (e *environment) freshTerm(ctx context.Context, policyNumber string) (of term, known bool) {
	sought := request.SoughtBy(ctx, policyNumber)
	of, known = e.known.policies.Get(sought)
	if known && e.now().Sub(of.read) < fresh {
		return of, true
	}
	ctx, cancel := context.WithTimeout(ctx, patience.Times(longestTerm))
	defer cancel()
	if read, found, err := e.termOf(ctx, sought, policyNumber); err == nil && found {
		return read, true
	}
	return of, known
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
