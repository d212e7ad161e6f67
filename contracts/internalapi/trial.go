package internalapi

import (
	"insurance.example/exchange/contracts/scalar"
)

// TrialPath is an operation of every service: POST Trial: TrialOutcomes.
const TrialPath = Prefix + "/trial"

// Trial is the body of a trial of creations.
//
// Creations to try, each after those that it refers to.
type Trial struct {
	// The creations, all of resources of the service.
	Operations []TrialOperation `json:"operations"`
	// The values of what other creations make, by the name of the creation and the member. A value that an issued one
	// stands for is assumed.
	Known map[string]map[string]string `json:"known,omitempty"`
	// What is assumed of the records that other creations make, by path, as the trials of these returned it.
	Assumed map[string]scalar.JSON `json:"assumed,omitempty"`
}

// TrialOperation is one creation of a trial.
//
// A creation to try.
type TrialOperation struct {
	// The name by which other creations refer to this one. Absent if none does.
	Ref string `json:"ref,omitzero"`
	// The resource of the record, such as vehicle.
	Resource string `json:"resource"`
	// The Idempotency-Key that the record is to be created with.
	Key string `json:"key"`
	// The body of the creation. A text such as @p.id stands for a value of another one.
	Body scalar.JSON `json:"body"`
}

// TrialOutcomes is the response to a trial.
//
// The outcome of each creation, in their order. Nothing was written.
type TrialOutcomes struct {
	// The outcomes.
	Outcomes []TrialOutcome `json:"outcomes"`
}

// The outcomes of the trial of a creation.
const (
	Admissible = "admissible"
	Refused    = "refused"
	Made       = "made"
	Untried    = "untried"
)

// TrialOutcome is the outcome of one creation.
//
// What would become of a creation.
type TrialOutcome struct {
	// The value is admissible, refused, made if the same Idempotency-Key has made the record before, or untried if it
	// refers to a creation that is refused.
	Outcome string `json:"outcome"`
	// The checks that would refuse the record.
	Failed []TrialFailure `json:"failed,omitempty"`
	// The id, policyNumber and claimNumber of the record, as far as it has them; those of an admissible one are
	// assumed.
	Values map[string]string `json:"values,omitempty"`
	// What to assume of an admissible record in further trials of the same request, by path.
	Assumed map[string]scalar.JSON `json:"assumed,omitempty"`
}

// TrialFailure is a check that would refuse a record.
//
// A problem that a creation would get.
type TrialFailure struct {
	// The condition of the check.
	Check string `json:"check"`
	// The status of the problem.
	Status int `json:"status"`
	// The type of the problem.
	Problem string `json:"problem"`
	// The title of the problem.
	Title string `json:"title"`
	// What is wrong with this record. Absent where errors say it.
	Detail string `json:"detail,omitzero"`
	// All that the check found wrong, place by place.
	Errors []TrialViolation `json:"errors,omitempty"`
}

// TrialViolation is one thing that is wrong with a record.
//
// One thing that is wrong, and where.
type TrialViolation struct {
	// The place in the body of the creation, as a JSON pointer.
	Pointer string `json:"pointer"`
	// What is wrong there.
	Reason string `json:"reason"`
}
