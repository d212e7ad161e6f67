package contract

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/internalapi/sharing"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
)

// Where organisations share the exchange, the counterparty of a contract is one of them, and sees the contract and what
// is reported under it. It finds the contract by a mark, which is written after the contract; the contract alone says
// who its counterparty is. So a mark that was missed hides a contract until it is set again, and none shows one.

// The collection of the marks, and its indexes. The documents are the exchange's own.
const (
	marks        = "counterpartyMark"
	markIndex    = "contract"
	partyIndex   = "counterparty"
	soughtIndex  = "sought"
	keySeparator = " " // that no name of an organisation and no reference has
)

// MostShared is how many contracts of others an organisation is shown in lists, those first that were made first. It
// finds the others by their references.
const MostShared = Most

// mark says where the contract of an owner is found by its counterparty.
type mark struct {
	Owner        string `json:"owner"`
	Reference    string `json:"reference"`
	Counterparty string `json:"counterparty"`

	id      uuid.UUID
	version int64
}

func (c *Contracts) openMarks(ctx context.Context, store docstore.Store) (err error) {
	c.marks, err = store.Collection(ctx, docstore.Spec{
		Name: marks, Unlogged: true, Unowned: true,
		Indexes: []docstore.Index{{Name: markIndex, Unique: true}, {Name: partyIndex}, {Name: soughtIndex}},
	})
	return err
}

// marksOf returns up to a number of marks that have a value of an index.
func (c *Contracts) marksOf(ctx context.Context, index, value string, limit int) (found []*mark, err error) {
	who := request.OrganisationFrom(request.ForExchange(ctx))
	q := docstore.Query{Equal: docstore.Keys{index: value}}
	for len(found) < limit {
		q.Limit = min(page, limit-len(found))
		docs, err := c.marks.Find(ctx, who, q)
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			m := &mark{id: doc.ID, version: doc.Version}
			if err := json.Unmarshal(doc.Body, m); err != nil {
				return nil, err
			}
			found, q.After = append(found, m), doc.ID
		}
		if len(docs) < q.Limit {
			break
		}
	}
	return found, nil
}

// markCounterparty has the mark of the caller's contract say who its counterparty is now. The mark is read before the
// contract, so that of two who write it at once the one that has read the older contract fails, and tries again.
func (c *Contracts) markCounterparty(ctx context.Context, reference string) error {
	owner := request.OrganisationFrom(ctx).Name()
	if owner == "" {
		return nil
	}
	contract := owner + keySeparator + reference
	for range mostTries {
		found, err := c.marksOf(ctx, markIndex, contract, 1)
		if err != nil {
			return err
		}
		k, err := c.Get(ctx, reference)
		if err != nil {
			return err
		}
		m := &mark{Owner: owner, Reference: reference}
		if len(found) > 0 {
			m = found[0]
		}
		if m.Counterparty == k.Counterparty {
			return nil
		}
		m.Counterparty = k.Counterparty
		if err = c.writeMark(ctx, contract, m); err == nil {
			continue // the contract may have changed since it was read
		}
		if _, taken := docstore.Duplicate(err); !taken && !errors.Is(err, docstore.ErrStale) {
			return err
		}
	}
	return errBusy
}

func (c *Contracts) writeMark(ctx context.Context, contract string, m *mark) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	doc := docstore.Document{ID: m.id, Version: m.version, Body: body, Keys: docstore.Keys{markIndex: contract}}
	if m.Counterparty != "" {
		doc.Keys[partyIndex] = m.Counterparty
		doc.Keys[soughtIndex] = m.Counterparty + keySeparator + m.Reference
	}
	who := request.OrganisationFrom(request.ForExchange(ctx))
	if m.version > 0 {
		return c.marks.Replace(ctx, who, doc, nil)
	}
	if doc.ID, err = docstore.NewID(uuid.UUID{}); err != nil {
		return err
	}
	return c.marks.Insert(ctx, who, doc)
}

// reader is an organisation that reads a contract of another one.
type reader struct{ organisation, key string }

type readerKey struct{}

// InSight returns the context in which a contract is read that the caller sees: its own context for a contract of its
// own and for one that it does not see, and one in the owner's name for a contract whose counterparty it is. foreign
// reports whether it is the latter.
func (c *Contracts) InSight(ctx context.Context, reference string) (as context.Context, foreign bool, err error) {
	who := request.OrganisationFrom(ctx)
	if who.Name() == "" {
		return ctx, false, nil
	}
	if own, err := c.find(ctx, reference); err != nil || own != nil {
		return ctx, false, err
	}
	found, err := c.marksOf(ctx, soughtIndex, who.Name()+keySeparator+reference, page)
	if err != nil {
		return ctx, false, err
	}
	for _, m := range found {
		if as, k, err := c.shared(ctx, m); err != nil || k != nil {
			return as, k != nil, err
		}
	}
	return ctx, false, nil
}

