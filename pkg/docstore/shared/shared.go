package shared

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// Settings say who has a store.
type Settings struct {
	// On says that organisations share the exchange.
	On bool
	// Default is the name of the organisation to which the documents without an owner belong; empty if it is not given.
	Default string
}

// Of returns a store as the service of such an exchange has it. Where organisations do not share the exchange, its
// collections are those of the store.
func Of(store docstore.Store, settings Settings) docstore.Store { return &of{store, settings} }

type of struct {
	docstore.Store
	settings Settings
}

// The refusals of a start. Each names the setting that mends it.
var (
	// ErrOwned means that the exchange is not shared by its settings, although its documents have owners.
	ErrOwned = errors.New("setting org-claim: organisations share the records of this exchange, and without the " +
		"setting nothing would keep them apart; start it with the setting")
	// ErrUnowned means that nothing says whose the documents are that have no owner.
	ErrUnowned = errors.New("setting org-default: the exchange has records from before organisations shared it; " +
		"give the organisation that is to own them")
	// ErrSettled means that the documents without an owner belong to another organisation than the settings say.
	ErrSettled = errors.New("setting org-default: the owner of a record never changes")
)

// everybody is in whose name the package works.
var everybody = organisation.Exchange()

func (s *of) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	opened, err := s.Store.Collection(ctx, spec)
	if err != nil || spec.Unowned {
		return opened, err
	}
	owner, err := opened.OwnerAfter(ctx, everybody, "")
	if err != nil {
		return nil, err
	}
	if !s.settings.On {
		if owner != "" {
			return nil, fmt.Errorf("%w (%s has records of %s)", ErrOwned, spec.Name, owner)
		}
		return opened, nil
	}
	c := &collection{Collection: opened, spec: spec, public: spec.Public}
	if spec.SharedBy != "" {
		lists, err := OpenLists(ctx, s.Store, time.Now)
		if err != nil {
			return nil, err
		}
		c.stamps = &stampsOf{lists, spec}
	}
	c.usual, err = s.settle(ctx, spec.Name, opened, owner != "")
	return c, err
}

// settledSpec is the collection that names, for each other collection, the organisation to which documents without an
// owner belong.
var settledSpec = docstore.Spec{
	Name: "organisations", Unlogged: true, Unowned: true, Indexes: []docstore.Index{{Name: ofIndex, Unique: true}},
}

const ofIndex = "collection"

// settled is a document of it.
type settled struct {
	Collection string `json:"collection"`
	Default    string `json:"default"`

	at docstore.At
}

// settledIn returns the documents of a store, and what it has about a collection; nil if it has nothing.
func settledIn(
	ctx context.Context, store docstore.Store, name string,
) (choices docstore.Kept[settled], is *settled, err error) {
	in, err := store.Collection(ctx, settledSpec)
	if err != nil {
		return choices, nil, err
	}
	choices = docstore.Kept[settled]{In: in, What: "owner of a collection",
		At:   func(s *settled) *docstore.At { return &s.at },
		Keys: func(s *settled) docstore.Keys { return docstore.Keys{ofIndex: s.Collection} }}
	is, err = choices.One(ctx, everybody, docstore.Keys{ofIndex: name})
	return choices, is, err
}

// settle returns the name of the organisation to which the documents of a collection belong that have no owner, the
// empty name if there will never be any. It is settled at the first start of a shared exchange, and for good once a
// document has an owner. owned reports whether one has.
func (s *of) settle(
	ctx context.Context, name string, opened docstore.Collection, owned bool,
) (owner string, err error) {
	// Another process may settle it meanwhile.
	err = docstore.Again(func() error {
		choices, now, err := settledIn(ctx, s.Store, name)
		if err != nil {
			return err
		}
		docs, err := opened.Find(ctx, everybody, docstore.Query{Limit: 1})
		if err != nil {
			return err
		}
		next := settled{Collection: name}
		if now != nil {
			next = *now
		}
		owner, err = s.settings.owner(next.Default, len(docs) > 0, owned)
		if err != nil || now != nil && owner == now.Default {
			return err
		}
		next.Default = owner
		return choices.Write(ctx, everybody, &next, nil)
	})
	return owner, err
}

// owner returns the organisation to which documents without an owner are to belong, given the one to which they belong
// now. Both may be empty. Errors: ErrUnowned, ErrSettled.
func (s Settings) owner(now string, stored, owned bool) (string, error) {
	switch {
	case s.Default == now, s.Default == "" && now != "":
		if now == "" && stored && !owned {
			return "", ErrUnowned
		}
		return now, nil
	case now != "" && stored:
		return "", fmt.Errorf("%w, and those from before organisations shared the exchange belong to %s", ErrSettled,
			now)
	case owned:
		return "", fmt.Errorf("%w, and none is from before organisations shared the exchange; leave the setting out",
			ErrSettled)
	default:
		return s.Default, nil
	}
}

