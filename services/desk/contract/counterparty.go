package contract

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
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

// mark says where the contract of an owner is found by its counterparty.
type mark struct {
	Owner        string `json:"owner"`
	Reference    string `json:"reference"`
	Counterparty string `json:"counterparty"`

	at docstore.At
}

func (c *Contracts) openMarks(ctx context.Context, store docstore.Store) error {
	in, err := store.Collection(ctx, docstore.Spec{
		Name: marks, Unlogged: true, Unowned: true,
		Indexes: []docstore.Index{{Name: markIndex, Unique: true}, {Name: partyIndex}, {Name: soughtIndex}},
	})
	c.marks = docstore.Kept[mark]{In: in, What: "mark", At: func(m *mark) *docstore.At { return &m.at },
		Keys: (*mark).keys}
	return err
}

func (m *mark) keys() docstore.Keys {
	keys := docstore.Keys{markIndex: m.Owner + keySeparator + m.Reference}
	if m.Counterparty != "" {
		keys[partyIndex] = m.Counterparty
		keys[soughtIndex] = m.Counterparty + keySeparator + m.Reference
	}
	return keys
}

// marksBy returns the marks that have some values.
func (c *Contracts) marksBy(ctx context.Context, equal docstore.Keys) ([]*mark, error) {
	return c.marks.All(ctx, request.OrganisationFrom(request.ForExchange(ctx)), equal)
}

// markCounterparty has the mark of the caller's contract say who its counterparty is now. The mark is read before the
// contract, so that of two who write it at once the one that has read the older contract fails, and tries again.
func (c *Contracts) markCounterparty(ctx context.Context, reference string) error {
	owner := request.OrganisationFrom(ctx).Name()
	if owner == "" {
		return nil
	}
	m := &mark{Owner: owner, Reference: reference}
	exchange := request.OrganisationFrom(request.ForExchange(ctx))
	return docstore.Again(func() error {
		is, err := c.marks.One(ctx, exchange, docstore.Keys{markIndex: m.keys()[markIndex]})
		if err != nil {
			return err
		}
		k, err := c.Get(ctx, reference)
		if err != nil {
			return err
		}
		if is != nil {
			m = is
		}
		if m.Counterparty == k.Counterparty {
			return nil
		}
		m.Counterparty = k.Counterparty
		if err = c.marks.Write(ctx, exchange, m, nil); err == nil {
			err = docstore.ErrStale // the contract may have changed since it was read
		}
		return err
	})
}

// reader is an organisation that reads a contract of another one.
type reader struct{ organisation, key string }

type readerKey struct{}

// InSight returns the context in which a contract is read that the caller sees: its own context for a contract of its
// own and for one that it does not see, and one in the owner's name for a contract of another organisation. foreign
// reports whether it is the latter. A reference is its owner's, so that several may have made a contract of it: owner
// says whose is meant. Without it that is the caller's own or, if it has none, the only one that it sees. Errors:
// problem.NotFound where the owner that is named has none that the caller sees, problem.Ambiguous.
func (c *Contracts) InSight(
	ctx context.Context, reference, owner string,
) (as context.Context, foreign bool, err error) {
	who := request.OrganisationFrom(ctx)
	if !who.Operates() {
		if owner == who.Name() {
			return ctx, false, nil
		}
		if owner == "" {
			if own, err := c.find(ctx, reference); err != nil || own != nil {
				return ctx, false, err
			}
		}
	}
	contracts, err := c.ofOthers(ctx, reference, owner)
	switch {
	case err != nil:
		return ctx, false, err
	case len(contracts) == 1:
		return contracts[0].As, true, nil
	case len(contracts) > 1:
		return ctx, false, ambiguous(reference, contracts)
	case owner != "":
		return ctx, false, Unknown(reference)
	}
	return ctx, false, nil
}

// ambiguous refuses a reference by which the caller sees contracts of several organisations.
func ambiguous(reference string, contracts []Visible) error {
	var owners []string
	for _, v := range contracts {
		owners = append(owners, v.Owner)
	}
	slices.Sort(owners)
	return problem.New(problem.Ambiguous, "Several organisations have a contract "+problem.Short(reference)+
		" that you see. Say whose is meant: ?owner="+owners[0]).With("owners", owners)
}

// mostNamed is how many contracts of one reference are looked at to find out whose is meant.
const mostNamed = 100

