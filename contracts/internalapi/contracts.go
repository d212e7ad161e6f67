package internalapi

import (
	"net/http"
	"reflect"

	"insurance.example/exchange/contracts/problems"
)

// Operations of several services. An older release responds with 404 to those that it does not know.
var (
	about = get[About](AboutPath, "readAbout",
		"Read the build of the service and its settings that callers may learn", none)
	changes = get[Changes](ChangesPath, "readChanges", "Read a page of the log of changes",
		position, limited, recording)
	ofRecords = []Operation{changes,
		send[Trial, TrialOutcomes](http.MethodPost, TrialPath, "tryCreations",
			"Try creations without writing anything", none),
		get[NamedRecords](RecordsPath, "readRecords",
			"Read up to 200 records of the service by their ids, policy numbers or claim numbers", names),
		get[PastRecords](RecordsAtPath, "readRecordsAt", "Read up to 200 records of the service "+
			"by their ids, policy numbers or claim numbers, as they were at an instant", names, dated),
		get[ReferencedRecords](ReferencePath, "readReferences", "Read the ids and numbers of the records that a "+
			"name stands for which the organisation of the caller has given, or of those with such a number",
			resources, referring),
		about,
	}
	// Where organisations do not share the exchange, neither this operation nor another of package sharing is there.
	shareAccess = send[Step, Kept](http.MethodPut, AccessPath, "changeAccess",
		"Make a step of a change of the access list of a policy, in the name of its owner", policyNumber, conflicts)
	refuseShares = send[Refusal, Refusal](http.MethodPut, RefusedPath, "refuseShares",
		"Refuse what an organisation shares with that of the caller, or end that", organisation)
)

// Contracts returns the contracts of the services that offer operations.
func Contracts() []Contract {
	return []Contract{{
		Service: "parties", Version: "1.6.0", About: "What the parties service offers to other services.",
		Operations: append([]Operation{
			get[Party](PartyPath, "lookUpParty", "Look up a party of any kind by its id",
				partyID),
			get[ShownRecord](PartyRecordPath, "readParty", "Read a party of any kind by its id",
				partyID),
		}, ofRecords...),
	}, {
		Service: "coverage", Version: "1.10.0",
		About: "What the coverage service offers to other services, and to a billing system.",
		Operations: append([]Operation{
			get[Policy](PolicyPath, "lookUpPolicy",
				"Look up a policy of any line by its number", policyNumber, notFound(problems.PolicyNotFound),
				effective),
			{Method: http.MethodPost, Path: NonPaymentPath, ID: "reportNonPayment",
				Summary: "Report that a policy was not paid, by which it lapses", Parameter: policyNumber,
				Takes: reflect.TypeFor[NonPayment](), Bare: true, NotFound: problems.PolicyNotFound, Conflicts: true},
			get[PolicyRecords](PolicyRecordsPath, "readPolicy",
				"Read a policy with what belongs to it", policyNumber, notFound(problems.PolicyNotFound),
				parts(InsuredPart, RenewalsBeforePart, RenewalsAfterPart)),
			get[Attachments](AttachmentsPath, "readAttachments",
				"Read by what up to 200 policies belong to contracts", policyNumbers),
			get[Kept](AccessPath, "readAccess", "Read the access list of a policy that the caller sees",
				policyNumber, notFound(problems.PolicyNotFound)),
			shareAccess, refuseShares,
			get[Refusal](RefusedPath, "readRefusal",
				"Read whether the organisation of the caller refuses what another one shares with it", organisation),
			send[Asked, Seen](http.MethodPost, SeenPath, "findSharedPolicies",
				"Find out which policies are shared with the organisation of the caller now", none),
			get[SharedPolicies](SharedPath, "listSharedPolicies",
				"Read a page of the policies that are shared with the organisation of the caller now", lastPlace),
		}, ofRecords...),
	}, {
		Service: "claims", Version: "1.7.0", About: "What the claims service offers to other services.",
		Operations: append([]Operation{
			get[Claim](ClaimPath, "lookUpClaim", "Look up a claim by its number", claimNumber,
				notFound(problems.ClaimNotFound)),
			get[PolicyClaims](PolicyClaimsPath, "readClaimsOfPolicy",
				"Read the claims against a policy and its rows of the claims bordereau; none of an unknown one",
				policyNumber, parts(ClaimsPart, ClaimRowsPart)),
			get[Claims](ClaimsPath, "readClaims",
				"Read a page of all claims as they were at an instant, in an order that never changes", lastClaim,
				limited, dated),
			shareAccess, refuseShares,
		}, ofRecords...),
	}, {
		Service: "products", Version: "1.5.0", About: "What the products service offers to other services.",
		Operations: ofRecords,
	}, {
		Service: "premium", Version: "1.8.0", About: "What the premium service offers to other services.",
		Operations: append([]Operation{
			get[PolicyPremium](PolicyPremiumPath, "readPremiumOfPolicy",
				"Read the receipts and rows of a policy; none of an unknown one", policyNumber,
				parts(ReceiptsPart, RowsPart)),
			get[Receipts](ReceiptsPath, "readReceipts",
				"Read a page of all receipts, in an order that never changes", lastReceipt, limited),
			get[StatedPremium](StatedPath, "readStatedPremium", "Read the rows of the premium "+
				"bordereau in which up to 200 receipts count, where a netPremium is stated", receiptIDs),
			get[PremiumToDate](ToDatePath, "readPremiumToDate",
				"Read what was received for up to 200 policies until an instant, by type of receipt", policyNumbers,
				dated),
			get[ClaimPayments](ClaimPaymentsPath, "readClaimPayments",
				"Read what was paid for up to 200 claims until an instant, as receipts say", claimNumbers, dated),
			shareAccess, refuseShares,
		}, ofRecords...),
	}, {
		Service: "feed", Version: "1.0.0", About: "What the feed offers to other services.",
		Operations: []Operation{about},
	}, {
		Service: "desk", Version: "1.2.0", About: "What the desk offers to other services.",
		Operations: []Operation{changes, about,
			get[BookedContracts](BookedContractsPath, "readBookedContracts",
				"Read the contracts of the caller's organisation as the book needs them", none),
			get[BookedAssignments](BookedAssignmentsPath, "readBookedAssignments",
				"Read a page of the policies that were assigned to contracts", lastPlace, limited),
			send[AskedContracts, SeenContracts](http.MethodPost, CounterpartyPath,
				"findContractsAsCounterparty",
				"Find out of which contracts of others the organisation of the caller is the counterparty now", none)},
	}}
}
