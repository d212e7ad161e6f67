package shared

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// Comparison compares the access lists of policies with the findings, by which participants find shared policies and
// what is under them. It also compares the lists with their digests, which show what another program has changed.
type Comparison struct {
	// Inspection is the database of a service, and Specs are its collections.
	Inspection docstore.Inspection
	Specs      []docstore.Spec
	// Recent reports whether what was done at an instant may not have its effect yet. It is left out.
	Recent func(time.Time) bool
	// Report is called where a participant does not find what the list shows it, and Note with what is left of an
	// organisation that no list has named. Count is called with how many things of a sort were examined.
	Report, Note func(docstore.Finding) error
	Count        func(sort string, n int)

	lists, grants, stamps docstore.Inspected
}

// What a comparison says should be. The words say what to do.
const (
	isAsWritten = "an access list is as it was written"
	putRight    = "what its digest vouches for: its owner looks at it and puts it as it should be"
	findsPolicy = "each participant of a policy finds it"
	findsRecord = "each participant of a policy finds the record"
	wasNamed    = "what was shared with an organisation was so by an access list"
	putAgain    = "that it does: put the access list of %s again as it is"
	putAnother  = "its own: put the access list of %s with another organisation in its place, and then as it was"
	isHarmless  = "one that the access list of %s names or has named; the list decides, and shows it nothing"
)

