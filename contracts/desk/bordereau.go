package desk

import (
	"insurance.example/exchange/contracts/scalar"
)

// The kinds of bordereaux.
const (
	Claims  = "claims"
	Premium = "premium"
)

// The types of a version.
const (
	Original   = "original"
	Additional = "additional"
	Correction = "correction"
	Nil        = "nil"
)

// The states of a version.
const (
	Pending  = "pending"
	Approved = "approved"
	Rejected = "rejected"
)

// The states of a period beyond those of its versions, which the clock decides.
const (
	Scheduled    = "scheduled"
	Open         = "open"
	Due          = "due"
	Overdue      = "overdue"
	Prepared     = "prepared"
	Acknowledged = "acknowledged"
)

// The sections of a premium bordereau. Only PremiumSection is premium.
const (
	PremiumSection   = "premium"
	PaymentSection   = "claimPayments"
	BrokerageSection = "brokerage"
	ProfitSection    = "profitShare"
	OtherSection     = "other"
)

// BordereauPrepare asks for a version.
//
// What to prepare.
type BordereauPrepare struct {
	// The type: original, additional, correction or nil.
	Type string `json:"type"`
	// What its readers should know, up to 2,000 characters.
	Note string `json:"note,omitzero"`
}

// BordereauDigest names what somebody signs off.
//
// The digest of the version that was looked at.
type BordereauDigest struct {
	// The digest, as the version shows it.
	Digest string `json:"digest"`
}

// BordereauReason says why something is done.
//
// Why it is done.
type BordereauReason struct {
	// The reason, up to 2,000 characters.
	Reason string `json:"reason"`
}

// BordereauTotal is the sum of the lines of one section and currency.
//
// The sums of rounded lines, in major units.
type BordereauTotal struct {
	// The section: premium, claimPayments, brokerage, profitShare or other. Only premium is premium.
	Section string `json:"section"`
	// The original currency.
	Currency string `json:"currency"`
	// The currency that is settled in.
	SettlementCurrency string `json:"settlementCurrency"`
	// How many lines there are.
	Lines int `json:"lines"`
	// The sum of the gross amounts, in the original currency.
	Gross scalar.Decimal `json:"gross"`
	// The sum of the commissions, in the original currency.
	Commission scalar.Decimal `json:"commission"`
	// The sum of the brokerages, in the original currency.
	Brokerage scalar.Decimal `json:"brokerage"`
	// The sum of the taxes, in the original currency. Absent where the contract states none.
	Taxes scalar.Decimal `json:"taxes,omitzero"`
	// The sum of the net amounts, in the original currency.
	Net scalar.Decimal `json:"net"`
	// The sum of what is settled, in the settlement currency.
	Settled scalar.Decimal `json:"settled"`
}

// BordereauVersion is a version of a bordereau. It never changes.
//
// What was prepared for a period. It reads the same for ever.
type BordereauVersion struct {
	// The reference of the contract.
	Contract string `json:"contract"`
	// The kind of bordereau.
	Kind string `json:"kind"`
	// The period, such as 2026-01, 2026-Q1 or 2026-02-3M.
	Period string `json:"period"`
	// The number of the version among those of the period, from 1.
	Number int `json:"number"`
	// The type: original, additional, correction or nil.
	Type string `json:"type"`
	// The version of the contract that it was prepared by.
	ContractVersion int64 `json:"contractVersion"`
	// Who prepared it.
	PreparedBy string `json:"preparedBy"`
	// The instant at which it was prepared.
	PreparedAt scalar.DateTime `json:"preparedAt"`
	// What its readers should know.
	Note string `json:"note,omitzero"`
	// How many lines it has.
	Lines int `json:"lines"`
	// The sums of the lines of a premium bordereau, by section and currency.
	Totals []BordereauTotal `json:"totals"`
	// The sums of the lines of a claims bordereau, by currency.
	Claims []ClaimTotal `json:"claims,omitzero"`
	// The digest of the version that was approved last before it was prepared; empty for the first.
	Previous string `json:"previous"`
	// The SHA-256 of all above and of all lines, in hexadecimal.
	Digest string `json:"digest"`
}

