package book

import (
	"context"
	"slices"
	"strings"
)

// Sharing says with whom an organisation shares its policies, and which: in the order of their numbers, each one at a
// multiple of every.
type Sharing struct {
	Owner string
	every int
	with  []participant
}

// participant is an organisation, and its rights.
type participant struct {
	organisation string
	rights       []string
}

// Sharings returns the organisations of an exchange that they share. The insurer shares with the broker who placed the
// policies, and the coverholder shares what it writes under its binding authority with both.
func Sharings() []Sharing {
	return []Sharing{
		{"insurer", 3, []participant{{"broker", []string{"read", "claims"}}}},
		{"broker", 4, []participant{{"insurer", []string{"read"}}}},
		{"coverholder", 1, []participant{
			{"broker", []string{"read"}}, {"insurer", []string{"read", "claims", "premium"}},
		}},
	}
}

// With returns in words the organisations with which policies are shared.
func (s Sharing) With() string {
	var with []string
	for _, p := range s.with {
		with = append(with, p.organisation+" ("+strings.Join(p.rights, ", ")+")")
	}
	return strings.Join(with, " and ")
}

// Share shares policies with some numbers, as far as the organisation shares them, and returns how many it shares.
func (s Sharing) Share(ctx context.Context, send Send, policyNumbers []string) (shared int, err error) {
	var with []Record
	for _, p := range s.with {
		with = append(with, Record{"organisation": p.organisation, "rights": p.rights})
	}
	ordered := slices.Sorted(slices.Values(policyNumbers))
	for i := 0; i < len(ordered); i += s.every {
		if _, _, err := send(ctx, "/x/access/"+ordered[i], "", Record{"participants": with}); err != nil {
			return shared, err
		}
		shared++
	}
	return shared, nil
}