// collection is a collection of a shared exchange. What it is asked in the name of the usual organisation, it asks the
// one below in the name of the only organisation there was before the exchange was shared.
type collection struct {
	docstore.Collection
	// usual is the name of the organisation to which the documents without an owner belong; empty if there are none.
	usual  string
	public bool
	spec   docstore.Spec
	// stamps are there where policies are shared and the collection has records of them; nil elsewhere.
	stamps *stampsOf
}

// below returns in whose name the collection below is written.
func (c *collection) below(who organisation.ID) organisation.ID {
	if c.usual != "" && who.Name() == c.usual {
		return organisation.Sole()
	}
	return who
}

// reader returns in whose name it is read. What is public, the exchange reads for everybody, and all that there is, for
// an operator.
func (c *collection) reader(who organisation.ID) organisation.ID {
	if who.Operates() || c.public && who.Check() == nil {
		return everybody
	}
	return c.below(who)
}

// stored returns a document as the collection below has it.
func (c *collection) stored(doc docstore.Document) docstore.Document {
	if doc.Owner == c.usual {
		doc.Owner = ""
	}
	return doc
}

// shown gives documents the owner that they have by the settings.
func (c *collection) shown(docs ...docstore.Document) []docstore.Document {
	for i := range docs {
		if docs[i].Owner == "" {
			docs[i].Owner = c.usual
		}
	}
	return docs
}

func (c *collection) Insert(ctx context.Context, who organisation.ID, doc docstore.Document) error {
	if err := who.Check(); err != nil {
		return err
	}
	if c.stamps != nil {
		return c.insert(ctx, who, doc)
	}
	return c.Collection.Insert(ctx, c.below(who), c.stored(doc))
}

// asSeen reads something of a document in the name of an organisation, and in that of its owner where it is shared with
// the organisation.
func asSeen[T any](
	ctx context.Context, c *collection, who organisation.ID, id uuid.UUID, read func(organisation.ID) (T, error),
) (T, error) {
	found, err := read(c.reader(who))
	if errors.Is(err, docstore.ErrNotFound) && c.participates(who) {
		if who, err = c.ownerOf(ctx, who, id); err == nil {
			return read(c.reader(who))
		}
	}
	return found, err
}

func (c *collection) Get(ctx context.Context, who organisation.ID, id uuid.UUID) (docstore.Document, error) {
	doc, err := asSeen(ctx, c, who, id, func(who organisation.ID) (docstore.Document, error) {
		return c.Collection.Get(ctx, who, id)
	})
	return c.shown(doc)[0], err
}

func (c *collection) Replace(
	ctx context.Context, who organisation.ID, doc docstore.Document, former *docstore.Former,
) error {
	if c.participates(who) && doc.Owner != "" && doc.Owner != who.Name() {
		lacked, err := c.Lacks(ctx, who, doc.ID, "")
		if err != nil {
			return err
		}
		if lacked != "" {
			return &docstore.RightError{Right: lacked}
		}
		if who, err = c.ownerOf(ctx, who, doc.ID); err != nil {
			return err
		}
	}
	err := c.Collection.Replace(ctx, c.below(who), c.stored(doc), former)
	if err == nil && c.participates(who) {
		c.restamp(ctx, who, doc)
	}
	return err
}

func (c *collection) Find(ctx context.Context, who organisation.ID, q docstore.Query) ([]docstore.Document, error) {
	if c.participates(who) && !q.Own || who.Operates() && c.led(q) {
		docs, err := c.find(ctx, who, q)
		return c.shown(docs...), err
	}
	docs, err := c.Collection.Find(ctx, c.reader(who), q)
	return c.shown(docs...), err
}

func (c *collection) Unsent(
	ctx context.Context, who organisation.ID, after uuid.UUID, limit int,
) ([]docstore.Document, error) {
	docs, err := c.Collection.Unsent(ctx, who, after, limit)
	return c.shown(docs...), err
}

func (c *collection) Former(
	ctx context.Context, who organisation.ID, id uuid.UUID, version int64,
) (docstore.Former, error) {
	return asSeen(ctx, c, who, id, func(who organisation.ID) (docstore.Former, error) {
		return c.Collection.Former(ctx, who, id, version)
	})
}

func (c *collection) Formers(
	ctx context.Context, who organisation.ID, id uuid.UUID, after int64, limit int,
) ([]docstore.Former, error) {
	formers, err := c.Collection.Formers(ctx, c.reader(who), id, after, limit)
	if err == nil && len(formers) == 0 && c.participates(who) {
		if who, err = c.ownerOf(ctx, who, id); err == nil {
			formers, err = c.Collection.Formers(ctx, c.reader(who), id, after, limit)
		}
	}
	return formers, err
}

func (c *collection) FormerByKey(
	ctx context.Context, who organisation.ID, id uuid.UUID, key string,
) (docstore.Former, error) {
	return asSeen(ctx, c, who, id, func(who organisation.ID) (docstore.Former, error) {
		return c.Collection.FormerByKey(ctx, who, id, key)
	})
}

func (c *collection) Texts(
	ctx context.Context, who organisation.ID, ids []uuid.UUID, member string,
) (map[uuid.UUID]string, error) {
	return c.Collection.Texts(ctx, c.reader(who), ids, member)
}
