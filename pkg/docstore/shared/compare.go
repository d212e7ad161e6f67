package shared

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// Comparison compares the access lists of policies with the findings, by which participants find shared policies and
// what is under them. It also compares the lists with their digests, which show what another program has changed.
type Comparison struct {
	// Store is the database of a service, and Specs are its collections.
	Store docstore.Store
	Specs []docstore.Spec
	// Recent reports whether what was done at an instant may not have its effect yet. It is left out.
	Recent func(time.Time) bool
	// Report is called where a participant does not find what the list shows it. Count is called with how many things
	// of a sort were examined.
	Report func(docstore.Finding) error
	Count  func(sort string, n int)

	lists *Lists
}

// What a comparison says should be. The words say what to do.
const (
	isAsWritten = "an access list is as it was written"
	putRight    = "what its digest vouches for: its owner looks at it and puts it as it should be"
	findsPolicy = "each participant of a policy finds it"
	findsRecord = "each participant of a policy finds the record"
	putAgain    = "that it does: put the access list of %s again as it is"
	putAnother  = "its own: put the access list of %s with another organisation in its place, and then as it was"
)

// Run compares all lists. Errors: docstore.ErrUnavailable; those of Report.
func (c *Comparison) Run(ctx context.Context) error {
	under := map[string]docstore.Collection{}
	for _, spec := range c.Specs {
		if spec.SharedBy == "" {
			continue
		}
		var err error
		if under[spec.Name], err = c.Store.Collection(ctx, spec); err != nil {
			return err
		}
	}
	if len(under) == 0 {
		return nil
	}
	if _, err := c.Store.Collection(ctx, listSpec); errors.Is(err, docstore.ErrNoCollection) {
		return nil // organisations have never shared the exchange
	}
	var err error
	if c.lists, err = OpenLists(ctx, c.Store, time.Now); err != nil {
		return err
	}
	return each(ctx, c.lists.lists, everybody, docstore.Query{WithState: true}, func(doc docstore.Document) error {
		if err := c.asWritten(doc); err != nil {
			return err
		}
		list, err := readList(doc.Body, doc.ID, doc.Version)
		// A change that is under way, or has stopped, is completed by the same request.
		if err != nil || list.Unfinished || c.Recent(list.At) {
			return err
		}
		c.Count("access lists", 1)
		if err := c.finds(ctx, c.lists.grants, list, list.PolicyNumber, list.keysOfGrant,
			docstore.Finding{Collection: grantCollection, ID: doc.ID.String(), Invariant: findsPolicy}); err != nil {
			return err
		}
		for _, spec := range c.Specs {
			if in, shared := under[spec.Name]; shared {
				if err := c.under(ctx, spec, in, list); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// asWritten reports a list that another program has changed. Releases before this one wrote lists without digests.
func (c *Comparison) asWritten(doc docstore.Document) error {
	altered, is := errors.AsType[*docstore.AlteredError](doc.Digest.Check(doc.Version, doc.Body, nil))
	if !is {
		return nil
	}
	return c.Report(docstore.Finding{Collection: listCollection, ID: doc.ID.String(), Invariant: isAsWritten,
		Found: altered.Found, Expected: putRight})
}

// under compares the stamps of the records of a collection under the policy of a list.
func (c *Comparison) under(ctx context.Context, spec docstore.Spec, in docstore.Collection, list *List) error {
	owner, err := c.stored(ctx, spec.Name, list.Owner)
	if err != nil || len(list.Participants) == 0 {
		return err
	}
	of := stampsOf{spec: spec}
	q := docstore.Query{Equal: docstore.Keys{spec.SharedBy: list.PolicyNumber}, WithState: true}
	return each(ctx, in, owner, q, func(doc docstore.Document) error {
		if c.Recent(docstore.CreatedAt(doc.ID)) {
			return nil
		}
		keys, err := spec.Keys(doc)
		if err != nil {
			return nil //nolint:nilerr // that it cannot be read is found where records are examined
		}
		return c.finds(ctx, c.lists.stamps, list, of.about(doc.ID),
			func(participant string) docstore.Keys { return of.keys(participant, doc.ID, keys) },
			docstore.Finding{Collection: spec.Name, ID: doc.ID.String(), Invariant: findsRecord})
	})
}

// stored returns in whose name documents of a collection are stored which an organisation owns.
func (c *Comparison) stored(ctx context.Context, collection, owner string) (organisation.ID, error) {
	_, now, err := settledIn(ctx, c.Store, collection)
	if err != nil {
		return organisation.ID{}, err
	}
	if now != nil && now.Default == owner {
		owner = ""
	}
	return organisation.Owner(owner)
}

// finds reports the participants of a list that do not find a thing by the keys that they should have.
func (c *Comparison) finds(
	ctx context.Context, in docstore.Collection, list *List, about string,
	keys func(participant string) docstore.Keys, finding docstore.Finding,
) error {
	others := list.others()
	c.Count("stamps", len(others))
	for _, name := range others {
		should := maps.Clone(keys(name))
		should[aboutIndex] = about
		is, err := c.leads(ctx, in, list, name, should)
		if err != nil {
			return err
		}
		if is {
			continue
		}
		finding.Found, finding.Expected = name+" does not", fmt.Sprintf(putAgain, list.PolicyNumber)
		if is, err = c.leads(ctx, in, list, name, docstore.Keys{aboutIndex: about}); err != nil {
			return err
		}
		if is {
			finding.Found = name + " finds it by the values of another"
			finding.Expected = fmt.Sprintf(putAnother, list.PolicyNumber)
		}
		if err := c.Report(finding); err != nil {
			return err
		}
	}
	return nil
}

// leads reports whether a finding with some keys leads a participant to the policy of a list.
func (c *Comparison) leads(
	ctx context.Context, in docstore.Collection, list *List, name string, keys docstore.Keys,
) (is bool, err error) {
	err = each(ctx, in, everybody, docstore.Query{Equal: keys}, func(doc docstore.Document) error {
		found, err := readFinding(doc)
		is = is || found == finding{list.PolicyNumber, name}
		return err
	})
	return is, err
}
