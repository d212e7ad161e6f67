package book

import (
	"context"
	"slices"
	"strings"
)

// Sharing says with whom an organisation shares its policies, and which: in the order of their numbers, each one at a
// multiple of Every.
type Sharing struct {
	Owner string
	Every int
	With  []participant
}

// participant is an organisation, and its rights.
type participant struct {
	Organisation string   `json:"organisation"`
	Rights       []string `json:"rights"`
}

// Sharings returns the organisations of an exchange that they share.
func Sharings() []Sharing { return read().Sharing }

// Others returns in words the organisations with which policies are shared.
func (s Sharing) Others() string {
	var with []string
	for _, p := range s.With {
		with = append(with, p.Organisation+" ("+strings.Join(p.Rights, ", ")+")")
	}
	return strings.Join(with, " and ")
}

// Share shares policies with some numbers, as far as the organisation shares them, and returns how many it shares.
func (s Sharing) Share(ctx context.Context, send Send, policyNumbers []string) (shared int, err error) {
	ordered := slices.Sorted(slices.Values(policyNumbers))
	for i := 0; i < len(ordered); i += s.Every {
		if _, _, err := send(ctx, "/x/access/"+ordered[i], "", Record{"participants": s.With}); err != nil {
			return shared, err
		}
		shared++
	}
	return shared, nil
}