// Run compares all lists, and then looks at what is left of others. Errors: docstore.ErrUnavailable; those of Report
// and Note.
func (c *Comparison) Run(ctx context.Context) error {
	under := map[string]docstore.Inspected{}
	for _, spec := range c.Specs {
		if spec.SharedBy == "" {
			continue
		}
		var err error
		if under[spec.Name], err = c.Inspection.Collection(ctx, spec); err != nil {
			return err
		}
	}
	if len(under) == 0 {
		return nil
	}
	for _, kept := range []struct {
		in   *docstore.Inspected
		spec docstore.Spec
	}{{&c.lists, listSpec}, {&c.grants, grantSpec}, {&c.stamps, stampSpec}} {
		var err error
		if *kept.in, err = c.Inspection.Collection(ctx, kept.spec); err != nil {
			return err
		}
	}
	if err := each(ctx, c.lists, docstore.Query{}, func(doc docstore.Stored) error {
		if err := c.asWritten(doc); err != nil {
			return err
		}
		list, err := readList(doc.Body, doc.ID, doc.Version)
		// A change that is under way, or has stopped, is completed by the same request.
		if err != nil || list.Unfinished || c.Recent(list.At) {
			return err
		}
		c.Count("access lists", 1)
		if err := c.finds(ctx, c.grants, list, list.PolicyNumber, list.keysOfGrant,
			docstore.Finding{Collection: grantCollection, ID: doc.ID.String(), Invariant: findsPolicy}); err != nil {
			return err
		}
		for _, spec := range c.Specs {
			if spec.SharedBy == "" {
				continue
			}
			if err := c.under(ctx, spec, under[spec.Name], list); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := c.left(ctx, grantCollection, c.grants); err != nil {
		return err
	}
	return c.left(ctx, stampCollection, c.stamps)
}

// asWritten reports a list that another program has changed. Releases before this one wrote lists without digests.
func (c *Comparison) asWritten(doc docstore.Stored) error {
	altered, is := errors.AsType[*docstore.AlteredError](doc.Digest.Check(doc.Version, doc.Body, nil))
	if !is {
		return nil
	}
	return c.Report(docstore.Finding{Collection: listCollection, ID: doc.ID.String(), Invariant: isAsWritten,
		Found: altered.Found, Expected: putRight})
}

// each calls visit with each document that a query selects.
func each(ctx context.Context, in docstore.Inspected, q docstore.Query, visit func(docstore.Stored) error) error {
	for q.Limit = stampedAtOnce; ; {
		page, err := in.Find(ctx, q)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, doc := range page {
			if err := visit(doc); err != nil {
				return err
			}
			q.After = doc.ID
		}
	}
}

// createdAt returns the instant that the id of a document holds.
func createdAt(id uuid.UUID) time.Time { return time.Unix(id.Time().UnixTime()) }

// under compares the stamps of the records of a collection under the policy of a list.
func (c *Comparison) under(
	ctx context.Context, spec docstore.Spec, in docstore.Inspected, list *List,
) error {
	owner, err := c.stored(ctx, spec.Name, list.Owner)
	if err != nil || len(list.Participants) == 0 {
		return err
	}
	of := stampsOf{spec: spec}
	q := docstore.Query{
		Equal: spec.Led(owner, docstore.Keys{spec.SharedBy: list.PolicyNumber}), WithState: true,
	}
	return each(ctx, in, q, func(doc docstore.Stored) error {
		if c.Recent(createdAt(doc.ID)) {
			return nil
		}
		keys, err := spec.Keys(doc.Document)
		if err != nil {
			return nil //nolint:nilerr // that it cannot be read is found where records are examined
		}
		return c.finds(ctx, c.stamps, list, of.about(doc.ID),
			func(participant string) docstore.Keys { return of.keys(participant, doc.ID, keys) },
			docstore.Finding{Collection: spec.Name, ID: doc.ID.String(), Invariant: findsRecord})
	})
}

// stored returns the owner that documents of a collection are stored with, which an organisation owns.
func (c *Comparison) stored(ctx context.Context, collection, owner string) (string, error) {
	kept, err := c.Inspection.Collection(ctx, settledSpec)
	if err != nil {
		return "", err
	}
	found, err := kept.Find(ctx, docstore.Query{Equal: docstore.Keys{ofIndex: collection}, Limit: 1})
	if err != nil || len(found) == 0 {
		return owner, err
	}
	var now settled
	if err := json.Unmarshal(found[0].Body, &now); err != nil {
		return "", fmt.Errorf("stored owner of %s: %w", collection, err)
	}
	if now.Default == owner {
		return "", nil
	}
	return owner, nil
}

// finds reports the participants of a list that have no finding about a thing, or one with other keys than those by
// which it is looked for.
func (c *Comparison) finds(
	ctx context.Context, in docstore.Inspected, list *List, about string,
	keys func(participant string) docstore.Keys, finding docstore.Finding,
) error {
	have := map[string]docstore.Keys{}
	if err := each(ctx, in, docstore.Query{Equal: docstore.Keys{aboutIndex: about}},
		func(doc docstore.Stored) error {
			is, err := readFinding(doc.Document)
			if err == nil && is.PolicyNumber == list.PolicyNumber {
				have[is.Organisation] = doc.Keys
			}
			return err
		}); err != nil {
		return err
	}
	others := list.others()
	c.Count("stamps", len(others))
	for _, name := range others {
		should := keys(name)
		should[aboutIndex] = about
		switch is, has := have[name]; {
		case !has:
			finding.Found, finding.Expected = name+" does not", fmt.Sprintf(putAgain, list.PolicyNumber)
		case !maps.Equal(is, should):
			finding.Found = name + " finds it by the values of another"
			finding.Expected = fmt.Sprintf(putAnother, list.PolicyNumber)
		default:
			continue
		}
		if err := c.Report(finding); err != nil {
			return err
		}
	}
	return nil
}

// left notes the findings of organisations that no list of the policy names or has named.
func (c *Comparison) left(ctx context.Context, collection string, in docstore.Inspected) error {
	return each(ctx, in, docstore.Query{}, func(doc docstore.Stored) error {
		is, err := readFinding(doc.Document)
		if err != nil || is.Organisation == "" || c.Recent(createdAt(doc.ID)) {
			return err
		}
		named, err := c.named(ctx, is)
		if err != nil || named {
			return err
		}
		return c.Note(docstore.Finding{
			Collection: collection, ID: doc.ID.String(), Invariant: wasNamed, Found: is.Organisation,
			Expected: fmt.Sprintf(isHarmless, is.PolicyNumber),
		})
	})
}

// named reports whether the list of a policy names the organisation of a finding, or has named it. While a change of
// the list is not complete, it may name others.
func (c *Comparison) named(ctx context.Context, is finding) (bool, error) {
	found, err := c.lists.Find(ctx, docstore.Query{Equal: docstore.Keys{policyIndex: is.PolicyNumber}, Limit: 1})
	if err != nil || len(found) == 0 {
		return false, err
	}
	list, err := readList(found[0].Body, found[0].ID, found[0].Version)
	if err != nil || list.Unfinished || slices.Contains(list.others(), is.Organisation) {
		return true, err
	}
	for after := int64(0); ; {
		formers, err := c.lists.Formers(ctx, list.id, after, formersAtOnce)
		if err != nil || len(formers) == 0 {
			return false, err
		}
		for _, f := range formers {
			was, err := readList(f.State, list.id, f.Version)
			if err != nil || slices.Contains(was.others(), is.Organisation) {
				return true, err
			}
			after = f.Version
		}
	}
}
