package internalapi

import "insurance.example/exchange/contracts/scalar"

// AccessPath is the path of the operations, to which the number of the policy is added. A PUT of a Step makes that
// step and returns Kept; a GET, which coverage alone has, returns Kept.
const AccessPath = "/internal/access/"

// RefusedPath is the path of the operations, to which the name of an organisation is added, by which the services keep
// what the organisation of the caller says about what that one shares. A PUT of a Refusal makes the change and returns
// the Refusal that stands; coverage, which is asked first, responds with 409 where the organisation refuses as many as
// it may. A GET, which coverage alone has, returns it.
const RefusedPath = "/internal/refused/"

// Refusal says whether the shares of an organisation are refused.
//
// Whether the organisation of the caller refuses what another one shares with it.
type Refusal struct {
	// Whether it refuses that.
	Refused bool `json:"refused"`
	// The number of the change, which the first service gives it; 0 where nothing was said yet.
	Sequence scalar.Int `json:"sequence,omitzero"`
	// Who asked for the change.
	By string `json:"by,omitzero"`
	// When it was asked for.
	At scalar.DateTime `json:"at,omitzero"`
}

// SeenPath is the path of the operation by which coverage says which policies are shared with the caller's
// organisation now. A POST of Asked returns Seen.
const SeenPath = "/internal/shared"

// MostAsked is how many policies are asked for at a time.
const MostAsked = 500

// Asked names policies.
//
// The policies that are asked for.
type Asked struct {
	// Their numbers, 500 at most.
	PolicyNumbers []string `json:"policyNumbers"`
}

// Seen are those that are shared.
//
// Those of the policies that others share with the organisation of the caller now.
type Seen struct {
	// The policies.
	Policies []SeenPolicy `json:"policies"`
}

// SeenPolicy is a policy that is shared.
//
// A policy that its owner shares with the organisation of the caller.
type SeenPolicy struct {
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The owner of the policy.
	Owner string `json:"owner"`
}

// SharedPath is the path of the operation by which coverage lists the policies that are shared with the caller's
// organisation now, to which the place after the page before is added. A GET returns SharedPolicies.
const SharedPath = SeenPath + "/"

// SharedPolicies are a page of the policies that are shared.
//
// Policies that others share with the organisation of the caller now. A page may have none while another one follows.
type SharedPolicies struct {
	// The policies.
	Policies []SeenPolicy `json:"policies"`
	// The place after the page. Absent after the last one.
	Next string `json:"next,omitzero"`
}

// CounterpartyPath is the path of the operation by which the desk says of which contracts of others the caller's
// organisation is the counterparty now. A POST of AskedContracts returns SeenContracts.
const CounterpartyPath = "/internal/counterparty"

// MostContracts is how many contracts are asked for at a time.
const MostContracts = 100

// AskedContracts names contracts of the desk.
//
// The contracts that are asked for.
type AskedContracts struct {
	// Their references, 100 at most.
	References []string `json:"references"`
}

// SeenContracts are those whose counterparty the caller's organisation is.
//
// Those of the contracts that the organisation of the caller sees as their counterparty now.
type SeenContracts struct {
	// The contracts.
	Contracts []SeenContract `json:"contracts"`
}

// SeenContract is a contract of another organisation.
//
// A contract whose counterparty is the organisation of the caller.
type SeenContract struct {
	// The reference of the contract.
	Reference string `json:"reference"`
	// The organisation that has made it.
	Owner string `json:"owner"`
	// Whether the caller also sees what is not approved. A desk of the release before does not say it.
	Drafts bool `json:"drafts,omitzero"`
}

// Participant is an organisation with which a policy is shared.
//
// An organisation, and what it may do.
type Participant struct {
	// The name of the organisation.
	Organisation string `json:"organisation"`
	// Its rights: read, claims, premium.
	Rights []string `json:"rights"`
}

// Step is a step of a change of an access list. Every service takes away what the change takes before any of them
// gives what it gives.
//
// A step of a change of an access list.
type Step struct {
	// The owner of the policy.
	Owner string `json:"owner"`
	// The sequence of the list that the change is to follow. It is sent to the first service, which gives the change
	// its own.
	After *scalar.Int `json:"after,omitzero"`
	// The sequence of the change, for the other steps and services.
	Sequence scalar.Int `json:"sequence,omitzero"`
	// Whether the step gives what the change gives. The other step takes what the change takes.
	Grant bool `json:"grant,omitzero"`
	// The participants as they are to be.
	Participants []Participant `json:"participants"`
	// Who asked for the change.
	By string `json:"by,omitzero"`
	// When the change was asked for.
	At scalar.DateTime `json:"at,omitzero"`
}

// Kept is an access list as a service keeps it.
//
// The access list of a policy. One that never had one has no participants, and the sequence 0.
type Kept struct {
	// The owner of the policy.
	Owner string `json:"owner"`
	// The sequence of the change that wrote the list last.
	Sequence scalar.Int `json:"sequence"`
	// Whether that change was not made everywhere, or has stopped.
	Unfinished bool `json:"unfinished,omitzero"`
	// The participants.
	Participants []Participant `json:"participants"`
	// How many changes were made everywhere.
	Edition scalar.Int `json:"edition"`
	// Who asked for the last of these. Absent where there was none.
	By string `json:"by,omitzero"`
	// When it was asked for. Absent where there was none.
	At scalar.DateTime `json:"at,omitzero"`
}
