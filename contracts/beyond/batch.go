package beyond

import "insurance.example/exchange/contracts/scalar"

// MostOperations is how many operations a batch has at most.
const MostOperations = 50

// Batch is the body of POST /x/batch.
//
// Creations that are sent together. One may refer to what an earlier one makes.
type Batch struct {
	// The creations, 1 to 50, in the order in which they run.
	Operations []BatchOperation `json:"operations,omitzero"`
}

// BatchOperation is one creation of a batch.
//
// A creation.
type BatchOperation struct {
	// The name by which later operations refer to this one: 1 to 64 letters, digits, hyphens and underscores. It is
	// unique in the batch.
	Ref string `json:"ref,omitzero"`
	// The method, which is POST.
	Method string `json:"method,omitzero"`
	// The path of a creation, such as /vehicle.
	Path string `json:"path,omitzero"`
	// The body of the creation. A text of the form @ref.id, @ref.policyNumber or @ref.claimNumber stands for that
	// member of what the earlier operation with that name makes.
	Body scalar.JSON `json:"body,omitzero"`
}

// BatchDone is the response to a batch all of whose operations are done.
//
// What the operations have made, in their order.
type BatchDone struct {
	// One element for each operation.
	Completed []BatchResult `json:"completed"`
}

// BatchResult is what one operation of a batch has made.
//
// A record that an operation has made.
type BatchResult struct {
	// The place of the operation in the batch, from 0.
	Operation int `json:"operation"`
	// The name of the operation. Absent if it has none.
	Ref string `json:"ref,omitzero"`
	// The value is 201 if this request has made the record, and 200 if an earlier one with the same Idempotency-Key
	// has.
	Status int `json:"status"`
	// Where the record is.
	Location string `json:"location"`
	// The id of the record.
	ID scalar.ID `json:"id"`
	// The number of the policy that was made, or that the record names.
	PolicyNumber string `json:"policyNumber,omitzero"`
	// The number of the claim that was made, or that the record names.
	ClaimNumber string `json:"claimNumber,omitzero"`
	// What is unusual about the record, as its creation says. Absent if nothing is, and where an earlier request made
	// it.
	Warnings []scalar.JSON `json:"warnings,omitempty"`
}

// BatchPlace is an operation of a batch that was not done.
//
// An operation of a batch.
type BatchPlace struct {
	// The place of the operation in the batch, from 0.
	Operation int `json:"operation"`
	// The name of the operation. Absent if it has none.
	Ref string `json:"ref,omitzero"`
}

// BatchRefusal is an operation that would be refused.
//
// An operation of a batch, and the problem that it would get.
type BatchRefusal struct {
	BatchPlace
	// The type of the problem.
	Type string `json:"type"`
	// The title of the problem.
	Title string `json:"title"`
	// The status of the problem.
	Status int `json:"status"`
	// What is wrong with the operation.
	Detail string `json:"detail,omitzero"`
}