// ofOthers returns the contracts of others with a reference that the caller sees, those of one owner if it is named.
func (c *Contracts) ofOthers(ctx context.Context, reference, owner string) (contracts []Visible, err error) {
	who := request.OrganisationFrom(ctx)
	if who.Operates() {
		docs, err := c.kept.Find(ctx, who, docstore.Query{
			Equal: docstore.Keys{referenceIndex: reference}, Limit: mostNamed, WithState: true,
		})
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			if k, err := c.read(doc); err == nil && (owner == "" || owner == k.Owner) {
				as, err := request.ForOwner(ctx, k.Owner)
				if err != nil {
					return nil, err
				}
				contracts = append(contracts, Visible{k, as})
			}
		}
		return contracts, nil
	}
	if who.Name() == "" {
		return nil, nil
	}
	equal := docstore.Keys{soughtIndex: who.Name() + keySeparator + reference}
	if owner != "" {
		equal[markIndex] = owner + keySeparator + reference
	}
	marks, err := c.marksBy(ctx, equal)
	if err != nil {
		return nil, err
	}
	for _, m := range marks {
		v, err := c.shared(ctx, m)
		if err != nil && len(marks) == 1 {
			return nil, err
		}
		if contracts, err = c.add(ctx, contracts, v, err); err != nil {
			return nil, err
		}
	}
	return contracts, nil
}

// add adds a contract that the caller sees to others. What cannot be read is left out, and logged.
func (c *Contracts) add(ctx context.Context, to []Visible, v Visible, failed error) ([]Visible, error) {
	if stored, is := errors.AsType[*unreadable](failed); is {
		c.log.ErrorContext(ctx, "a stored contract cannot be read, and is left out", "error", stored)
		return to, nil
	}
	if failed == nil && v.Kept != nil {
		to = append(to, v)
	}
	return to, failed
}

// shared returns the contract of a mark, if the caller is its counterparty; nothing if it is not.
func (c *Contracts) shared(ctx context.Context, m *mark) (Visible, error) {
	caller := request.CallerFrom(ctx)
	if m.Owner == caller.Organisation.Name() {
		return Visible{}, nil
	}
	as, err := AsReader(ctx, m.Owner)
	if err != nil {
		return Visible{}, err
	}
	k, err := c.find(as, m.Reference)
	if err != nil || k == nil || k.Counterparty != caller.Organisation.Name() {
		return Visible{}, err
	}
	return Visible{k, as}, nil
}

// AsReader returns a context in which the caller reads what another organisation owns, in that one's name. Errors:
// organisation.ErrName.
func AsReader(ctx context.Context, owner string) (context.Context, error) {
	caller := request.CallerFrom(ctx)
	as, err := request.ForOwner(ctx, owner)
	if err != nil {
		return nil, err
	}
	return context.WithValue(as, readerKey{}, reader{caller.Organisation.Name(), caller.Key()}), nil
}

// Visible is a contract that the caller sees, and the context in which it is read.
type Visible struct {
	*Kept
	As context.Context
}

// Place is where a list has the contract: by its reference and, among those of one, by the organisation that owns it.
func (v Visible) Place() string {
	if v.Owner == "" {
		return v.Reference
	}
	return v.Reference + keySeparator + v.Owner
}

// InSightAll returns the contracts that the caller sees, by reference and owner: its own, and those whose counterparty
// it is.
func (c *Contracts) InSightAll(ctx context.Context) (all []Visible, err error) {
	own, err := c.All(ctx)
	if err != nil {
		return nil, err
	}
	who := request.OrganisationFrom(ctx)
	for _, k := range own {
		as := ctx
		if who.Operates() {
			if as, err = request.ForOwner(ctx, k.Owner); err != nil {
				return nil, err
			}
		}
		all = append(all, Visible{k, as})
	}
	if who.Name() != "" {
		marks, err := c.marksBy(ctx, docstore.Keys{partyIndex: who.Name()})
		if err != nil {
			return nil, err
		}
		for _, m := range marks {
			v, err := c.shared(ctx, m)
			if all, err = c.add(ctx, all, v, err); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(all, func(a, b Visible) int { return strings.Compare(a.Place(), b.Place()) })
	return all, nil
}

// Among returns the contracts of others with some references whose counterparty the caller is.
func (c *Contracts) Among(ctx context.Context, references []string) (contracts []Visible, err error) {
	for _, reference := range slices.Compact(slices.Sorted(slices.Values(references))) {
		of, err := c.ofOthers(ctx, reference, "")
		if err != nil {
			return nil, err
		}
		contracts = append(contracts, of...)
	}
	return contracts, nil
}

// ShowsDrafts reports whether the caller sees what is reported under the contract before it is approved. Its
// counterparty does only if the contract says so.
func (k *Kept) ShowsDrafts(ctx context.Context) bool {
	_, counterparty := ctx.Value(readerKey{}).(reader)
	return k.Preview || !counterparty
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
			*record, _ = internalapi.Unidentified(*record)
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
