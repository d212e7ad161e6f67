package shared

import (
	"bytes"
	"context"
	"errors"
	"maps"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// participates reports whether an organisation may see records of others in the collection: one with a name, where
// policies are shared.
func (c *collection) participates(who organisation.ID) bool {
	return c.stamps != nil && who.Name() != ""
}

// ownerOf returns the owner in the name of which a record is read that an organisation sees because its policy is
// shared; the organisation itself where it sees none so. It is asked for records that the organisation does not own.
func (c *collection) ownerOf(ctx context.Context, who organisation.ID, id uuid.UUID) (organisation.ID, error) {
	list, err := c.listOf(ctx, who, id)
	if err != nil || list == nil {
		return who, err
	}
	return organisation.Owner(list.Owner)
}

// listOf returns the access list by which an organisation sees a record; nil if it sees none so. A stamp may name a
// policy that the record is no longer under.
func (c *collection) listOf(ctx context.Context, who organisation.ID, id uuid.UUID) (*List, error) {
	list, err := c.stamps.ofID(ctx, who, id)
	if err != nil || list == nil {
		return nil, err
	}
	owner, err := organisation.Owner(list.Owner)
	if err != nil {
		return nil, err
	}
	docs, err := c.Collection.Find(ctx, c.reader(owner), docstore.Query{
		Equal: docstore.Keys{c.spec.SharedBy: list.PolicyNumber}, After: docstore.IDBefore(id), Limit: 1,
	})
	if err != nil || len(docs) == 0 || docs[0].ID != id {
		return nil, err
	}
	return list, nil
}

// source is a part of what an organisation sees: what one organisation owns, under one policy if it is another's.
type source struct {
	owner organisation.ID
	query docstore.Query
	// atOnce is how many documents are read at a time.
	atOnce int
	docs   []docstore.Document
	whole  bool // docs are all that follow
}

// sources returns the parts of what an organisation sees by a query, the own one first. Each is found in the indexes of
// its owner.
func (c *collection) sources(ctx context.Context, who organisation.ID, q docstore.Query) ([]*source, error) {
	all := []*source{{owner: who, query: q, atOnce: q.Limit}}
	lists, err := c.listsBy(ctx, who, q)
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		if list == nil || list.Owner == who.Name() {
			continue
		}
		owner, err := organisation.Owner(list.Owner)
		if err != nil {
			return nil, err
		}
		under := q
		under.Equal = docstore.Keys{c.spec.SharedBy: list.PolicyNumber}
		maps.Copy(under.Equal, q.Equal)
		all = append(all, &source{owner: owner, query: under})
	}
	return all, nil
}

// listsBy returns the access lists by which an organisation may see what a query selects; nil among them for none.
func (c *collection) listsBy(ctx context.Context, who organisation.ID, q docstore.Query) ([]*List, error) {
	if number, named := q.Equal[c.spec.SharedBy]; named {
		list, err := c.stamps.For(ctx, who, number)
		return []*List{list}, err
	}
	if index := c.byUnique(q); index != nil {
		list, err := c.stamps.under(ctx, who, stampedBy(*index), q.Equal[index.Name])
		return []*List{list}, err
	}
	return c.stamps.sharedWith(ctx, who)
}

// byUnique returns the first unique index that a query names; nil if it names none.
func (c *collection) byUnique(q docstore.Query) *docstore.Index {
	for i, index := range c.spec.Indexes {
		if _, named := q.Equal[index.Name]; named && index.Unique {
			return &c.spec.Indexes[i]
		}
	}
	return nil
}

// first returns the documents of the first part that has any: an organisation's own come before those of others that
// have the same value, such as a key that it sent again when it did not see what it had made with it.
func (c *collection) first(ctx context.Context, all []*source) (docs []docstore.Document, err error) {
	for _, s := range all {
		if docs, err = c.Collection.Find(ctx, c.reader(s.owner), s.query); err != nil || len(docs) > 0 {
			break
		}
	}
	return docs, err
}

