// Package near finds what a caller may have meant: the names or values that are similar to one that there is not.
//
// A library computes the distance. What is left is which distances are small enough for a suggestion, and that a part
// of a name, such as the end of one with points, is as good as a misspelling.
package near

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// most is the greatest number of similar names that are returned.
const most = 3

// Names returns up to three of the names that are similar to the one that was given, the most similar first.
func Names(given string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var candidates []candidate
	sought := strings.ToLower(given)
	allowed := max(2, len(sought)/3)
	for _, name := range names {
		lower := strings.ToLower(name)
		distance := allowed + 1
		switch {
		case strings.HasSuffix(lower, "."+sought),
			len(sought) > 3 && strings.HasPrefix(lower, sought),
			len(lower) > 3 && strings.HasPrefix(sought, lower):
			distance = min(2, levenshtein.ComputeDistance(sought, lower))
		// A letter has up to four bytes.
		case len(lower) <= 4*(len(sought)+allowed) && len(sought) <= 4*(len(lower)+allowed):
			distance = levenshtein.ComputeDistance(sought, lower)
		}
		if distance <= allowed {
			candidates = append(candidates, candidate{name, distance})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var all []string
	for _, c := range candidates[:min(most, len(candidates))] {
		if c.distance <= candidates[0].distance+1 {
			all = append(all, c.name)
		}
	}
	return all
}

// The most values, and the most bytes of them, that a sentence lists.
const (
	mostValues = 12
	mostBytes  = 400
)

// Values says in a few words which values there are in place of the one that was given: all of them, or if they are
// many those that are similar, or else how many there are.
func Values(given string, values []string) string {
	list := func(values []string) (string, bool) {
		text := strings.Join(values, ", ")
		return text, len(values) > 0 && len(text) <= mostBytes
	}
	if text, short := list(values); short && len(values) <= mostValues {
		return "the values are " + text
	}
	if text, short := list(Names(given, values)); short {
		return fmt.Sprintf("near it, of %d values: %s", len(values), text)
	}
	return fmt.Sprintf("there are %d values", len(values))
}
