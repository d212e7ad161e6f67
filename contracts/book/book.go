// Package book holds what the book says of policies, claims and money: rows, and sums of them.
//
// The book in figures.
package book

import "insurance.example/exchange/contracts/scalar"

// PolicyRow is a row of the policies of the book.
//
// A policy, with what people ask about it. Amounts are in major units of its currency.
type PolicyRow struct {
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The id of the coverage record.
	ID scalar.ID `json:"id"`
	// Its line, as a resource such as motorCoverage.
	Line string `json:"line"`
	// The state of the policy, as its record has it.
	Status string `json:"status,omitzero"`
	// Whether cover is over: it was cancelled, or the term has ended.
	Ended bool `json:"ended,omitzero"`
	// The instant at which the term begins.
	InceptionDate scalar.DateTime `json:"inceptionDate,omitzero"`
	// The instant at which the term ends.
	ExpiryDate scalar.DateTime `json:"expiryDate,omitzero"`
	// The instant at which cover ends by a cancellation or lapse that has said it.
	CoverEnds scalar.DateTime `json:"coverEnds,omitzero"`
	// The name of the policyholder.
	Insured string `json:"insured,omitzero"`
	// What is insured, in a few words, such as EX 2026, Golf.
	Object string `json:"object,omitzero"`
	// The country of the policyholder.
	Country string `json:"country,omitzero"`
	// The id of the policyholder.
	PolicyholderID scalar.ID `json:"policyholderId,omitzero"`
	// The reference of the contract of the desk that the policy belongs to.
	Contract string `json:"contract,omitzero"`
	// The year of account: that of the contract, else the year of inception.
	Year int `json:"year,omitzero"`
	// The currency of the amounts. Absent where neither a contract nor the operator says it.
	Currency string `json:"currency,omitzero"`
	// The reference that the caller's organisation has given the policy.
	ExternalReference string `json:"externalReference,omitzero"`
	// The number of the policy that this one replaces.
	Replaces string `json:"replaces,omitzero"`
	// The number of the policy that this one renews.
	RenewedFrom string `json:"renewedFrom,omitzero"`
	// The number of the policy that renews this one, the last one of several.
	RenewedTo string `json:"renewedTo,omitzero"`
	// The id of the broker, where the policy names one.
	BrokerID scalar.ID `json:"brokerId,omitzero"`
	// The name of the broker.
	Broker string `json:"broker,omitzero"`
	// The id of the agent, where the policy names one.
	AgentID scalar.ID `json:"agentId,omitzero"`
	// The name of the agent.
	Agent string `json:"agent,omitzero"`
	// The organisation that owns the policy, where that is another one, which shares it with the caller's or reports it
	// under a contract.
	Owner string `json:"owner,omitzero"`
	// Written is the premium agreed for the whole cover, before deductions and as endorsed; of a line without
	// grossWrittenPremium it is what was received as premium less what was paid back.
	Written scalar.Decimal `json:"written"`
	// Received is what was paid to the insurer as premium.
	Received scalar.Decimal `json:"received"`
	// Refunded is what of the premium received was paid back.
	Refunded scalar.Decimal `json:"refunded"`
	// What is still to be received: written less received and refunded. Absent for a line without grossWrittenPremium,
	// and where nobody says the unit of amounts.
	Open scalar.Decimal `json:"open,omitzero"`
	// The day of the last receipt.
	LastReceipt scalar.Date `json:"lastReceipt,omitzero"`
	// How many claims there are against the policy.
	Claims int64 `json:"claims"`
	// How many of them are not closed.
	OpenClaims int64 `json:"openClaims"`
	// Paid is what the insurer has paid for claims until now.
	Paid scalar.Decimal `json:"paid"`
	// Outstanding is what is still to be paid for claims, as their reserves say; 0 for those that are closed.
	Outstanding scalar.Decimal `json:"outstanding"`
	// Incurred is what claims cost as far as it is known: paid and outstanding together.
	Incurred scalar.Decimal `json:"incurred"`
	// Incurred as a percentage of written. Absent where nothing is written, or nobody says the unit of amounts.
	LossRatio scalar.Decimal `json:"lossRatio,omitzero"`
	// What the figures leave open.
	Marks []FigureMark `json:"marks,omitzero"`
	// What of its figures the selection has, where months are asked for.
	Selected *Figures `json:"selected,omitzero"`
}

