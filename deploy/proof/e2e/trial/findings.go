package trial

import (
	"encoding/json"
	"errors"
	"fmt"

	"insurance.example/exchange/contracts/internalapi"
)

// Finding is a line of the output of the command check -o json.
type Finding struct {
	Service, Collection, ID, Invariant, Found, Expected string
	// Note says that it is no fault: callers have written what other records contradict.
	Note bool
}

// ReadFindings reads the lines of the output of the command check -o json: the findings that are faults, and how many
// things of each sort were examined; the records by their services. It fails if the summary is missing or says
// something else.
func ReadFindings(lines []string) (findings []Finding, examined map[string]int, err error) {
	if len(lines) == 0 {
		return nil, nil, errors.New("there is no summary")
	}
	notes := 0
	for _, line := range lines[:len(lines)-1] {
		var f Finding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			return nil, nil, fmt.Errorf("%q: %w", line, err)
		}
		if f.Note {
			notes++
		} else {
			findings = append(findings, f)
		}
	}
	var last struct {
		Summary *struct {
			Records, Examined map[string]int
			Findings, Notes   int
		}
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		return nil, nil, err
	}
	if last.Summary == nil || last.Summary.Findings != len(findings) || last.Summary.Notes != notes {
		return nil, nil, fmt.Errorf("there are %d findings and %d notes, and the summary is %s", len(findings), notes,
			lines[len(lines)-1])
	}
	examined = last.Summary.Examined
	for service, n := range last.Summary.Records {
		examined[service] = n
	}
	return findings, examined, nil
}

// Examined are the sorts of things that the command check examines in a book: the records of each service that
// has a log of them, and what is in them.
func Examined() []string {
	return append([]string{
		"keys", "references", "rows", "receipts in rows", "versions with a digest",
	},
		internalapi.Recorded()...)
}
