package operations

import (
	"net/http"
	"reflect"

	"insurance.example/exchange/contracts/internalapi/sharing"
	"insurance.example/exchange/contracts/problems"
)

// shareAccess is an operation of the services that have records of policies. It is not there where organisations do not
// share the exchange.
func shareAccess() Operation {
	return Operation{
		Method: http.MethodPut, Path: sharing.AccessPath, ID: "changeAccess",
		Summary:   "Make a step of a change of the access list of a policy, in the name of its owner",
		Parameter: "policyNumber", ParameterMeans: "The number of the policy.",
		Takes: reflect.TypeFor[sharing.Step](), Returns: reflect.TypeFor[sharing.Kept](), Conflicts: true,
	}
}

// seenPolicies is an operation of coverage. It is not there where organisations do not share the exchange.
func seenPolicies() Operation {
	return Operation{
		Method: http.MethodPost, Path: sharing.SeenPath, ID: "findSharedPolicies",
		Summary: "Find out which policies are shared with the organisation of the caller now",
		Takes:   reflect.TypeFor[sharing.Asked](), Returns: reflect.TypeFor[sharing.Seen](),
	}
}

// seenContracts is an operation of the desk. It is not there where organisations do not share the exchange.
func seenContracts() Operation {
	return Operation{
		Method: http.MethodPost, Path: sharing.CounterpartyPath, ID: "findContractsAsCounterparty",
		Summary: "Find out of which contracts of others the organisation of the caller is the counterparty now",
		Takes:   reflect.TypeFor[sharing.AskedContracts](), Returns: reflect.TypeFor[sharing.SeenContracts](),
	}
}

// readAccess is an operation of coverage.
func readAccess() Operation {
	return Operation{
		Method: http.MethodGet, Path: sharing.AccessPath, ID: "readAccess",
		Summary:   "Read the access list of a policy that the caller sees",
		Parameter: "policyNumber", ParameterMeans: "The number of the policy.",
		Returns: reflect.TypeFor[sharing.Kept](), NotFound: problems.PolicyNotFound,
	}
}
