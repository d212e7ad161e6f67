package book

import (
	"context"
	"fmt"
	"net/url"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/services/book/rows"
)

// whoseName is the parameter that says of whom figures are, and these are its values.
const (
	whoseName = "whose"
	ofOwn     = "own"
	ofAll     = "all"
)

var whoseParameter = rest.Parameter{Name: whoseName, Values: []string{ofOwn, ofAll}, Means: "own for what the " +
	"organisation of the caller owns; without it, also the policies that others share with it, 10,000 at most"}

// mostShared is how many policies of others are added up at most.
const mostShared = 10_000

// whose is of whom figures are asked for.
type whose struct{ own bool }

// take reads the parameter.
func (w *whose) take(value string) (wrong string) {
	if w.own = value == ofOwn; !w.own && value != ofAll {
		return "must be " + ofOwn + " or " + ofAll
	}
	return ""
}

// open has a list show what is of the same.
func (w *whose) open(opens url.Values) {
	if w.own {
		opens.Set(whoseName, ofOwn)
	}
}

// sight returns what a caller sees. The access lists decide as they are now: each read asks for them, and nothing of
// them is kept. Errors: problem.BadParameter; problem.Unavailable where coverage does not respond.
func (l *library) sight(ctx context.Context, of whose) (rows.Sight, error) {
	s := rows.Sight{Owner: request.OrganisationFrom(ctx).Name()}
	if of.own || !l.organisations || s.Owner == "" {
		return s, nil
	}
	for after := internalapi.Oldest; after != ""; {
		// A release before does not know the operation, and shows nothing.
		page, _, err := peer.Get[internalapi.SharedPolicies](ctx, l.peer("coverage"),
			internalapi.SharedPath+url.PathEscape(after))
		if err != nil {
			return s, problem.Outage(fmt.Errorf("what is shared cannot be read: %w", err))
		}
		for _, p := range page.Policies {
			s.Shared = append(s.Shared, rows.SharedPolicy{Number: p.PolicyNumber, Owner: p.Owner})
		}
		if len(s.Shared) > mostShared {
			return s, problem.New(problem.BadParameter, fmt.Sprintf("Others share more than %d policies with your "+
				"organisation, which are too many to be added up when they are read.", mostShared)).
				InParameter(whoseName, "whose="+ofOwn+" has what your organisation owns; /x/access/refused refuses "+
					"what another one shares")
		}
		after = page.Next
	}
	return s, nil
}
