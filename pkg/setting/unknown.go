package setting

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Ignored is a variable of the environment that begins as settings do and is none that this release knows.
type Ignored struct {
	Variable string
	// Nearest is the variable of the most similar setting that is known, empty if none is similar.
	Nearest string
}

// WhyIgnored says why a variable is ignored, and what to do about it.
const WhyIgnored = "this release has no such setting; remove it, unless a later release that shares the " +
	"environment has it"

// String returns a line for a person.
func (i Ignored) String() string {
	if i.Nearest == "" {
		return fmt.Sprintf("the variable %s is ignored: %s", i.Variable, WhyIgnored)
	}
	return fmt.Sprintf("the variable %s is ignored: %s; did you mean %s?", i.Variable, WhyIgnored, i.Nearest)
}

// Unknown returns the error for a name that no setting has. It proposes the most similar known name, if one is similar.
func Unknown(name, origin string, names []string) error {
	if near := nearest(name, names); near != "" {
		return fmt.Errorf("setting %s from %s is not known; did you mean %s?", name, origin, near)
	}
	return fmt.Errorf("setting %s from %s is not known", name, origin)
}

// nearest returns the most similar of the known names, empty if none is similar.
func nearest(name string, names []string) string {
	near, distance := "", len(name)/3+1
	for _, candidate := range names {
		if d := levenshtein.ComputeDistance(name, candidate); d < distance {
			near, distance = candidate, d
		}
	}
	return near
}

// misspelt returns the known setting that a variable is taken to mean, although its name is another; empty if it is
// taken for a setting of another release. A name is taken for misspelt if two letters at most are wrong, missing or
// too many (one in a short name), or if each of its words begins a word of the setting: JWT_AUD and AUDIENCE mean
// jwt-audience.
func misspelt(name string, names []string) string {
	meant, distance := "", 0
	for _, setting := range names {
		wrong := 2
		if len(setting) <= 5 {
			wrong = 1
		}
		d := levenshtein.ComputeDistance(bare(name), bare(setting))
		if (d <= wrong || abbreviates(name, setting)) && (meant == "" || d < distance) {
			meant, distance = setting, d
		}
	}
	return meant
}

// bare returns a name without its hyphens.
func bare(name string) string { return strings.ReplaceAll(name, "-", "") }

// abbreviates reports whether each word of a name begins a word of a setting.
func abbreviates(name, setting string) bool {
	words := strings.Split(setting, "-")
	for word := range strings.SplitSeq(name, "-") {
		if !slices.ContainsFunc(words, func(of string) bool { return strings.HasPrefix(of, word) }) {
			return false
		}
	}
	return true
}
