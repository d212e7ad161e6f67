package shared

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// The rights that a participant of a policy may have. Each participant has ReadRight.
const (
	ReadRight    = "read"
	ClaimsRight  = "claims"
	PremiumRight = "premium"
	// OwnerRight is what a participant never has. A refusal names it where only the owner of a policy may do something.
	OwnerRight = "owner"
)

// Participant is an organisation with which a policy is shared, and its rights.
type Participant struct {
	Organisation string   `json:"organisation"`
	Rights       []string `json:"rights"`
}

// MayParticipate reports whether an organisation can have a name.
func MayParticipate(name string) bool {
	_, err := organisation.Named(name)
	return err == nil
}

// List is the access list of a policy, as a service keeps it beside its records.
type List struct {
	PolicyNumber string `json:"policyNumber"`
	// Owner is the organisation that owns the policy.
	Owner string `json:"owner"`
	// Sequence is the number of the change that wrote the list last. Later changes have greater ones.
	Sequence int64 `json:"sequence"`
	// Unfinished says that the change has not been made everywhere yet, or has stopped.
	Unfinished bool `json:"unfinished,omitzero"`
	// Participants are those who have rights now.
	Participants []Participant `json:"participants"`
	// Edition counts the changes that were made everywhere. By and At say who asked for the last of them, and when.
	Edition int64     `json:"edition"`
	By      string    `json:"by,omitzero"`
	At      time.Time `json:"at,omitzero"`

	id      uuid.UUID
	version int64
}

// Has reports whether an organisation has a right by the list. The owner has all.
func (l *List) Has(who organisation.ID, right string) bool {
	if l == nil {
		return false
	}
	return l.Owner == who.Name() || slices.ContainsFunc(l.Participants, func(p Participant) bool {
		return p.Organisation == who.Name() && slices.Contains(p.Rights, right)
	})
}

// others returns the names of the participants that are not the owner.
func (l *List) others() (names []string) {
	for _, p := range l.Participants {
		if p.Organisation != l.Owner {
			names = append(names, p.Organisation)
		}
	}
	return names
}

// lacks returns the right that an organisation lacks to write what is under the policy: empty if it has it, and
// OwnerRight if no participant may. seen reports whether it sees the policy.
func (l *List) lacks(who organisation.ID, right string) (lacked string, seen bool) {
	switch {
	case !l.Has(who, ReadRight):
		return "", false
	case right == "" && l.Owner != who.Name():
		return OwnerRight, true
	case !l.Has(who, right):
		return right, true
	}
	return "", true
}

// Change is a change of the access list of a policy. Each service makes it in two steps.
type Change struct {
	PolicyNumber string `json:"policyNumber"`
	Owner        string `json:"owner"`
	// After is the sequence of the list that the change is to follow, where the service is the first to make it; the
	// service then gives it its sequence.
	After *int64 `json:"after,omitempty"`
	// Sequence is the number of the change, for the services that make it later.
	Sequence int64 `json:"sequence,omitzero"`
	// Grant says that the step is the second one: until then nobody has a right that the list before did not give.
	Grant        bool          `json:"grant,omitzero"`
	Participants []Participant `json:"participants"`
	By           string        `json:"by,omitzero"`
	At           time.Time     `json:"at,omitzero"`
}

// ErrPassed means that another change of the list came before.
var ErrPassed = errors.New("shared: another change of the access list came before")

// The collections of the lists. The documents are the exchange's own.
const (
	listCollection  = "accessList"
	policyIndex     = "policyNumber"
	grantCollection = "accessGrant"
	grantIndex      = "grant"
	toIndex         = "participant"
)

// Their specs.
var (
	listSpec = docstore.Spec{
		Name: listCollection, Unlogged: true, Unowned: true,
		Indexes: []docstore.Index{{Name: policyIndex, Unique: true}},
	}
	grantSpec = docstore.Spec{
		Name: grantCollection, Unlogged: true, Unowned: true,
		Indexes: []docstore.Index{{Name: grantIndex, Unique: true}, {Name: toIndex}, {Name: aboutIndex}},
	}
	stampSpec = docstore.Spec{
		Name: stampCollection, Unlogged: true, Unowned: true,
		Indexes: []docstore.Index{
			{Name: recordIndex, Unique: true}, {Name: valueIndex}, {Name: keyIndex}, {Name: aboutIndex},
		},
	}
)

