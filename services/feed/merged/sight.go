package merged

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/internalapi/sharing"
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
}

// sight is what one read knows of the records of others that an organisation sees. The access lists and contracts
// decide as they are now: they are asked for by each read anew, and kept by none.
type sight struct {
	// owns reports whether the organisation sees all that an owner has.
	owns   func(owner string) bool
	reader *Reader
	// owners has, by keeper and name, the owner of each policy or contract that the organisation sees, and an empty one
	// for those that were asked for and that it does not see.
	owners map[string]map[string]string
}

// of returns what decides whether the organisation sees a change; zero if nothing does.
func (s *sight) of(c *internalapi.Change) Under {
	number := short(c.PolicyNumber)
	switch {
	case c.Public || c.Owner == "" || s.owns(c.Owner):
		return Under{}
	case c.Contract != "":
		return Under{contracts, c.Contract, c.Owner}
	case c.Shared && number != "":
		return Under{policies, number, c.Owner}
	default:
		return Under{}
	}
}

// knows reports whether it is known if the organisation sees a change.
func (s *sight) knows(c *internalapi.Change) bool {
	under := s.of(c)
	_, asked := s.owners[under.Keeper][under.Name]
	return asked || under == Under{}
}

// sees reports whether the organisation sees a change. What names a policy of another owner than its own is not under
// that policy.
func (s *sight) sees(c *internalapi.Change) bool {
	under := s.of(c)
	return c.Public || s.owns(c.Owner) || under != Under{} && s.owners[under.Keeper][under.Name] == under.Owner
}

// ask asks for the policies and contracts of changes that are selected and not known yet. If a service does not
// respond, they stay unknown.
func (s *sight) ask(ctx context.Context, want Filter, streams []*stream) error {
	asked := map[Under]bool{}
	unknown := map[string][]string{}
	for _, from := range streams {
		for i := from.used; !from.behind && i < len(from.page.changes); i++ {
			c := &from.page.changes[i]
			under := s.of(c)
			under.Owner = ""
			if !s.knows(c) && !asked[under] && want.selects(c) {
				asked[under] = true
				unknown[under.Keeper] = append(unknown[under.Keeper], under.Name)
			}
		}
	}
	for keeper, names := range unknown {
		for some := range slices.Chunk(names, questions[keeper].most) {
			owners, err := s.reader.owners(ctx, keeper, some)
			if err != nil {
				break
			}
			for _, name := range some {
				s.owners[keeper][name] = owners[name]
			}
		}
	}
	return ctx.Err()
}

// questions say how the keeper of policies, and that of contracts, is asked which of some names the organisation of
// the context sees, and who owns those. most is how many names may be asked about at a time.
var questions = map[string]struct {
	most int
	ask  func(ctx context.Context, at *peer.Client, names []string) (owners map[string]string, err error)
}{
	policies: {sharing.MostAsked, func(
		ctx context.Context, at *peer.Client, names []string,
	) (map[string]string, error) {
		seen, err := peer.Post[sharing.Seen](ctx, at, sharing.SeenPath, sharing.Asked{PolicyNumbers: names})
		owners := map[string]string{}
		for _, p := range seen.Policies {
			owners[p.PolicyNumber] = p.Owner
		}
		return owners, err
	}},
	contracts: {sharing.MostContracts, func(
		ctx context.Context, at *peer.Client, names []string,
	) (map[string]string, error) {
		seen, err := peer.Post[sharing.SeenContracts](ctx, at, sharing.CounterpartyPath,
			sharing.AskedContracts{References: names})
		owners := map[string]string{}
		for _, of := range seen.Contracts {
			owners[of.Reference] = of.Owner
		}
		return owners, err
	}},
}

// owners returns the owners of those of some policies or contracts that the organisation of the context sees now. A
// service of the last release, which cannot be asked, shows none.
func (r *Reader) owners(ctx context.Context, keeper string, names []string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience.Times(pagePatience))
	defer cancel()
	owners, err := questions[keeper].ask(ctx, r.keepers[keeper], names)
	if refusal := (*peer.Refusal)(nil); errors.As(err, &refusal) && refusal.Status == http.StatusNotFound {
		return nil, nil
	}
	return owners, err
}

// Sees reports whether the organisation of the context sees now what is under a policy or contract of another one.
func (r *Reader) Sees(ctx context.Context, under Under) (bool, error) {
	owners, err := r.owners(ctx, under.Keeper, []string{under.Name})
	return err == nil && owners[under.Name] == under.Owner, err
}
