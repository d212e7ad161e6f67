// Package desk holds what the desk exchanges with its callers: contracts, and the bordereaux that are reported for
// them.
//
// Contracts and their bordereaux.
package desk

import "insurance.example/exchange/contracts/scalar"

// The values of ContractTerms.AmountUnit.
const (
	Major = "major"
	Minor = "minor"
)

// The values of ContractTerms.Frequency.
const (
	Monthly   = "month"
	Quarterly = "quarter"
)

// The values of ContractTerms.QuarterBegins.
const (
	CalendarQuarters  = "calendar"
	InceptionQuarters = "inception"
)

// The values of ContractTerms.SignOff.
const (
	TwoPersons = "two"
	OnePerson  = "one"
)

// The values of ContractTerms.ClaimsBasis.
const (
	OpenClaims = "open"
	AllClaims  = "all"
)

// ContractTerms is a contract under which policies are reported.
//
// A contract, the policies that belong to it, and how they are reported.
type ContractTerms struct {
	// The unique market reference of the contract. A contract needs this or agreementNumber.
	UniqueMarketReference string `json:"uniqueMarketReference,omitzero"`
	// The number of the agreement. A contract needs this or uniqueMarketReference.
	AgreementNumber string `json:"agreementNumber,omitzero"`
	// The section of the contract.
	Section string `json:"section,omitzero"`
	// The reference of the treaty under which the premium is ceded.
	TreatyReference string `json:"treatyReference,omitzero"`
	// The name of the coverholder who reports.
	CoverholderName string `json:"coverholderName"`
	// The PIN of the coverholder: six digits and three capital letters.
	CoverholderPIN string `json:"coverholderPin,omitzero"`
	// The name of the administrator of the claims.
	AdministratorName string `json:"administratorName,omitzero"`
	// The other side, which checks what is reported. Where organisations share the exchange, the name of one of them:
	// it reads the contract and what is reported under it, and acknowledges.
	Counterparty string `json:"counterparty,omitzero"`
	// Whether a counterparty that is an organisation of the exchange also sees what is not approved yet: versions that
	// are pending or rejected, and what a period would have now.
	Preview bool `json:"preview,omitzero"`
	// The first day of the term.
	Inception scalar.Date `json:"inception"`
	// The day on which the term ends; it is no longer part of the term.
	Expiry scalar.Date `json:"expiry"`
	// The lines whose policies belong to the contract, as resources such as motorCoverage.
	Lines []string `json:"lines"`
	// The time zone in which the days of the contract, its periods and the days in its exports are counted: UTC, or a
	// name of the IANA database such as Europe/Paris. Without it that which the contract has, and the exchange's for a
	// new one. It stays once a bordereau is approved.
	TimeZone string `json:"timeZone,omitzero"`
	// A policy belongs to the contract if its term began on this day or later; the day of inception without it. What
	// counts is the inceptionDate with which the policy was first recorded.
	RisksFrom scalar.Date `json:"risksFrom,omitzero"`
	// A policy belongs to the contract if its term began before this day; the day of expiry without it.
	RisksBefore scalar.Date `json:"risksBefore,omitzero"`
	// The currency of the amounts of receipts, policies and claims: an ISO 4217 code or, for business in run-off, one
	// that was withdrawn since 2000.
	Currency string `json:"currency"`
	// The unit of these amounts: major for euros, minor for cents. The interface does not say it.
	AmountUnit string `json:"amountUnit"`
	// The currency that is settled in, as currency has it; currency without it.
	SettlementCurrency string `json:"settlementCurrency,omitzero"`
	// The rate of exchange: how many units of currency are one of settlementCurrency, such as "1.22". It is "1" where
	// both are the same, and needed where they are not.
	OriginalPerSettlement scalar.Digits `json:"originalPerSettlement,omitzero"`
	// The commission of the coverholder as a percentage of the premium, "0" to "100"; "0" without it.
	CommissionPercentage scalar.Digits `json:"commissionPercentage,omitzero"`
	// The brokerage as a percentage of the premium, "0" to "100"; "0" without it.
	BrokeragePercentage scalar.Digits `json:"brokeragePercentage,omitzero"`
	// The taxes as a percentage of the premium, "-100" to "100": above 0 where they are added to what is settled,
	// below 0 where they are taken off. Without it nothing is said about taxes.
	TaxPercentage scalar.Digits `json:"taxPercentage,omitzero"`
	// The class of business.
	ClassOfBusiness string `json:"classOfBusiness,omitzero"`
	// The risk code.
	RiskCode string `json:"riskCode,omitzero"`
	// The type of insurance.
	TypeOfInsurance string `json:"typeOfInsurance,omitzero"`
	// The year of account, 1900 to 9999; that of inception without it.
	YearOfAccount *int `json:"yearOfAccount,omitzero"`
	// The number of instalments of the premium.
	NumberOfInstalments int `json:"numberOfInstalments,omitzero"`
	// How often is reported: month or quarter.
	Frequency string `json:"frequency"`
	// Where quarters begin: calendar, in January, April, July and October; or inception, in the month of inception and
	// each third one after it. Such a quarter is named by its first month, as 2026-02-3M. calendar without it. It stays
	// once a bordereau is approved.
	QuarterBegins string `json:"quarterBegins,omitzero"`
	// The first period that is reported, such as 2026-01, 2026-Q1 or 2026-02-3M. What was recorded earlier is reported
	// in it, as late.
	FirstPeriod string `json:"firstPeriod"`
	// How many days after the end of a period its bordereau is due, 0 to 366: with 0 on the last day of the period; 30
	// without it.
	DueDays *int `json:"dueDays,omitzero"`
	// Who signs off: two (one prepares, another one approves) or one; two without it. A version is signed off by two if
	// the contract has said so at any time since the version approved before it.
	SignOff string `json:"signOff,omitzero"`
	// Which claims are reported: open, or all; open without it.
	ClaimsBasis string `json:"claimsBasis,omitzero"`
	// The limits whose utilisation is watched, up to 16.
	Limits []ContractLimit `json:"limits,omitzero"`
}