// Lists are the access lists of the policies that are shared, as one service keeps them.
type Lists struct {
	now    func() time.Time
	lists  docstore.Collection
	grants docstore.Collection
	stamps docstore.Collection
	// refusals are those of participants; see refusal.go.
	refusals docstore.Kept[Refusal]
}

// OpenLists returns the access lists that a store keeps.
func OpenLists(ctx context.Context, store docstore.Store, now func() time.Time) (*Lists, error) {
	l := &Lists{now: now}
	var err error
	open := func(spec docstore.Spec) (opened docstore.Collection) {
		if err == nil {
			opened, err = store.Collection(ctx, spec)
		}
		return opened
	}
	l.lists, l.grants, l.stamps = open(listSpec), open(grantSpec), open(stampSpec)
	l.refusals = keptRefusals(open(refusalSpec))
	return l, err
}

// Of returns the access list of a policy as it is now, nil if it never had one.
func (l *Lists) Of(ctx context.Context, policyNumber string) (*List, error) {
	docs, err := l.lists.Find(ctx, everybody, docstore.Query{
		Equal: docstore.Keys{policyIndex: policyNumber}, Limit: 1,
	})
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	return readList(docs[0].Body, docs[0].ID, docs[0].Version)
}

// For returns the access list of a policy for an organisation: nil unless that is the owner of the policy, or a
// participant that has not refused the owner.
func (l *Lists) For(ctx context.Context, who organisation.ID, policyNumber string) (*List, error) {
	docs, err := l.lists.Find(ctx, everybody, docstore.Query{
		Equal: docstore.Keys{policyIndex: policyNumber}, Limit: 1,
	})
	// A list that does not have the name is not taken apart, so that it takes hardly longer than none.
	if err != nil || len(docs) == 0 || !bytes.Contains(docs[0].Body, []byte(`"`+who.Name()+`"`)) {
		return nil, err
	}
	list, err := readList(docs[0].Body, docs[0].ID, docs[0].Version)
	if err != nil || !list.Has(who, ReadRight) {
		return nil, err
	}
	if refused, err := l.refused(ctx, who, list.Owner); err != nil || refused {
		return nil, err
	}
	return list, nil
}

func readList(body []byte, id uuid.UUID, version int64) (*List, error) {
	list := &List{id: id, version: version}
	if err := json.Unmarshal(body, list); err != nil {
		return nil, fmt.Errorf("stored access list %s: %w", id, err)
	}
	return list, nil
}

// formersAtOnce is how many former lists are read at a time.
const formersAtOnce = 100

// At returns the access list of a policy as it was at an instant, nil if it had none then.
func (l *Lists) At(ctx context.Context, policyNumber string, at time.Time) (*List, error) {
	present, err := l.Of(ctx, policyNumber)
	if err != nil || present == nil {
		return nil, err
	}
	// A change under way, or one that stopped, is not in the history yet.
	if !present.Unfinished && !present.At.After(at) {
		return present, nil
	}
	var was *List
	for after := int64(0); ; {
		formers, err := l.lists.Formers(ctx, everybody, present.id, after, formersAtOnce)
		if err != nil || len(formers) == 0 {
			return was, err
		}
		for _, f := range formers {
			list, err := readList(f.State, present.id, f.Version)
			if err != nil {
				return nil, err
			}
			if !list.At.After(at) {
				was = list
			}
			after = f.Version
		}
	}
}

// Make makes a step of a change, and returns the list as it is then. A step that was made is not made again. Errors:
// ErrPassed, those of the store.
func (l *Lists) Make(ctx context.Context, c Change) (*List, error) {
	var stands *List
	err := docstore.Again(func() error {
		was, err := l.Of(ctx, c.PolicyNumber)
		if err != nil {
			return err
		}
		next, err := l.next(was, c)
		if stands = next; err != nil || next == nil {
			stands = was
			return err
		}
		return l.write(ctx, next, was)
	})
	return stands, err
}