// FigureMark says what the figures of a policy leave open.
type FigureMark string

// The marks.
const (
	// EarnedAtInception says that the policy has no end, or one after more than 20 years, so that it is earned at once.
	EarnedAtInception FigureMark = "earned-at-inception"
	// UnitUnknown says that neither a contract nor the operator says what unit amounts are in.
	UnitUnknown FigureMark = "unit-unknown"
)

// AllFigureMarks returns every value.
func AllFigureMarks() []FigureMark { return []FigureMark{EarnedAtInception, UnitUnknown} }

// ClaimRow is a row of the claims of the book.
//
// A claim, with what people ask about it. Amounts are in major units, in the currency of its policy.
type ClaimRow struct {
	// The number of the claim.
	ClaimNumber string `json:"claimNumber"`
	// The id of the claim.
	ID scalar.ID `json:"id"`
	// The number of its policy.
	PolicyNumber string `json:"policyNumber"`
	// The line of the policy.
	Line string `json:"line,omitzero"`
	// The name of the policyholder.
	Insured string `json:"insured,omitzero"`
	// The contract of the policy.
	Contract string `json:"contract,omitzero"`
	// The id of the broker, where the policy names one.
	BrokerID scalar.ID `json:"brokerId,omitzero"`
	// The name of the broker.
	Broker string `json:"broker,omitzero"`
	// The id of the agent, where the policy names one.
	AgentID scalar.ID `json:"agentId,omitzero"`
	// The name of the agent.
	Agent string `json:"agent,omitzero"`
	// The organisation that owns the policy, where that is another one, which shares it with the caller's or reports it
	// under a contract.
	Owner string `json:"owner,omitzero"`
	// The year of account of the policy.
	Year int `json:"year,omitzero"`
	// The country of the policyholder.
	Country string `json:"country,omitzero"`
	// The currency of the amounts.
	Currency string `json:"currency,omitzero"`
	// What caused the loss.
	Cause string `json:"cause,omitzero"`
	// The instant of the loss.
	LossDate scalar.DateTime `json:"lossDate,omitzero"`
	// The instant of the first notification.
	FNOL scalar.DateTime `json:"fnol,omitzero"`
	// The state of the claim.
	Status string `json:"status,omitzero"`
	// How many days ago it was notified.
	Age int `json:"age"`
	// The instant of the last thing that happened to the claim.
	LastMovement scalar.DateTime `json:"lastMovement,omitzero"`
	// What that was, such as settled.
	LastEvent string `json:"lastEvent,omitzero"`
	// The reference that the caller's organisation has given the claim.
	ExternalReference string `json:"externalReference,omitzero"`
	// The reserve, as the record has it.
	Reserve scalar.Decimal `json:"reserve"`
	// Paid is what the insurer has paid for the claim until now.
	Paid scalar.Decimal `json:"paid"`
	// Outstanding is what is still to be paid: 0 once the claim is closed, else the reserve less what was paid since it
	// was set.
	Outstanding scalar.Decimal `json:"outstanding"`
	// Incurred is what the claim costs as far as it is known: paid and outstanding together.
	Incurred scalar.Decimal `json:"incurred"`
	// How many payments there were.
	Payments int64 `json:"payments"`
	// What of its figures the selection has, where months are asked for.
	Selected *Figures `json:"selected,omitzero"`
}