// BordereauStatus is what became of a version.
//
// What became of a version.
type BordereauStatus struct {
	// The number of the version.
	Number int `json:"number"`
	// The type: original, additional, correction or nil.
	Type string `json:"type"`
	// The state: pending, approved or rejected.
	State string `json:"state"`
	// The digest.
	Digest string `json:"digest"`
	// How many lines it has.
	Lines int `json:"lines"`
	// Who prepared it.
	PreparedBy string `json:"preparedBy"`
	// The instant at which it was prepared.
	PreparedAt scalar.DateTime `json:"preparedAt"`
	// Who approved or rejected it.
	DecidedBy string `json:"decidedBy,omitzero"`
	// The instant at which it was approved or rejected.
	DecidedAt scalar.DateTime `json:"decidedAt,omitzero"`
	// Why it was rejected.
	Reason string `json:"reason,omitzero"`
	// Who of the other side acknowledged it first.
	AcknowledgedBy string `json:"acknowledgedBy,omitzero"`
	// The instant at which it was first acknowledged.
	AcknowledgedAt scalar.DateTime `json:"acknowledgedAt,omitzero"`
	// Everybody of the other side who acknowledged it, the first 100.
	Acknowledgements []BordereauAcknowledgement `json:"acknowledgements,omitzero"`
	// How many of its findings are errors.
	Errors int `json:"errors"`
	// How many of these errors are not waived.
	Unwaived int `json:"unwaived"`
	// How many of its findings are warnings.
	Warnings int `json:"warnings"`
	// The sums of the lines of a premium bordereau, by section and currency.
	Totals []BordereauTotal `json:"totals"`
	// The sums of the lines of a claims bordereau, by currency.
	Claims []ClaimTotal `json:"claims,omitzero"`
}

// BordereauAcknowledgement says that somebody of the other side has seen a version.
//
// Who of the other side has seen a version, and when.
type BordereauAcknowledgement struct {
	// Who acknowledged it.
	AcknowledgedBy string `json:"acknowledgedBy"`
	// The instant at which that was.
	AcknowledgedAt scalar.DateTime `json:"acknowledgedAt"`
}

// BordereauPeriod is a period of a contract.
//
// A period of a contract: its state, and its versions.
type BordereauPeriod struct {
	// The reference of the contract.
	Contract string `json:"contract"`
	// The organisation that has made the contract, where organisations share the exchange.
	Owner string `json:"owner,omitzero"`
	// The kind of bordereau.
	Kind string `json:"kind"`
	// The period, such as 2026-01, 2026-Q1 or 2026-02-3M.
	Period string `json:"period"`
	// The state: scheduled, open, due, overdue, prepared, approved or acknowledged.
	State string `json:"state"`
	// The day on which the bordereau is due.
	Due scalar.Date `json:"due"`
	// By how many days it is late: past its due day, and no version of it approved. Absent where it is not.
	DaysLate int `json:"daysLate,omitzero"`
	// The versions, in the order of their numbers.
	Versions []BordereauStatus `json:"versions"`
	// How far a version has come that is being prepared. Absent where none is, or hardly anything is read yet.
	Preparing *WorkUnderWay `json:"preparing,omitzero"`
}

// BordereauLive is a period as it would be prepared now.
//
// A period: its versions, what it would have now, and what differs from what stands approved.
type BordereauLive struct {
	BordereauPeriod `json:",inline"`
	// What an original or a correction would have now.
	Live []BordereauTotal `json:"live"`
	// How many lines that would be.
	LiveLines int `json:"liveLines"`
	// What a claims bordereau would have now.
	LiveClaims []ClaimTotal `json:"liveClaims,omitzero"`
	// What that differs by from what stands approved. Absent where nothing is approved.
	Drift []BordereauTotal `json:"drift,omitzero"`
	// The same of a claims bordereau.
	DriftClaims []ClaimTotal `json:"driftClaims,omitzero"`
}

// BordereauWork is a page of the work list.
//
// Periods, by contract, kind and period.
type BordereauWork struct {
	// The periods of the page.
	Periods []BordereauPeriod `json:"periods"`
	// The value of the parameter after for the next page. Absent on the last one.
	Next string `json:"next,omitzero"`
}

// BordereauLate says why a line comes later than it should have.
//
// Where a late item was recorded.
type BordereauLate struct {
	// The period in which it was recorded.
	RecordedPeriod string `json:"recordedPeriod"`
}

