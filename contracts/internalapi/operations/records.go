package operations

import (
	"net/http"
	"reflect"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/internalapi/reporting"
	"insurance.example/exchange/contracts/problems"
)

// about is the operation of every service that keeps something. An older release responds with 404.
func about() Operation {
	return Operation{
		Method: http.MethodGet, Path: internalapi.AboutPath, ID: "readAbout",
		Summary: "Read the build of the service and its settings that callers may learn",
		Returns: reflect.TypeFor[internalapi.About](),
	}
}

// changes is the operation of each service that keeps a log of changes.
func changes() Operation {
	return Operation{
		Method: http.MethodGet, Path: internalapi.ChangesPath, ID: "readChanges",
		Summary: "Read a page of the log of changes", Parameter: "after",
		ParameterMeans: "The position after which the page begins: oldest, now, or a position that was returned " +
			"before.",
		Limited: true, Returns: reflect.TypeFor[internalapi.Changes](),
	}
}

// trial is the operation that every service offers. An older release responds with 404, as to every unknown path.
func trial() Operation {
	return Operation{
		Method: http.MethodPost, Path: internalapi.TrialPath, ID: "tryCreations",
		Summary: "Try creations without writing anything", Takes: reflect.TypeFor[internalapi.Trial](),
		Returns: reflect.TypeFor[internalapi.TrialOutcomes](),
	}
}

// records is the operation that every service offers. An older release responds with 404, as to every unknown path.
func records() Operation {
	return Operation{
		Method: http.MethodGet, Path: internalapi.RecordsPath, ID: "readRecords",
		Summary:   "Read up to 200 records of the service by their ids, policy numbers or claim numbers",
		Parameter: "names", MostNames: 200,
		ParameterMeans: "The ids and numbers, with commas between them. More than 200 are 400.",
		Returns:        reflect.TypeFor[internalapi.NamedRecords](),
	}
}

// recordsAt is the operation that every service offers. An older release responds with 404, as to every unknown path.
func recordsAt() Operation {
	return Operation{
		Method: http.MethodGet, Path: reporting.RecordsAtPath, ID: "readRecordsAt",
		Summary: "Read up to 200 records of the service by their ids, policy numbers or claim numbers, as they were " +
			"at an instant",
		Parameter: "names", MostNames: 200, Dated: true,
		ParameterMeans: "The ids and numbers, with commas between them. More than 200 are 400.",
		Returns:        reflect.TypeFor[reporting.PastRecords](),
	}
}

// partyRecord is an operation of parties.
func partyRecord() Operation {
	return Operation{
		Method: http.MethodGet, Path: internalapi.PartyRecordPath, ID: "readParty",
		Summary:   "Read a party of any kind by its id",
		Parameter: "id", ParameterMeans: "The id of the party. One that is no UUID names nothing.",
		Returns: reflect.TypeFor[internalapi.ShownRecord](),
	}
}

// policyRecords is an operation of coverage.
func policyRecords() Operation {
	o := ofPolicy(internalapi.PolicyRecordsPath, "readPolicy", "Read a policy with what belongs to it",
		reflect.TypeFor[internalapi.PolicyRecords](), internalapi.InsuredPart, internalapi.RenewalsBeforePart,
		internalapi.RenewalsAfterPart)
	o.NotFound = problems.PolicyNotFound
	return o
}

// policyClaims is an operation of claims.
func policyClaims() Operation {
	return ofPolicy(internalapi.PolicyClaimsPath, "readClaimsOfPolicy",
		"Read the claims against a policy and its rows of the claims bordereau; none of an unknown one",
		reflect.TypeFor[internalapi.PolicyClaims](), internalapi.ClaimsPart, internalapi.ClaimRowsPart)
}

// policyPremium is an operation of premium.
func policyPremium() Operation {
	return ofPolicy(internalapi.PolicyPremiumPath, "readPremiumOfPolicy",
		"Read the receipts and rows of a policy; none of an unknown one",
		reflect.TypeFor[internalapi.PolicyPremium](), internalapi.ReceiptsPart,
		internalapi.RowsPart)
}

func ofPolicy(path, id, summary string, returns reflect.Type, parts ...string) Operation {
	return Operation{
		Method: http.MethodGet, Path: path, ID: id, Summary: summary, Parameter: "policyNumber",
		ParameterMeans: "The number of the policy.", Parts: parts, Returns: returns,
	}
}
