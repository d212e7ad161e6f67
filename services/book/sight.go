package book

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"unicode/utf8"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/services/book/rows"
)

// whoseName is the parameter that says of whom figures are, and these are its values.
const (
	whoseName  = "whose"
	ofOwn      = "own"
	ofAll      = "all"
	ofReported = "reported"
)

// ownerName is the parameter that says whose contract is meant.
const ownerName = "owner"

var (
	whoseParameter = rest.Parameter{Name: whoseName, Values: []string{ofOwn, ofAll, ofReported}, Means: "own for " +
		"what the organisation of the caller owns, reported for what another one reports under the contract that the " +
		"parameter contract names, if the organisation of the caller is its counterparty and it says preview; " +
		"without it, what it owns and the policies that others share with it, 10,000 at most"}
	ownerParameter = rest.Parameter{Name: ownerName, Means: "With whose=reported, the organisation whose contract is " +
		"meant, where several have one of the reference"}
	// refusesReported are the problems of what is reported.
	refusesReported = []problem.Kind{problem.RightMissing, problem.Ambiguous}
)

// mostShared is how many policies of others are added up at most.
const mostShared = 10_000

// whose is of whom figures are asked for.
type whose struct {
	value string
	// contract is the only one that is asked for, and owner the organisation whose contract it is; empty for any.
	contract, owner string
}

// parameter reads a parameter of sums. is reports whether it says no more than of whom they are.
func (w *whose) parameter(name, value string) (wrong string, is bool) {
	switch name {
	case whoseName:
		return w.take(value), true
	case ownerName:
		w.owner = value
		return "", true
	case byContract:
		w.contract = value
	}
	return "", false
}

// take reads the parameter whose.
func (w *whose) take(value string) (wrong string) {
	if w.value = value; !slices.Contains(whoseParameter.Values, value) {
		return "must be " + ofOwn + ", " + ofAll + " or " + ofReported
	}
	return ""
}

// narrow takes a condition of a list. There the owner is a column as others are, whatever rows are asked for.
func (w *whose) narrow(to *rows.Condition) {
	switch {
	case len(to.OneOf) != 1 || w.value != ofReported:
	case to.Column.Name == byContract:
		w.contract = to.OneOf[0]
	case to.Column.Name == ownerName:
		w.owner = to.OneOf[0]
	}
}

// open has a list show what is of the same.
func (w *whose) open(opens url.Values) {
	if w.value == ofOwn || w.value == ofReported {
		opens.Set(whoseName, w.value)
	}
	if w.owner != "" {
		opens.Set(ownerName, w.owner)
	}
}

// sight returns what a caller sees. The access lists and contracts decide as they are now: each read asks for them, and
// nothing of them is kept. Errors: problem.BadParameter; those of reported; problem.Unavailable where coverage does not
// respond.
func (l *library) sight(ctx context.Context, of whose) (rows.Sight, error) {
	s := rows.Sight{Owner: request.OrganisationFrom(ctx).Name()}
	switch {
	case of.value == ofReported:
		return l.reported(ctx, of)
	case of.owner != "":
		return s, problem.New(problem.BadParameter, "").InParameter(ownerName, "goes with whose="+ofReported)
	case of.value == ofOwn || !l.organisations || s.Owner == "":
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

// reported returns what the counterparty of a contract sees of it: nothing of one that it does not see, as of one that
// is not there. Errors: problem.BadParameter, problem.RightMissing where the contract does not say preview,
// problem.Ambiguous; problem.Unavailable where the desk does not respond.
func (l *library) reported(ctx context.Context, of whose) (s rows.Sight, err error) {
	if !l.organisations {
		return s, problem.New(problem.BadParameter, "").InParameter(whoseName, "takes "+ofReported+
			" where organisations share the exchange; without it, all of the contract is shown")
	}
	if of.contract == "" || len(of.contract) > mostText || !utf8.ValidString(of.contract) {
		return s, problem.New(problem.BadParameter, "").InParameter(byContract, fmt.Sprintf("must have one value, of "+
			"1 to %d bytes, with whose=%s: it says under which contract, such as whose=%[2]s&contract=DEAL-26",
			mostText, ofReported))
	}
	s.Reported = of.contract
	if request.OrganisationFrom(ctx).Name() == "" {
		return s, nil // an operator is nobody's counterparty
	}
	page, err := peer.Post[internalapi.SeenContracts](ctx, l.peer("desk"), internalapi.CounterpartyPath,
		internalapi.AskedContracts{References: []string{of.contract}})
	if err != nil {
		return s, problem.Outage(fmt.Errorf("whether the caller is the counterparty cannot be read: %w", err))
	}
	var owners []string
	preview := false
	for _, c := range page.Contracts {
		if of.owner == "" || of.owner == c.Owner {
			owners, preview = append(owners, c.Owner), c.Drafts
		}
	}
	switch {
	case len(owners) == 0:
		return s, nil
	case len(owners) > 1:
		slices.Sort(owners)
		return s, problem.New(problem.Ambiguous, "Several organisations report to yours under a contract "+
			problem.Short(of.contract)+". Say whose is meant: owner="+owners[0]).With("owners", owners)
	case !preview:
		return s, problem.New(problem.RightMissing, "The contract does not say preview: its owner shows its "+
			"counterparty what is approved, and no more. The versions that are approved are read at the desk: "+
			"GET /x/bordereau?contract="+url.QueryEscape(of.contract)).With("right", shared.OwnerRight)
	}
	s.Owner = owners[0]
	return s, nil
}
