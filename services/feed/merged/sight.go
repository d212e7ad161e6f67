package merged

import (
	"context"
	"errors"
	"net/http"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/peer"
)

// The services that say what an organisation sees of what others own. Coverage is the first to take away what a change
// of an access list takes, and the desk has the contracts that name their counterparties.
const (
	policies  = "coverage"
	contracts = "desk"
)

// Under is what decides whether an organisation sees what another one owns: the access list of a policy, or a contract
// of the desk, whose counterparty sees what is reported under it. It is zero where nothing but the owner decides.
type Under struct {
	// Keeper is the name of the service that knows, and Name that of the policy or contract there.
	Keeper, Name string
	// Owner is the organisation to which the policy or contract has to belong.
	Owner string
	// Draft says that the event is about what is not approved, which a counterparty sees only if the contract says so.
	Draft bool
}

// seen says of whom an organisation sees a policy or contract of some name: of each owner, whether also what is not
// approved.
type seen map[string]bool

// sees reports whether the organisation sees what is under a policy or contract.
func (s seen) sees(under Under) bool {
	drafts, is := s[under.Owner]
	return is && (drafts || !under.Draft)
}

// sight is what one read knows of the records of others that an organisation sees. The access lists and contracts
// decide as they are now: they are asked for by each read anew, and kept by none.
type sight struct {
	// owns reports whether the organisation sees all that an owner has.
	owns func(owner string) bool
	// asks says that there is something to ask: one who sees everything asks nothing.
	asks   bool
	reader *Reader
	// asked has, by keeper and name, what the organisation sees of each policy or contract that was asked for.
	asked map[string]map[string]seen
}

// of returns what decides whether the organisation sees a change; zero if nothing does.
func (s *sight) of(c *internalapi.Change) Under {
	number := short(c.PolicyNumber)
	switch {
	case c.Public || c.Owner == "" || s.owns(c.Owner):
		return Under{}
	case c.Contract != "":
		return Under{contracts, c.Contract, c.Owner, c.Status != desk.Approved}
	case c.Shared && number != "":
		return Under{policies, number, c.Owner, false}
	default:
		return Under{}
	}
}

// knows reports whether it is known if the organisation sees a change.
func (s *sight) knows(c *internalapi.Change) bool {
	under := s.of(c)
	_, asked := s.asked[under.Keeper][under.Name]
	return asked || under == Under{}
}

// sees reports whether the organisation sees a change. What names a policy of another owner than its own is not under
// that policy.
func (s *sight) sees(c *internalapi.Change) bool {
	under := s.of(c)
	return c.Public || s.owns(c.Owner) || under != Under{} && s.asked[under.Keeper][under.Name].sees(under)
}

// ask asks for the policies and contracts of changes that are selected and not known yet. It asks as often where there
// are none, so that neither the time it takes nor what comes of an outage depends on what others have written: if a
// service does not respond, none of the logs is read on whose changes it says something about.
func (s *sight) ask(ctx context.Context, want Filter, streams []*stream) error {
	for _, keeper := range []string{policies, contracts} {
		var from []*stream
		for _, one := range streams {
			if one.head() != nil && (one.name == contracts) == (keeper == contracts) {
				from = append(from, one)
			}
		}
		if len(from) == 0 || !s.asks || !want.under(keeper) {
			continue
		}
		names := s.unknown(want, from)
		for {
			some := names[:min(len(names), questions[keeper].most)]
			names = names[len(some):]
			sights, err := s.reader.seen(ctx, keeper, some)
			if err != nil {
				for _, one := range from {
					one.missing = keeper
				}
				break
			}
			for _, name := range some {
				s.asked[keeper][name] = sights[name]
			}
			if len(names) == 0 {
				break
			}
		}
	}
	return ctx.Err()
}

// unknown returns the names of the policies or contracts of selected changes that were not asked for.
func (s *sight) unknown(want Filter, from []*stream) (names []string) {
	listed := map[string]bool{}
	for _, one := range from {
		for i := one.used; i < len(one.page.changes); i++ {
			c := &one.page.changes[i]
			if under := s.of(c); !s.knows(c) && want.selects(c) && !listed[under.Name] {
				listed[under.Name] = true
				names = append(names, under.Name)
			}
		}
	}
	return names
}

// questions say how the keeper of policies, and that of contracts, is asked which of some names the organisation of
// the context sees, and of whom. most is how many names may be asked about at a time.
var questions = map[string]struct {
	most int
	ask  func(ctx context.Context, at *peer.Client, names []string, sees func(name, owner string, drafts bool)) error
}{
	policies: {internalapi.MostAsked, func(
		ctx context.Context, at *peer.Client, names []string, sees func(string, string, bool),
	) error {
		page, err := peer.Post[internalapi.Seen](ctx, at, internalapi.SeenPath,
			internalapi.Asked{PolicyNumbers: names})
		for _, p := range page.Policies {
			sees(p.PolicyNumber, p.Owner, false)
		}
		return err
	}},
	contracts: {internalapi.MostContracts, func(
		ctx context.Context, at *peer.Client, names []string, sees func(string, string, bool),
	) error {
		page, err := peer.Post[internalapi.SeenContracts](ctx, at, internalapi.CounterpartyPath,
			internalapi.AskedContracts{References: names})
		for _, of := range page.Contracts {
			sees(of.Reference, of.Owner, of.Drafts)
		}
		return err
	}},
}

// seen returns what the organisation of the context sees now of some policies or contracts, by their names. A service
// of the last release, which cannot be asked, shows none.
func (r *Reader) seen(ctx context.Context, keeper string, names []string) (map[string]seen, error) {
	ctx, cancel := context.WithTimeout(ctx, patience.Times(pagePatience))
	defer cancel()
	all := map[string]seen{}
	err := questions[keeper].ask(ctx, r.keepers[keeper], names, func(name, owner string, drafts bool) {
		if all[name] == nil {
			all[name] = seen{}
		}
		all[name][owner] = drafts
	})
	if refusal := (*peer.Refusal)(nil); errors.As(err, &refusal) && refusal.Status == http.StatusNotFound {
		return nil, nil
	}
	return all, err
}

// Sees reports whether the organisation of the context sees now what is under a policy or contract of another one.
func (r *Reader) Sees(ctx context.Context, under Under) (bool, error) {
	sights, err := r.seen(ctx, under.Keeper, []string{under.Name})
	return err == nil && sights[under.Name].sees(under), err
}