// next returns the list that a step makes of a list; nil if the step was made. Errors: ErrPassed.
func (l *Lists) next(was *List, c Change) (*List, error) {
	if was == nil {
		was = &List{PolicyNumber: c.PolicyNumber, Owner: c.Owner, Participants: []Participant{}}
	}
	next := *was
	if was.Owner != c.Owner {
		return nil, fmt.Errorf("%w: the policy has another owner", docstore.ErrUnavailable)
	}
	switch {
	case c.After != nil && was.Sequence != *c.After, c.After == nil && was.Sequence > c.Sequence:
		return nil, ErrPassed
	case c.Grant && was.Sequence != c.Sequence:
		return nil, ErrPassed // the first step was not made here
	case c.Grant:
		next.Participants = c.Participants
	case c.After != nil:
		// By the clock, so that the numbers go on where a database was restored to what it was before.
		next.Sequence = max(was.Sequence+1, l.now().UnixMicro())
		next.Participants = common(was.Participants, c.Participants)
	case was.Sequence == c.Sequence:
		return nil, nil
	default:
		next.Sequence, next.Participants = c.Sequence, common(was.Participants, c.Participants)
	}
	// A list that is put again as it is stays finished. It gets a new sequence, so that no step comes after it which
	// was given up and is still under way.
	next.Unfinished = was.Unfinished || !equal(was.Participants, c.Participants)
	return &next, nil
}

// equal reports whether two lists give the same rights, in the same order.
func equal(a, b []Participant) bool {
	return slices.EqualFunc(a, b, func(p, q Participant) bool {
		return p.Organisation == q.Organisation && slices.Equal(p.Rights, q.Rights)
	})
}

// Finish notes that a change was made everywhere, and keeps the list that was finished before. Errors: ErrPassed,
// those of the store.
func (l *Lists) Finish(ctx context.Context, c Change) (*List, error) {
	was, err := l.Of(ctx, c.PolicyNumber)
	if err != nil {
		return nil, err
	}
	if was == nil || was.Sequence != c.Sequence {
		return nil, ErrPassed
	}
	if !was.Unfinished {
		return was, nil
	}
	next := *was
	next.Unfinished, next.Participants = false, c.Participants
	next.Edition++
	next.By, next.At = c.By, c.At
	err = l.write(ctx, &next, was)
	if errors.Is(err, docstore.ErrStale) {
		err = ErrPassed
	}
	return &next, err
}

// common returns the rights that two lists give.
func common(a, b []Participant) []Participant {
	both := []Participant{}
	for _, p := range a {
		at := slices.IndexFunc(b, func(q Participant) bool { return q.Organisation == p.Organisation })
		if at < 0 {
			continue
		}
		rights := slices.DeleteFunc(slices.Clone(p.Rights), func(right string) bool {
			return !slices.Contains(b[at].Rights, right)
		})
		both = append(both, Participant{p.Organisation, rights})
	}
	return both
}

// write stores a list in place of the one that was read; was is nil for a new one. The list that a finished one takes
// the place of is kept as its state, so that the history is read without the bodies.
func (l *Lists) write(ctx context.Context, list, was *List) (err error) {
	doc := docstore.Document{ID: list.id, Version: list.version, Keys: docstore.Keys{policyIndex: list.PolicyNumber}}
	if doc.Body, err = json.Marshal(list); err != nil {
		return err
	}
	// A list decides what is seen, so that those who look for faults have to find one that another program has changed.
	doc.Digest = docstore.NewDigest(list.version+1, doc.Body, nil, nil)
	if was == nil {
		err = docstore.InsertNew(ctx, l.lists, everybody, &doc)
		list.id, list.version = doc.ID, 1
		return err
	}
	var former *docstore.Former
	if list.Unfinished && !was.Unfinished {
		text, err := json.Marshal(was)
		if err != nil {
			return err
		}
		former = &docstore.Former{Version: was.version, Body: text, State: text}
	}
	if err = l.lists.Replace(ctx, everybody, doc, former); err == nil {
		list.version++
	}
	return err
}
