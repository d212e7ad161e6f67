package operations

import (
	"net/http"
	"reflect"

	"insurance.example/exchange/contracts/internalapi/reporting"
)

// receipts is an operation of premium.
func receipts() Operation {
	return Operation{
		Method: http.MethodGet, Path: reporting.ReceiptsPath, ID: "readReceipts",
		Summary: "Read a page of all receipts, in an order that never changes", Parameter: "after",
		ParameterMeans: "The id of the last receipt of the page before, or oldest. One that is neither is 400.",
		Limited:        true, Returns: reflect.TypeFor[reporting.Receipts](),
	}
}

// attachments is an operation of coverage.
func attachments() Operation {
	return Operation{
		Method: http.MethodGet, Path: reporting.AttachmentsPath, ID: "readAttachments",
		Summary:   "Read by what up to 200 policies belong to contracts",
		Parameter: "policyNumbers", MostNames: 200,
		ParameterMeans: "The policy numbers, with commas between them. More than 200 are 400.",
		Returns:        reflect.TypeFor[reporting.Attachments](),
	}
}

// allClaims is an operation of claims.
func allClaims() Operation {
	return Operation{
		Method: http.MethodGet, Path: reporting.ClaimsPath, ID: "readClaims",
		Summary:   "Read a page of all claims as they were at an instant, in an order that never changes",
		Parameter: "after",
		ParameterMeans: "The id of the last claim that the page before looked at, or oldest. One that is neither is " +
			"400.",
		Limited: true, Dated: true, Returns: reflect.TypeFor[reporting.Claims](),
	}
}

// statedPremium is an operation of premium.
func statedPremium() Operation {
	return Operation{
		Method: http.MethodGet, Path: reporting.StatedPath, ID: "readStatedPremium",
		Summary: "Read the rows of the premium bordereau in which up to 200 receipts count, where a netPremium is " +
			"stated",
		Parameter: "ids", MostNames: 200,
		ParameterMeans: "The ids of the receipts, with commas between them. More than 200 are 400.",
		Returns:        reflect.TypeFor[reporting.StatedPremium](),
	}
}

// premiumToDate is an operation of premium.
func premiumToDate() Operation {
	return Operation{
		Method: http.MethodGet, Path: reporting.ToDatePath, ID: "readPremiumToDate",
		Summary:   "Read what was received for up to 200 policies until an instant, by type of receipt",
		Parameter: "policyNumbers", MostNames: 200, Dated: true,
		ParameterMeans: "The policy numbers, with commas between them. More than 200 are 400.",
		Returns:        reflect.TypeFor[reporting.PremiumToDate](),
	}
}

// claimPayments is an operation of premium.
func claimPayments() Operation {
	return Operation{
		Method: http.MethodGet, Path: reporting.ClaimPaymentsPath, ID: "readClaimPayments",
		Summary:   "Read what was paid for up to 200 claims until an instant, as receipts say",
		Parameter: "claimNumbers", MostNames: 200, Dated: true,
		ParameterMeans: "The claim numbers, with commas between them. More than 200 are 400.",
		Returns:        reflect.TypeFor[reporting.ClaimPayments](),
	}
}
