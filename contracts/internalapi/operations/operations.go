// Package operations describes the operations that services offer to each other, whose types and paths package
// internalapi has. make generate writes from it an OpenAPI document for each service that offers some; no process
// needs it.
package operations

import (
	"net/http"
	"reflect"

	"insurance.example/exchange/contracts/internalapi"
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
	// Method and Path are as in a request. The path ends with Parameter in braces, if there is one.
	Method, Path string
	// ID names the operation, Summary says what it does, and Parameter is the name of the last segment of the path.
	ID, Summary, Parameter string
	// ParameterMeans describes the parameter in a sentence.
	ParameterMeans string
	// MostNames is how many values the parameter may have, with commas between them; one where it is 0. More are 400.
	MostNames int
	// Parts are the values of the parameter part, which asks for one of the parts of the response, with the parameter
	// skip.
	Parts []string
	// Takes is the type of the body; nil for none.
	Takes reflect.Type
	// Limited says that it takes the parameter limit, from 1 to 200 and 50 without it. A wrong one is 400.
	Limited bool
	// Dated says that it takes the parameter at, an instant; one to come is now. A wrong one, or none, is 400.
	Dated bool
	// Returns is the type of the body of a success. It is nil if a success has no body, which is 204.
	Returns reflect.Type
	// NotFound is the problem of a parameter that names nothing; nil for the general problem not-found.
	NotFound *problems.Type
	// Conflicts reports whether the state of the record may forbid the operation (409).
	Conflicts bool
}

// Contracts returns the contracts of the services that offer operations.
func Contracts() []Contract {
	contracts := []Contract{
		{
			Service: "parties", Version: "1.5.0", About: "What the parties service offers to other services.",
			Operations: []Operation{{
				Method: http.MethodGet, Path: internalapi.PartyPath, ID: "lookUpParty",
				Summary:   "Look up a party of any kind by its id",
				Parameter: "id", ParameterMeans: "The id of the party. One that is no UUID names nothing.",
				Returns: reflect.TypeFor[internalapi.Party](),
			}, partyRecord()},
		},
		{
			Service: "coverage", Version: "1.7.0",
			About: "What the coverage service offers to other services, and to a billing system.",
			Operations: []Operation{{
				Method: http.MethodGet, Path: internalapi.PolicyPath, ID: "lookUpPolicy",
				Summary:   "Look up a policy of any line by its number",
				Parameter: "policyNumber", ParameterMeans: "The number of the policy.",
				Returns:  reflect.TypeFor[internalapi.Policy](),
				NotFound: problems.PolicyNotFound,
			}, {
				Method: http.MethodPost, Path: internalapi.NonPaymentPath, ID: "reportNonPayment",
				Summary:   "Report that a policy was not paid, by which it lapses",
				Parameter: "policyNumber", ParameterMeans: "The number of the policy.",
				NotFound: problems.PolicyNotFound, Conflicts: true,
			}, policyRecords(), attachments(), readAccess(), shareAccess(), seenPolicies()},
		},
		{
			Service: "claims", Version: "1.5.0", About: "What the claims service offers to other services.",
			Operations: []Operation{{
				Method: http.MethodGet, Path: internalapi.ClaimPath, ID: "lookUpClaim",
				Summary:   "Look up a claim by its number",
				Parameter: "claimNumber", ParameterMeans: "The number of the claim.",
				Returns:  reflect.TypeFor[internalapi.Claim](),
				NotFound: problems.ClaimNotFound,
			}, policyClaims(), allClaims(), shareAccess()},
		},
		{Service: "products", Version: "1.4.0", About: "What the products service offers to other services."},
		{
			Service: "premium", Version: "1.6.0", About: "What the premium service offers to other services.",
			Operations: []Operation{policyPremium(), receipts(), statedPremium(), premiumToDate(), claimPayments(),
				shareAccess()},
		},
	}
	for i := range contracts {
		contracts[i].Operations = append(contracts[i].Operations, changes(), trial(), records(), recordsAt(),
			about())
	}
	return append(contracts, Contract{
		Service: "feed", Version: "1.0.0", About: "What the feed offers to other services.",
		Operations: []Operation{about()},
	}, Contract{
		Service: "desk", Version: "1.1.0", About: "What the desk offers to other services.",
		Operations: []Operation{changes(), about(), seenContracts()},
	})
}
