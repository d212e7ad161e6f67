package book

import (
	"fmt"
	"unicode/utf8"

	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/services/book/rows"
)

// findName is the name of the parameter for what rows have anywhere.
const findName = "find"

// findParameters are those of a list whose rows are found by what they have.
func findParameters(of *rows.List) []rest.Parameter {
	if !of.Finds {
		return nil
	}
	return []rest.Parameter{{Name: findName, Means: "What a number, the name of the policyholder or of the broker, " +
		"or the insured object has anywhere: three letters or digits at least. Nothing else is compared, and no case " +
		"or accent, so that EX 20-26 is found as ex2026"}}
}

// find reads the parameter.
func (q *listQuery) find(value string) (wrong string) {
	if len(value) > mostText {
		return fmt.Sprintf("must have at most %d bytes", mostText)
	}
	if q.Find = rows.Compared(value); utf8.RuneCountInString(q.Find) < rows.LeastText {
		return fmt.Sprintf("must have at least %d letters or digits, such as a part of a number, a name or a plate",
			rows.LeastText)
	}
	return ""
}
