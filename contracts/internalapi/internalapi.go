// Package internalapi holds the operations that services offer to each other. Their paths are under Prefix, which the gateway
// never routes.
package internalapi

import "insurance.example/exchange/contracts/scalar"

// Prefix begins the path of every internal operation.
const Prefix = "/internal"

// The operations. Each is a path under Prefix, to which the id or number is added.
const (
	PartyPath      = Prefix + "/party/"  // GET {id}: Party
	PolicyPath     = Prefix + "/policy/" // GET {policyNumber}: Policy
	ClaimPath      = Prefix + "/claim/"  // GET {claimNumber}: Claim
	NonPaymentPath = Prefix + "/lapse/"  // POST {policyNumber}: the policy lapses for non-payment
)

// Party is a party that exists, with the resource to which it belongs.
type Party struct {
	ID       string `json:"id"`
	Resource string `json:"resource"`
}

// Policy is what other services need to know about a coverage record.
type Policy struct {
	PolicyNumber         string          `json:"policyNumber"`
	Line                 string          `json:"line"` // the coverage resource, such as motorCoverage
	PolicyholderID       scalar.ID       `json:"policyholderId,omitzero"`
	InceptionDate        scalar.DateTime `json:"inceptionDate,omitzero"`
	ExpiryDate           scalar.DateTime `json:"expiryDate,omitzero"`
	EndedAt              scalar.DateTime `json:"endedAt,omitzero"` // when a cancellation or lapse took effect
	IndemnityLimitPolicy *scalar.Int     `json:"indemnityLimitPolicy,omitzero"`
	// Covers are the loss causes that the policy covers: perils, scope or benefits. They are values of CauseSet, which is
	// empty for a line without such a list.
	Covers   []string `json:"covers,omitempty"`
	CauseSet string   `json:"causeSet,omitempty"`
	// WaitingPeriod is in days, counted as Waits says. It is nil for a policy without a waiting period.
	WaitingPeriod *scalar.Int `json:"waitingPeriod,omitzero"`
	Waits         Waits       `json:"waits,omitempty"`
}

// Waits says between which instants a waiting period must lie.
type Waits string

// The waiting periods of trade credit and pet policies; contracts/register says how they are counted.
const (
	LossToNotification Waits = "lossDate to fnol"          // trade credit
	InceptionToLoss    Waits = "inceptionDate to lossDate" // pet
)

// InForceAt reports whether the policy was in force at an instant: inception <= t < expiry, and t before the
// cancellation or lapse, if any. A policy without expiry has no end until then.
func (p *Policy) InForceAt(t scalar.DateTime) bool {
	return !t.Before(p.InceptionDate) &&
		(p.ExpiryDate.IsZero() || t.Before(p.ExpiryDate)) &&
		(p.EndedAt.IsZero() || t.Before(p.EndedAt))
}

// Claim is a claim that exists, with the number of its policy.
type Claim struct {
	ClaimNumber  string `json:"claimNumber"`
	PolicyNumber string `json:"policyNumber"`
}
