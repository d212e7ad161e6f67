package internalapi

import (
	"net/http"
	"reflect"

	"insurance.example/exchange/contracts/problems"
)

// Contract is what one service offers to the others.
type Contract struct {
	// Service is the name of the service that offers it.
	Service string
	// Version is the contract's, as in semantic versioning. A change that breaks callers needs a new major
	// version: make verify compares the contract with that of the last release.
	Version string
	// About describes the contract in a sentence.
	About      string
	Operations []Operation
}

// Operation is one internal operation.
type Operation struct {
	// Method and Path are as in a request. The path ends with the name of Parameter in braces, if there is one.
	Method, Path string
	// ID names the operation, and Summary says what it does.
	ID, Summary string
	Parameter   Parameter
	// Parts are the values of the parameter part, which asks for one of the parts of the response, with the parameter
	// skip.
	Parts []string
	// Takes is the type of the body; nil for none.
	Takes reflect.Type
	// Bare says that the body may be left out.
	Bare bool
	// Limited says that it takes the parameter limit, from 1 to 200 and 50 without it. A wrong one is 400.
	Limited bool
	// Recording says that it takes the parameter records: with true, the response has records as well.
	Recording bool
	// Dated says that it takes the parameter at, an instant; one to come is now. A wrong one, or none, is 400.
	Dated bool
	// Effective says that it may take the parameter at, an instant, for what counts then; without it, what was written
	// last. A wrong one is 400.
	Effective bool
	// Referring says that it takes the parameter reference, the name that callers have given to records. One of another
	// form names nothing.
	Referring bool
	// Returns is the type of the body of a success. It is nil if a success has no body, which is 204.
	Returns reflect.Type
	// NotFound is the problem of a parameter that names nothing; nil for the general problem not-found.
	NotFound *problems.Type
	// Conflicts reports whether the state of the record may forbid the operation (409).
	Conflicts bool
}

// Parameter is the last segment of a path. The zero value is for a path that has none.
type Parameter struct {
	// Name is its name, and Means describes it in a sentence.
	Name, Means string
	// Several says that it may have up to 200 values, with commas between them. More are 400.
	Several bool
}

var (
	none         = Parameter{}
	partyID      = Parameter{Name: "id", Means: "The id of the party. One that is no UUID names nothing."}
	organisation = Parameter{Name: "organisation", Means: "The name of the organisation that shares."}
	policyNumber = Parameter{Name: "policyNumber", Means: "The number of the policy."}
	claimNumber  = Parameter{Name: "claimNumber", Means: "The number of the claim."}
	position     = Parameter{Name: "after",
		Means: "The position after which the page begins: oldest, now, or a position that was returned before."}
	lastReceipt = Parameter{Name: "after",
		Means: "The id of the last receipt of the page before, or oldest. One that is neither is 400."}
	lastClaim = Parameter{Name: "after",
		Means: "The id of the last claim that the page before looked at, or oldest. One that is neither is 400."}
	lastPlace = Parameter{Name: "after",
		Means: "The place after the page before, or oldest. One that is neither is 400."}
	resources = Parameter{Name: "resources",
		Means: "The resources, or the collections that several share, with commas between them."}
	names         = several("names", "ids and numbers")
	policyNumbers = several("policyNumbers", "policy numbers")
	claimNumbers  = several("claimNumbers", "claim numbers")
	receiptIDs    = several("ids", "ids of the receipts")
)

func several(name, values string) Parameter {
	return Parameter{Name: name, Several: true,
		Means: "The " + values + ", with commas between them. More than 200 are 400."}
}

// get returns an operation that reads something.
func get[Returns any](path, id, summary string, parameter Parameter, further ...func(*Operation)) Operation {
	o := Operation{Method: http.MethodGet, Path: path, ID: id, Summary: summary, Parameter: parameter,
		Returns: reflect.TypeFor[Returns]()}
	for _, add := range further {
		add(&o)
	}
	return o
}

// send returns an operation with a body.
func send[Takes, Returns any](
	method, path, id, summary string, parameter Parameter, further ...func(*Operation),
) Operation {
	o := get[Returns](path, id, summary, parameter, further...)
	o.Method, o.Takes = method, reflect.TypeFor[Takes]()
	return o
}

func limited(o *Operation)   { o.Limited = true }
func recording(o *Operation) { o.Recording = true }
func dated(o *Operation)     { o.Dated = true }
func effective(o *Operation) { o.Effective = true }
func referring(o *Operation) { o.Referring = true }
func conflicts(o *Operation) { o.Conflicts = true }

func parts(names ...string) func(*Operation) { return func(o *Operation) { o.Parts = names } }

func notFound(is *problems.Type) func(*Operation) { return func(o *Operation) { o.NotFound = is } }