// find returns the documents that an organisation sees by a query: its own, and those under policies that are shared
// with it, in one order.
func (c *collection) find(ctx context.Context, who organisation.ID, q docstore.Query) ([]docstore.Document, error) {
	parts := c.sources
	if who.Operates() {
		parts = c.sourcesOfAll
	}
	all, err := parts(ctx, who, q)
	if err != nil {
		return nil, err
	}
	if len(all) == 1 {
		return c.Collection.Find(ctx, c.reader(all[0].owner), q)
	}
	if !who.Operates() && c.byUnique(q) != nil {
		return c.first(ctx, all)
	}
	for _, s := range all[1:] {
		s.atOnce = max(1, min(q.Limit, readAtOnce, heldTogether/len(all)))
		if q.Bytes > 0 {
			s.query.Bytes = max(1, q.Bytes/len(all))
		}
	}
	docs, last, err := c.merge(ctx, all, q)
	if err != nil || !q.Settled || q.Descending || !q.Followed(docs) {
		return docs, err
	}
	// The page may be followed by another. Once its place is settled it is read again, and misses nothing then.
	place := last.query
	place.Limit, place.Skip, place.Settled, place.Near, place.WithState = 1, 0, true, false, false
	place.After = docstore.IDBefore(docs[len(docs)-1].ID)
	if _, err := c.Collection.Find(ctx, c.reader(last.owner), place); err != nil {
		return nil, err
	}
	for _, s := range all {
		s.query.After, s.docs, s.whole = q.After, nil, false
	}
	docs, _, err = c.merge(ctx, all, q)
	return docs, err
}

// readAtOnce is how many documents under a policy are read at a time: most have few. Of many policies fewer are read,
// and fewer bytes, so that there are about heldTogether in memory, and as many bytes as one page has.
const (
	readAtOnce   = 16
	heldTogether = 1024
)

// merge returns the documents of all parts in the order of the query, up to its limits, and the part that has the last
// of them.
func (c *collection) merge(
	ctx context.Context, all []*source, q docstore.Query,
) (docs []docstore.Document, last *source, err error) {
	skip, size := q.Skip, 0
	for len(docs) < q.Limit {
		var first *source
		for _, s := range all {
			if err := c.fill(ctx, s); err != nil {
				return nil, nil, err
			}
			if len(s.docs) > 0 && (first == nil || comes(s.docs[0].ID, first.docs[0].ID, q.Descending)) {
				first = s
			}
		}
		if first == nil {
			break
		}
		doc := first.docs[0]
		first.docs = first.docs[1:]
		if skip > 0 {
			skip--
			continue
		}
		last = first
		if size += len(doc.Body) + len(doc.State); q.Bytes > 0 && size > q.Bytes && len(docs) > 0 {
			doc.Body, doc.State, doc.Digest = nil, nil, nil
			return append(docs, doc), last, nil
		}
		docs = append(docs, doc)
	}
	return docs, last, nil
}

// comes reports whether an id comes before another one in an order.
func comes(a, b uuid.UUID, descending bool) bool {
	order := bytes.Compare(a[:], b[:])
	return order < 0 && !descending || order > 0 && descending
}

// fill reads the next documents of a part, if it has none left.
func (c *collection) fill(ctx context.Context, s *source) error {
	if len(s.docs) > 0 || s.whole {
		return nil
	}
	s.query.Skip, s.query.Limit = 0, s.atOnce
	s.query.Settled, s.query.Near = false, false
	docs, err := c.Collection.Find(ctx, c.reader(s.owner), s.query)
	if err != nil {
		return err
	}
	s.whole = len(docs) < s.query.Limit
	if n := len(docs) - 1; n > 0 && docs[n].Body == nil {
		docs, s.whole = docs[:n], false
	}
	if len(docs) > 0 {
		s.query.After = docs[len(docs)-1].ID
	}
	s.docs = docs
	return nil
}

