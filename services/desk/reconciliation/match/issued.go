package match

import (
	"strings"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/number"
)

// Issued returns a row with the identifiers that the exchange can have issued in the form in which it issues them:
// spreadsheets and other systems write ids in capitals or braces, and numbers in small letters. Others are left as they
// are, because there two that differ by case may be two.
func Issued(e Entry) Entry {
	e.LineID = issuedID(e.LineID)
	e.PolicyNumber, e.ClaimNumber = issuedNumber("POL", e.PolicyNumber), issuedNumber("CLM", e.ClaimNumber)
	return e
}

// idLength is that of a UUID without braces.
const idLength = 36

func issuedID(text string) string {
	bare := text
	if inner, begun := strings.CutPrefix(text, "{"); begun {
		bare, _ = strings.CutSuffix(inner, "}")
	}
	if id, err := uuid.Parse(bare); err == nil && len(bare) == idLength {
		return id.String()
	}
	return text
}

func issuedNumber(prefix, text string) string {
	if upper := strings.ToUpper(text); number.Valid(prefix, upper) {
		return upper
	}
	return text
}