// BordereauLine is a line of a premium bordereau: one receipt. Amounts are in major units.
//
// A receipt, as it is reported.
type BordereauLine struct {
	// The id of the receipt.
	LineID string `json:"lineId"`
	// The section: premium, claimPayments, brokerage, profitShare or other. Only premium is premium.
	Section string `json:"section"`
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The type of the receipt; that of the receipt it reverses where it is a refund.
	ReceiptType string `json:"receiptType"`
	// The type of transaction on the risk, such as New Business. Absent where it is no premium.
	RiskTransactionType string `json:"riskTransactionType,omitzero"`
	// The type of transaction, such as Original Premium. Absent where it is no premium.
	TransactionType string `json:"transactionType,omitzero"`
	// The day of the receipt.
	EffectiveDate scalar.Date `json:"effectiveDate"`
	// The instant at which the receipt was recorded.
	RecordedAt scalar.DateTime `json:"recordedAt"`
	// Where the receipt was recorded, if that is an earlier period.
	Late *BordereauLate `json:"late,omitzero"`
	// The id of the receipt that it reverses.
	Reverses string `json:"reverses,omitzero"`
	// The original currency.
	Currency string `json:"currency"`
	// The premium before deductions; that of a refund is below 0.
	Gross scalar.Decimal `json:"gross"`
	// The commission: gross times the percentage, rounded half away from zero.
	Commission scalar.Decimal `json:"commission"`
	// The brokerage, which the net premium does not leave out.
	Brokerage scalar.Decimal `json:"brokerage"`
	// The taxes: gross times the percentage, rounded half away from zero; below 0 where they are taken off. Absent
	// where the contract states none.
	Taxes scalar.Decimal `json:"taxes,omitzero"`
	// The premium less the commission, with the taxes.
	Net scalar.Decimal `json:"net"`
	// The currency that is settled in.
	SettlementCurrency string `json:"settlementCurrency"`
	// The rate: how many of currency are one of settlementCurrency.
	Rate scalar.Decimal `json:"rate"`
	// The net premium in the settlement currency.
	Settled scalar.Decimal `json:"settled"`
	// The line of the policy, as a resource such as motorCoverage.
	Line string `json:"line"`
	// The id of the coverage record.
	PolicyID string `json:"policyId"`
	// The instant at which the term of the policy begins.
	InceptionDate scalar.DateTime `json:"inceptionDate,omitzero"`
	// The instant at which the term of the policy ends.
	ExpiryDate scalar.DateTime `json:"expiryDate,omitzero"`
	// The state of the policy.
	PolicyStatus string `json:"policyStatus,omitzero"`
	// The premium of the whole risk, in major units. Absent where the policy has none.
	RiskPremium scalar.Decimal `json:"riskPremium,omitzero"`
	// The most that the policy pays, in major units. Absent where the policy has none.
	SumInsured scalar.Decimal `json:"sumInsured,omitzero"`
	// The id of the policyholder.
	PolicyholderID string `json:"policyholderId,omitzero"`
	// The name of the policyholder.
	Insured string `json:"insured,omitzero"`
	// The building and street of the policyholder.
	Address string `json:"address,omitzero"`
	// The city of the policyholder.
	City string `json:"city,omitzero"`
	// The postal code of the policyholder.
	Postcode string `json:"postcode,omitzero"`
	// The country of the policyholder, as its ISO 3166-1 alpha-2 code.
	Country string `json:"country,omitzero"`
}

// BordereauLines is a page of lines.
//
// Lines, in the order in which their receipts were recorded.
type BordereauLines struct {
	// The lines of the page, of a premium bordereau.
	Lines []BordereauLine `json:"lines"`
	// The lines of the page, of a claims bordereau.
	Claims []ClaimLine `json:"claims,omitzero"`
	// The value of the parameter skip for the next page. Absent on the last one.
	Next int `json:"next,omitzero"`
}

// BordereauDifference is a line that two versions have differently.
//
// A cell that differs.
type BordereauDifference struct {
	// The line.
	LineID string `json:"lineId"`
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The member that differs; empty where only one of both has the line.
	Member string `json:"member,omitzero"`
	// The value in the version of the path, as a JSON text; empty where it lacks the line or the member.
	From string `json:"from,omitzero"`
	// The value in the other version, as a JSON text; empty where it lacks the line or the member.
	To string `json:"to,omitzero"`
}

// BordereauDifferences is what differs between two versions.
//
// What differs between two versions, up to 1,000 cells.
type BordereauDifferences struct {
	// The cells, in the order of the lines.
	Differences []BordereauDifference `json:"differences"`
	// Whether there are more.
	More bool `json:"more"`
}
