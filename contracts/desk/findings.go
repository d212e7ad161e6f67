package desk

// The severities of a finding.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// The outcomes of a check. A finding has one of the last two.
const (
	CheckPassed       = "pass"
	CheckFailed       = "fail"
	CheckNotEvaluable = "not-evaluable"
)

// BordereauFinding is something that somebody should look at before a version is approved.
//
// Something to look at before a version is approved.
type BordereauFinding struct {
	// The id of the finding within its version.
	ID string `json:"id"`
	// What was checked, such as missing-insured.
	Code string `json:"code"`
	// The severity: error or warning. An error is waived with a reason, or the version is not approved.
	Severity string `json:"severity"`
	// Whether the check failed: fail or, in versions of earlier releases, not-evaluable.
	Outcome string `json:"outcome"`
	// The line that it is about. Absent where it is about the contract.
	LineID string `json:"lineId,omitzero"`
	// The number of the policy.
	PolicyNumber string `json:"policyNumber,omitzero"`
	// What was found, in words.
	Words string `json:"words"`
	// Who waived it.
	WaivedBy string `json:"waivedBy,omitzero"`
	// Why it was waived.
	Waiver string `json:"waiver,omitzero"`
}

// BordereauFindings is a page of findings.
//
// The findings of a version.
type BordereauFindings struct {
	// The findings of the page.
	Findings []BordereauFinding `json:"findings"`
	// What was checked, and with which outcome: an entry for each code. The first page has it, unless the version was
	// prepared by a release that did not keep it.
	Checks []BordereauCheck `json:"checks,omitzero"`
	// The value of the parameter skip for the next page. Absent on the last one.
	Next int `json:"next,omitzero"`
}

// BordereauCheck is what a check of a version came to.
//
// A check of the lines of a version, or of its contract.
type BordereauCheck struct {
	// What was checked, such as missing-insured.
	Code string `json:"code"`
	// The severity of what it finds: error or warning.
	Severity string `json:"severity"`
	// The outcome: pass, fail where something was found, or not-evaluable where nothing was and not all could be
	// checked.
	Outcome string `json:"outcome"`
	// How many findings it has.
	Found int `json:"found,omitzero"`
	// How many lines, or other things that it is about, could not be checked.
	NotEvaluated int `json:"notEvaluated,omitzero"`
	// Why the first of these could not be checked, in words.
	Why string `json:"why,omitzero"`
}