// MovementRow is a row of the movements of the book.
//
// A receipt, a refund, or a payment for a claim.
type MovementRow struct {
	// The id of the receipt or refund, or that of the claim with the number of the payment after a hyphen.
	ID string `json:"id"`
	// What it is: receipt, refund or payment.
	Kind MovementKind `json:"kind"`
	// The number of the policy. Absent for a receipt that names a claim which the book does not know.
	PolicyNumber string `json:"policyNumber,omitzero"`
	// The number of the claim, where it is about one.
	ClaimNumber string `json:"claimNumber,omitzero"`
	// The line of the policy.
	Line string `json:"line,omitzero"`
	// The name of the policyholder.
	Insured string `json:"insured,omitzero"`
	// The contract of the policy.
	Contract string `json:"contract,omitzero"`
	// The organisation that owns the policy, where that is another one, which shares it with the caller's or reports it
	// under a contract.
	Owner string `json:"owner,omitzero"`
	// The year of account of the policy.
	Year int `json:"year,omitzero"`
	// The currency of the amount.
	Currency string `json:"currency,omitzero"`
	// The type of the receipt, or the method of the payment.
	Type string `json:"type,omitzero"`
	// The amount, below 0 for a refund.
	Amount scalar.Decimal `json:"amount"`
	// The day of the receipt, or that of the payment.
	Date scalar.Date `json:"date,omitzero"`
	// The instant at which it was recorded.
	RecordedAt scalar.DateTime `json:"recordedAt"`
	// How many days after the end of the period of its date it was recorded: a month, or the quarter in which its
	// contract reports; 0 for within it.
	Late int `json:"late,omitzero"`
}

// MovementKind says what a movement is.
type MovementKind string

// The kinds of movements.
const (
	Receipt MovementKind = "receipt"
	Refund  MovementKind = "refund"
	Payment MovementKind = "payment"
)

// AllMovementKinds returns every value.
func AllMovementKinds() []MovementKind { return []MovementKind{Receipt, Refund, Payment} }

// Figures are what the book adds up.
//
// Sums, in major units of one currency.
type Figures struct {
	// Written is the premium agreed for the whole cover, before deductions, in the month from which on it counts.
	Written scalar.Decimal `json:"written"`
	// Earned is the part of the written premium that is for the days of cover that have passed, up to the last full
	// month.
	Earned scalar.Decimal `json:"earned"`
	// Received is what was paid to the insurer as premium, in the month in which it was recorded.
	Received scalar.Decimal `json:"received"`
	// Refunded is what of the premium received was paid back, in the month in which that was recorded.
	Refunded scalar.Decimal `json:"refunded"`
	// The commission of the contract on what was received less what was paid back.
	Commission scalar.Decimal `json:"commission"`
	// How many claims were notified.
	Notified int64 `json:"notified"`
	// How many were closed, less those that were opened again.
	Closed int64 `json:"closed"`
	// How many of these without a payment.
	ClosedWithoutPayment int64 `json:"closedWithoutPayment"`
	// Paid is what the insurer has paid for claims, in the month in which that was recorded.
	Paid scalar.Decimal `json:"paid"`
	// Outstanding is what is still to be paid for claims, as their reserves say: by how much it is more at the end than
	// at the beginning.
	Outstanding scalar.Decimal `json:"outstanding"`
	// Incurred is what claims cost as far as it is known: paid and outstanding together.
	Incurred scalar.Decimal `json:"incurred"`
}

// PolicyRows are a page of policies.
//
// Policies of the book, as they were filtered and sorted.
type PolicyRows struct {
	// The rows.
	Rows []PolicyRow `json:"rows" always:"policyNumber"`
	// The cursor of the next page. Absent on the last one. A page ends after 10,000 rows that were looked at, so that
	// it may have fewer rows than asked for.
	Next string `json:"next,omitzero"`
	// The instant up to which the book has read what happened. Absent until it has read all for the first time.
	AsOf scalar.DateTime `json:"asOf,omitzero"`
}

// ClaimRows is a page of claims.
//
// Claims of the book, as they were filtered and sorted.
type ClaimRows struct {
	// The rows.
	Rows []ClaimRow `json:"rows" always:"claimNumber"`
	// The cursor of the next page, as that of policies.
	Next string `json:"next,omitzero"`
	// The instant up to which the book has read what happened.
	AsOf scalar.DateTime `json:"asOf,omitzero"`
}

// MovementRows is a page of movements.
//
// Movements of the book, as they were filtered and sorted.
type MovementRows struct {
	// The rows.
	Rows []MovementRow `json:"rows" always:"id"`
	// The cursor of the next page, as that of policies.
	Next string `json:"next,omitzero"`
	// The instant up to which the book has read what happened.
	AsOf scalar.DateTime `json:"asOf,omitzero"`
}

