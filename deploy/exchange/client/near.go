package client

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// near returns up to three of the names that are similar to a name, the most similar first.
func near(name string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	sought := strings.ToLower(name)
	for _, other := range names {
		lower := strings.ToLower(other)
		distance := levenshtein.ComputeDistance(sought, lower)
		if strings.HasSuffix(lower, "."+sought) ||
			len(sought) > 3 && (strings.HasPrefix(lower, sought) || strings.HasPrefix(sought, lower)) {
			distance = min(distance, 2)
		}
		if distance <= max(2, len(sought)/3) {
			found = append(found, candidate{other, distance})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var all []string
	for _, c := range found[:min(3, len(found))] {
		all = append(all, c.name)
	}
	return all
}

// didYouMean returns a remark with the similar names, or "" if there are none.
func didYouMean(name string, names []string) string {
	if like := near(name, names); len(like) > 0 {
		return " (did you mean " + strings.Join(like, " or ") + "?)"
	}
	return ""
}

// mostShown is the greatest number of allowed values in a message.
const mostShown = 12

// allowedWords returns in words which values are allowed. If there are many, it names the similar ones and the number
// of all.
func allowedWords(given string, values []string) string {
	if len(values) <= mostShown {
		return "allowed: " + strings.Join(values, ", ")
	}
	shown := near(given, values)
	words := "allowed: "
	if len(shown) > 0 {
		words = "near: "
	} else {
		shown = values[:mostShown]
	}
	return words + strings.Join(shown, ", ") + ", ... (exchange describe names all of them)"
}