// insert inserts a document in an organisation's name. What it makes under the policy of another one belongs to that,
// if it has the right, and the record is stamped for all participants: before it is there, and once more if the list
// has changed meanwhile. Errors: *docstore.RightError, docstore.ErrUnavailable where the policy is no longer seen.
func (c *collection) insert(ctx context.Context, who organisation.ID, doc docstore.Document) error {
	number := doc.Keys[c.spec.SharedBy]
	list, err := c.stamps.Of(ctx, number)
	if err != nil {
		return err
	}
	owner := who
	if list != nil && who.Name() != "" && list.Owner != who.Name() {
		visible, err := c.stamps.For(ctx, who, number)
		if err != nil {
			return err
		}
		lacked, seen := visible.lacks(who, c.spec.Right)
		switch {
		case lacked != "":
			return &docstore.RightError{Right: lacked}
		case !seen && c.spec.Right != "":
			return errRevoked
		case seen:
			if owner, err = organisation.Owner(list.Owner); err != nil {
				return err
			}
		}
	}
	if !who.All() {
		doc.Owner = owner.Name()
	}
	if list != nil && list.Owner == doc.Owner {
		if err := c.stamps.put(ctx, list, doc.ID, doc.Keys, true); err != nil {
			return err
		}
	}
	if err := c.Collection.Insert(ctx, c.below(owner), c.stored(doc)); err != nil || number == "" {
		return err
	}
	after, err := c.stamps.Of(ctx, number)
	if err != nil || after == nil || after.Owner != doc.Owner || list != nil && after.version == list.version {
		return nil //nolint:nilerr // the record is there; a stamp that is missing hides it
	}
	_ = c.stamps.put(ctx, after, doc.ID, doc.Keys, false)
	return nil
}

// restamp stamps a record that was changed for the participants of its policy, which may be another one than before. A
// stamp that is missing hides the record, until the list is changed.
func (c *collection) restamp(ctx context.Context, owner organisation.ID, doc docstore.Document) {
	list, err := c.stamps.Of(ctx, doc.Keys[c.spec.SharedBy])
	if err == nil && list != nil && list.Owner == owner.Name() {
		_ = c.stamps.put(ctx, list, doc.ID, doc.Keys, false)
	}
}

// errRevoked means that the policy under which a record is to be made is no longer shared with who makes it.
var errRevoked = errors.Join(docstore.ErrUnavailable, errors.New("shared: the policy is no longer seen"))

// Stamp is docstore.Sharing. It begins again if the list has changed meanwhile: what it used again may be what another
// change relied on.
func (c *collection) Stamp(ctx context.Context, _ organisation.ID, policyNumber string) error {
	if c.stamps == nil {
		return nil
	}
	list, err := c.stamps.Of(ctx, policyNumber)
	if err != nil || list == nil {
		return err
	}
	return docstore.Again(func() error {
		if err := c.stamps.grant(ctx, list); err != nil {
			return err
		}
		if err := c.stamps.putAll(ctx, c, list); err != nil {
			return err
		}
		was := list.version
		if list, err = c.stamps.Of(ctx, policyNumber); err == nil && list.version != was {
			err = docstore.ErrStale
		}
		return err
	})
}

// Lacks is docstore.Sharing.
func (c *collection) Lacks(
	ctx context.Context, who organisation.ID, id uuid.UUID, policyNumber string,
) (right string, err error) {
	if !c.participates(who) {
		return OwnerRight, nil
	}
	var list *List
	if policyNumber != "" {
		list, err = c.stamps.For(ctx, who, policyNumber)
	} else {
		list, err = c.listOf(ctx, who, id)
	}
	if err != nil {
		return "", err
	}
	lacked, seen := list.lacks(who, c.spec.Right)
	if policyNumber == "" && !seen {
		return OwnerRight, nil
	}
	return lacked, nil
}