// Summary are sums of the book.
//
// Sums by up to two of line, year, contract, month, cause and country, each of one currency.
type Summary struct {
	// The cells, in the order of what they are summed by.
	Cells []SummaryCell `json:"cells"`
	// The instant up to which the book has read what happened.
	AsOf scalar.DateTime `json:"asOf,omitzero"`
}

// SummaryCell is a cell of a summary.
//
// What was added up, and what it comes to.
type SummaryCell struct {
	// The line. It and the members up to month are there where they are asked for.
	Line string `json:"line,omitzero"`
	// The year of account.
	Year int `json:"year,omitzero"`
	// The contract. Empty for the policies that belong to none.
	Contract *string `json:"contract,omitzero"`
	// The cause of the losses. Empty for what is no claim.
	Cause *string `json:"cause,omitzero"`
	// The country of the policyholder. Empty where it is not known.
	Country *string `json:"country,omitzero"`
	// The month, such as 2026-11.
	Month string `json:"month,omitzero"`
	// The currency. Absent where nobody says it.
	Currency string `json:"currency,omitzero"`
	// The sums.
	Figures Figures `json:"figures"`
	// Incurred as a percentage of written. Absent where nothing is written, or nobody says the unit of amounts.
	LossRatioWritten scalar.Decimal `json:"lossRatioWritten,omitzero"`
	// Incurred as a percentage of earned, as the one of written.
	LossRatioEarned scalar.Decimal `json:"lossRatioEarned,omitzero"`
	// The path of the policies that the premium is the sum of. Absent for a cause, which premium has none of.
	Policies string `json:"policies,omitzero"`
	// The path of the claims that the other figures are the sum of.
	Claims string `json:"claims"`
}

// Triangle is a loss triangle.
//
// What claims come to by year of account and development, each of one currency.
type Triangle struct {
	// What is shown: incurred or paid.
	Measure string `json:"measure"`
	// The length of a step of development: month, quarter or year.
	Development string `json:"development"`
	// Whether each figure includes those of the steps before.
	Cumulative bool `json:"cumulative"`
	// The years of account, each with its steps.
	Rows []TriangleRow `json:"rows"`
	// The instant up to which the book has read what happened.
	AsOf scalar.DateTime `json:"asOf,omitzero"`
}

// TriangleRow is a row of a loss triangle.
//
// The claims of a year of account.
type TriangleRow struct {
	// The year of account.
	Year int `json:"year"`
	// The currency. Absent where nobody says it.
	Currency string `json:"currency,omitzero"`
	// The steps from the beginning of the year until now. What happened before counts in the first one.
	Steps []TriangleStep `json:"steps"`
}

// TriangleStep is a cell of a loss triangle.
//
// What the claims of a year come to at a step of its development.
type TriangleStep struct {
	// The number of the step, from 1.
	Step int `json:"step"`
	// The amount.
	Amount scalar.Decimal `json:"amount"`
	// The path of the claims that it is the sum of.
	Claims string `json:"claims"`
}

// Aging is what is open by its age.
//
// What is still to be received or to be paid, by how long ago it began.
type Aging struct {
	// What is shown: premium, by the days since inception, or claims, by the days since notification.
	Of string `json:"of"`
	// The ages, for each currency.
	Ages []Age `json:"ages"`
	// The instant up to which the book has read what happened.
	AsOf scalar.DateTime `json:"asOf,omitzero"`
}

// Age is a cell of an ageing.
//
// What is open of an age.
type Age struct {
	// The currency. Absent where nobody says it.
	Currency string `json:"currency,omitzero"`
	// The least and the greatest age in days. The last one has no greatest, and premium of policies that have not begun
	// has no least.
	FromDays *int `json:"fromDays,omitzero"`
	// The greatest age.
	ToDays *int `json:"toDays,omitzero"`
	// How many policies or claims these are.
	Count int64 `json:"count"`
	// What is open.
	Open scalar.Decimal `json:"open"`
	// The path of the list that it is the sum of.
	Rows string `json:"rows"`
}