// shared returns the contract of a mark, if the caller is its counterparty, and the context in which it is read; nil if
// the caller is not.
func (c *Contracts) shared(ctx context.Context, m *mark) (as context.Context, k *Kept, err error) {
	caller := request.CallerFrom(ctx)
	if as, err = request.ForOwner(ctx, m.Owner); err != nil {
		return ctx, nil, err
	}
	as = context.WithValue(as, readerKey{}, reader{caller.Organisation.Name(), caller.Key()})
	k, err = c.find(as, m.Reference)
	if err != nil || k == nil || k.Counterparty != caller.Organisation.Name() {
		return ctx, nil, err
	}
	return as, k, nil
}

// Visible is a contract that the caller sees, and the context in which it is read.
type Visible struct {
	*Kept
	As context.Context
}

// InSightAll returns the contracts that the caller sees, by reference: its own, and those whose counterparty it is, up
// to MostShared. Of several of one reference it is the one that InSight finds.
func (c *Contracts) InSightAll(ctx context.Context) (all []Visible, err error) {
	own, err := c.All(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	add := func(k *Kept, as context.Context) {
		if !seen[k.Reference] {
			seen[k.Reference] = true
			all = append(all, Visible{k, as})
		}
	}
	for _, k := range own {
		add(k, ctx)
	}
	who := request.OrganisationFrom(ctx)
	if who.Name() == "" {
		return all, nil
	}
	found, err := c.marksOf(ctx, partyIndex, who.Name(), MostShared)
	if err != nil {
		return nil, err
	}
	for _, m := range found {
		as, k, err := c.shared(ctx, m)
		if stored, is := errors.AsType[*unreadable](err); is {
			c.log.ErrorContext(ctx, "a stored contract cannot be read, and is left out", "error", stored)
			continue
		}
		if err != nil {
			return nil, err
		}
		if k != nil {
			add(k, as)
		}
	}
	sortByReference(all)
	return all, nil
}

// Among returns the owners of those contracts of others, of some that are given by their references, whose counterparty
// the caller is and that InSight finds. Most organisations are the counterparty of few. So it first looks at the marks,
// and reads only contracts that have one, unless the caller has more than MostShared of them.
func (c *Contracts) Among(ctx context.Context, references []string) (owners map[string]string, err error) {
	who := request.OrganisationFrom(ctx)
	if who.Name() == "" {
		return nil, nil
	}
	found, err := c.marksOf(ctx, partyIndex, who.Name(), MostShared+1)
	if err != nil {
		return nil, err
	}
	marked := map[string]bool{}
	for _, m := range found {
		marked[m.Reference] = true
	}
	owners = map[string]string{}
	for _, reference := range references {
		if len(found) <= MostShared && !marked[reference] {
			continue
		}
		as, foreign, err := c.InSight(ctx, reference)
		if err != nil {
			return nil, err
		}
		if foreign {
			owners[reference] = request.OrganisationFrom(as).Name()
		}
	}
	return owners, nil
}

// CallerKey returns who sends a request, as request.Caller.Key does, also where it reads in the name of an owner.
func CallerKey(ctx context.Context) string {
	if r, is := ctx.Value(readerKey{}).(reader); is {
		return r.key
	}
	return request.CallerFrom(ctx).Key()
}

// AcknowledgedByAnother reports whether what is reported under the contract is acknowledged by another organisation
// than the caller's: the counterparty that the contract names, where organisations share the exchange.
func (k *Kept) AcknowledgedByAnother(ctx context.Context) bool {
	caller := request.OrganisationFrom(ctx).Name()
	if r, is := ctx.Value(readerKey{}).(reader); is {
		caller = r.organisation
	}
	return caller != "" && k.Counterparty != "" && k.Counterparty != caller
}

// person returns a person as a reader may see it: of another organisation than the reader's its organisation alone.
func person(ctx context.Context, key string) string {
	r, is := ctx.Value(readerKey{}).(reader)
	if !is {
		return key
	}
	if of, _, named := strings.Cut(key, " "); named && of != r.organisation {
		return of
	}
	return key
}

// Hide has what the caller is shown lack what is its owner's alone, where that is another organisation: of persons it
// names their organisation, and records are without what identifies. A person is in each member whose name ends with
// By, and a record in each scalar.JSON; what cannot be read as one is left out. shown is a pointer.
func Hide(ctx context.Context, shown any) {
	if _, is := ctx.Value(readerKey{}).(reader); is {
		hide(ctx, reflect.ValueOf(shown).Elem())
	}
}

func hide(ctx context.Context, of reflect.Value) {
	switch of.Kind() {
	case reflect.Pointer:
		if !of.IsNil() {
			hide(ctx, of.Elem())
		}
	case reflect.Slice:
		if record, is := of.Addr().Interface().(*scalar.JSON); is {
			*record, _ = sharing.Unidentified(*record)
			return
		}
		for i := range of.Len() {
			hide(ctx, of.Index(i))
		}
	case reflect.Struct:
		for field, member := range of.Fields() {
			if !member.CanSet() {
				continue
			}
			if member.Kind() == reflect.String && strings.HasSuffix(field.Name, "By") {
				member.SetString(person(ctx, member.String()))
			} else {
				hide(ctx, member)
			}
		}
	}
}
