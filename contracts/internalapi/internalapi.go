package internalapi

import "insurance.example/exchange/contracts/scalar"

// Prefix begins the path of every internal operation.
const Prefix = "/internal"

// The operations. Each is a path under Prefix, to which the id or number is added.
const (
	PartyPath      = Prefix + "/party/"  // GET {id}: Party
	PolicyPath     = Prefix + "/policy/" // GET {policyNumber}?at=: Policy
	ClaimPath      = Prefix + "/claim/"  // GET {claimNumber}: Claim
	NonPaymentPath = Prefix + "/lapse/"  // POST {policyNumber}: the policy lapses for non-payment
	// ChangesPath is an operation of each service of Logged: GET {after}: Changes.
	ChangesPath = Prefix + "/changes/"
)

// Party is the response to a look-up in parties. It says to which resource the party belongs.
//
// A party that exists.
type Party struct {
	// The id of the party.
	ID string `json:"id"`
	// The resource to which the party belongs, such as personal.
	Resource string `json:"resource"`
}

// Policy is the response to a look-up in coverage.
//
// What other services need to know about a policy.
type Policy struct {
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The organisation that owns the policy. Absent where organisations do not share the exchange.
	Owner string `json:"owner,omitzero"`
	// The coverage resource to which the policy belongs, such as motorCoverage.
	Line string `json:"line"`
	// The id of the policyholder. It is absent for a policy without one.
	PolicyholderID scalar.ID `json:"policyholderId,omitzero"`
	// The instant at which the term begins.
	InceptionDate scalar.DateTime `json:"inceptionDate,omitzero"`
	// The instant at which the term ends. A policy without it has no end until it is cancelled or lapses.
	ExpiryDate scalar.DateTime `json:"expiryDate,omitzero"`
	// The instant at which cover ended by a cancellation or lapse. It is absent where there was none.
	EndedAt scalar.DateTime `json:"endedAt,omitzero"`
	// The limit of indemnity of the policy, if its line has one. This member and those after it are what counts at the
	// instant that was asked for, by the effective dates of endorsements; without an instant, what was written last.
	IndemnityLimitPolicy *scalar.Int `json:"indemnityLimitPolicy,omitzero"`
	// The loss causes that the policy covers: its perils, scope or benefits. They are values of causeSet.
	Covers []string `json:"covers,omitempty"`
	// The value set of the loss causes. It is absent for a line without such a list, and then every cause is covered.
	CauseSet string `json:"causeSet,omitempty"`
	// The waiting period in days, counted as waits says. It is absent for a policy without one.
	WaitingPeriod *scalar.Int `json:"waitingPeriod,omitzero"`
	// The instants between which the waiting period must lie. It is present where waitingPeriod is.
	Waits Waits `json:"waits,omitempty"`
}

// NonPayment is the report that a policy was not paid for.
//
// When cover ends because a policy was not paid for.
type NonPayment struct {
	// The instant at which cover ends, from inceptionDate to expiryDate; now if it is left out, or the end of the term
	// that is nearer.
	EffectiveDate scalar.DateTime `json:"effectiveDate,omitzero"`
}

// Waits says between which instants a waiting period must lie.
type Waits string

// The waiting periods of trade credit and pet policies; contracts/register says how they are counted.
const (
	LossToNotification Waits = "lossDate to fnol"          // trade credit
	InceptionToLoss    Waits = "inceptionDate to lossDate" // pet
)

// AllWaits returns every value.
func AllWaits() []Waits { return []Waits{LossToNotification, InceptionToLoss} }

// InForceAt reports whether the policy was in force at an instant: inception <= t < expiry, and t before the
// cancellation or lapse, if any. A policy without expiry has no end until then.
func (p *Policy) InForceAt(t scalar.DateTime) bool {
	return !t.Before(p.InceptionDate) &&
		(p.ExpiryDate.IsZero() || t.Before(p.ExpiryDate)) &&
		(p.EndedAt.IsZero() || t.Before(p.EndedAt))
}

// Claim is the response to a look-up in claims. It has the number of the claim's policy.
//
// A claim that exists.
type Claim struct {
	// The number of the claim.
	ClaimNumber string `json:"claimNumber"`
	// The organisation that owns the claim. Absent where organisations do not share the exchange.
	Owner string `json:"owner,omitzero"`
	// The number of the policy that the claim is against.
	PolicyNumber string `json:"policyNumber"`
}
