package merged

import (
	"context"
	"errors"
	"net/http"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/internalapi/sharing"
	"insurance.example/exchange/pkg/peer"
)

// sight is what one read knows of the records of others that an organisation sees. The access lists decide as they are
// now: they are asked for by each read anew, and kept by none.
type sight struct {
	// owns reports whether the organisation sees all that an owner has.
	owns  func(owner string) bool
	lists *peer.Client
	// owners has the owner of each policy that is shared with the organisation, and an empty one for those that were
	// asked for and are not.
	owners map[string]string
}

// of returns the policy whose access list decides whether the organisation sees a change; empty if none does.
func (s *sight) of(c *internalapi.Change) string {
	if c.Public || s.owns(c.Owner) || !c.Shared {
		return ""
	}
	return short(c.PolicyNumber)
}

// knows reports whether it is known if the organisation sees a change.
func (s *sight) knows(c *internalapi.Change) bool {
	_, asked := s.owners[s.of(c)]
	return asked || s.of(c) == ""
}

// sees reports whether the organisation sees a change. What names a policy of another owner than its own is not under
// that policy.
func (s *sight) sees(c *internalapi.Change) bool {
	return c.Public || s.owns(c.Owner) || s.of(c) != "" && s.owners[s.of(c)] == c.Owner
}

// ask asks for the policies of changes that are selected and not known yet, in one request for each MostAsked. If
// coverage does not respond, they stay unknown.
func (s *sight) ask(ctx context.Context, want Filter, streams []*stream) error {
	asked := map[string]bool{}
	var numbers []string
	for _, from := range streams {
		for i := from.used; !from.behind && i < len(from.page.changes); i++ {
			c := &from.page.changes[i]
			if number := s.of(c); !s.knows(c) && !asked[number] && want.selects(c) {
				asked[number] = true
				numbers = append(numbers, number)
			}
		}
	}
	for len(numbers) > 0 {
		some := numbers[:min(len(numbers), sharing.MostAsked)]
		numbers = numbers[len(some):]
		owners, err := shared(ctx, s.lists, some)
		if err != nil {
			return ctx.Err()
		}
		for _, number := range some {
			s.owners[number] = owners[number]
		}
	}
	return nil
}

// shared returns the owners of those of some policies that are shared with the organisation of the context now. A
// coverage of the last release, which cannot be asked, shares none.
func shared(ctx context.Context, lists *peer.Client, numbers []string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	seen, err := peer.Post[sharing.Seen](ctx, lists, sharing.SeenPath, sharing.Asked{PolicyNumbers: numbers})
	if refusal := (*peer.Refusal)(nil); errors.As(err, &refusal) && refusal.Status == http.StatusNotFound {
		return nil, nil
	}
	owners := map[string]string{}
	for _, p := range seen.Policies {
		owners[p.PolicyNumber] = p.Owner
	}
	return owners, err
}

// Sees reports whether a policy of another owner is shared with the organisation of the context now.
func (r *Reader) Sees(ctx context.Context, policyNumber string) (bool, error) {
	owners, err := shared(ctx, r.lists, []string{policyNumber})
	return owners[policyNumber] != "", err
}