// ContractLimit is a limit of a contract.
//
// The most premium that may be written under a contract.
type ContractLimit struct {
	// What the limit is called.
	Name string `json:"name"`
	// The amount, in major units.
	Amount scalar.Figure `json:"amount"`
	// The currency of the amount (ISO 4217).
	Currency string `json:"currency"`
}

// ContractVersion is a version of a contract as its readers see it.
//
// A contract, as it was set the last time or at an instant.
type ContractVersion struct {
	// The reference of the contract.
	Reference string `json:"reference"`
	// The organisation that has made it, where organisations share the exchange.
	Owner string `json:"owner,omitzero"`
	// How often the contract was set by then.
	Version int64 `json:"version"`
	// Who set it.
	SetBy string `json:"setBy"`
	// The instant at which it was set.
	SetAt scalar.DateTime `json:"setAt"`
	// The contract, with the defaults of members that the caller left out.
	Contract ContractTerms `json:"contract"`
	// What may be a mistake.
	Warnings []string `json:"warnings,omitzero"`
}

// ContractList are contracts.
//
// The contracts, by reference.
type ContractList struct {
	// The contracts of the page.
	Contracts []ContractVersion `json:"contracts"`
	// The value of the parameter after for the next page. Absent on the last one.
	Next string `json:"next,omitzero"`
}

// PolicyAssignment is a policy that was assigned to a contract.
//
// A policy that belongs to a contract whatever its line and inceptionDate are.
type PolicyAssignment struct {
	// The reference of the contract.
	Contract string `json:"contract"`
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// Who assigned it.
	AssignedBy string `json:"assignedBy"`
	// The instant at which it was assigned.
	AssignedAt scalar.DateTime `json:"assignedAt"`
}

// UnassignedPolicies are policies without a contract.
//
// Policies that have receipts or claims, and belong to no contract.
type UnassignedPolicies struct {
	// The policies, in the order of their first receipts, and then of the first claims of those without receipts.
	Policies []UnassignedPolicy `json:"policies"`
	// The value of the parameter after for the next page. Absent on the last one.
	Next string `json:"next,omitzero"`
}

// UnassignedPolicy is a policy without a contract.
//
// A policy that belongs to no contract.
type UnassignedPolicy struct {
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// Its line, as a resource such as motorCoverage.
	Line string `json:"line"`
	// The inceptionDate with which it was first recorded. Absent where it had none.
	InceptionDate scalar.DateTime `json:"inceptionDate,omitzero"`
	// The instant at which its first receipt was recorded. Absent where it has none.
	FirstReceiptAt scalar.DateTime `json:"firstReceiptAt,omitzero"`
	// The instant at which its first claim was recorded. Only a policy without receipts has it.
	FirstClaimAt scalar.DateTime `json:"firstClaimAt,omitzero"`
}
