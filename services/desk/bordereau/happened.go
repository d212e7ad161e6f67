package bordereau

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest/changes"
)

// Logged returns the collections that have entries in the log of changes, by name. Each version of a ledger has one
// event, which is about one version of a bordereau. Open comes before.
func (d *Desk) Logged() map[string]changes.Source {
	return map[string]changes.Source{ledgers: {Collection: d.ledgers.In, Happened: happened}}
}

// happened returns what a version of a ledger is about.
func happened(present docstore.Document, number int64) (changes.Happening, error) {
	l := new(ledger)
	if err := json.Unmarshal(present.Body, l); err != nil {
		return changes.Happening{}, err
	}
	for _, v := range l.Versions {
		if is := v.happened(number); is.Type != "" {
			is.Resource, is.Contract = beyond.BordereauEvent, l.Contract
			is.Href = pathOf(l, v)
			return is, nil
		}
	}
	// A build that did not note the versions of ledgers has written it.
	return changes.Happening{
		Resource: beyond.BordereauEvent, Type: "altered", Contract: l.Contract,
		Href: "/x/bordereau?contract=" + l.Contract,
	}, nil
}

// pathOf returns the path of a version of a ledger.
func pathOf(l *ledger, v *version) string {
	return fmt.Sprintf("/x/bordereau/%s/%s/%s/versions/%d", l.Contract, l.Kind, v.Head.Period, v.Head.Number)
}

// happened returns what was done to a version of a bordereau in a version of its ledger; nothing where that is about
// another one.
func (v *version) happened(in int64) changes.Happening {
	switch in {
	case v.PreparedIn:
		return changes.Happening{Type: "prepared", Status: desk.Pending, Time: v.Head.PreparedAt.Time()}
	case v.Decided.In:
		return changes.Happening{Type: v.State, Status: v.State, Time: v.Decided.At}
	}
	for _, by := range v.acknowledgements() {
		if by.In == in {
			return changes.Happening{Type: "acknowledged", Status: v.State, Time: by.At}
		}
	}
	if slices.Contains(v.WaivedIn, in) {
		return changes.Happening{Type: "waived", Status: desk.Pending}
	}
	return changes.Happening{}
}
