package contract

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

const (
	// Most is the most contracts of an exchange, or of an organisation where several share one. To find the contract
	// of a policy all are read.
	Most = 500
	// page and pageBytes are how many, and how many bytes of them, are read at a time.
	page      = 100
	pageBytes = 1 << 20
)

// The collection of the contracts, and its indexes. Each has a slot, so that there are Most at most.
const (
	collection     = "contract"
	referenceIndex = "reference"
	slotIndex      = "slot"
)

// Contracts are the contracts of an exchange. They are safe for concurrent use, once Open has returned.
type Contracts struct {
	lines []string
	now   func() time.Time
	// zone is that of the exchange, which a new contract has unless it says another one.
	zone *time.Location
	log  *slog.Logger
	kept docstore.Collection
	// assigned are the policies that were assigned; see assignment.go.
	assigned docstore.Kept[assignment]
	// rules has the rules of all contracts; see rules.go.
	rules docstore.Kept[ruleBook]
	// marks are by which counterparties find contracts; see counterparty.go.
	marks docstore.Kept[mark]
}

// New returns the contracts of an exchange with some lines of insurance. Open prepares them. Stored contracts that
// cannot be read are logged.
func New(lines []string, now func() time.Time, zone *time.Location, log *slog.Logger) *Contracts {
	return &Contracts{lines: lines, now: now, zone: zone, log: log}
}

// Open prepares the collections. It is called once, before anything else is used.
func (c *Contracts) Open(ctx context.Context, store docstore.Store) (err error) {
	if c.kept, err = store.Collection(ctx, docstore.Spec{
		Name: collection, Unlogged: true,
		Indexes: []docstore.Index{{Name: referenceIndex, Unique: true}, {Name: slotIndex, Unique: true}},
	}); err != nil {
		return err
	}
	rules, err := store.Collection(ctx, ruleSpec())
	if err != nil {
		return err
	}
	c.rules = ruleBooks(rules)
	if err := c.openMarks(ctx, store); err != nil {
		return err
	}
	return c.openAssigned(ctx, store)
}

// Get returns a contract. Errors: problem.NotFound, those of the store.
func (c *Contracts) Get(ctx context.Context, reference string) (*Kept, error) {
	k, err := c.find(ctx, reference)
	if err == nil && k == nil {
		err = Unknown(reference)
	}
	return k, err
}

// Unknown returns the refusal of a reference that no contract has.
func Unknown(reference string) error {
	return problem.New(problem.NotFound, "There is no contract "+problem.Short(reference)+". PUT makes it.")
}

func (c *Contracts) find(ctx context.Context, reference string) (*Kept, error) {
	docs, err := c.kept.Find(ctx, request.OrganisationFrom(ctx), docstore.Query{
		Equal: docstore.Keys{referenceIndex: reference}, Limit: 1, WithState: true,
	})
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	k, err := c.read(docs[0])
	if err == nil {
		var book *ruleBook
		if book, err = c.ruleBook(ctx); err == nil {
			k.Until = book.until(k.Reference, k.Terms)
		}
	}
	return k, named(reference, err)
}

// All returns all contracts, by reference, but those that cannot be read, which are logged.
func (c *Contracts) All(ctx context.Context) ([]*Kept, error) {
	book, err := c.ruleBook(ctx)
	if err != nil {
		return nil, err
	}
	return c.under(ctx, book)
}

// under is All, where the rules of a book hold.
func (c *Contracts) under(ctx context.Context, book *ruleBook) (all []*Kept, err error) {
	q := docstore.Query{Limit: page, Bytes: pageBytes, WithState: true}
	for {
		docs, err := c.kept.Find(ctx, request.OrganisationFrom(ctx), q)
		if err != nil {
			return nil, err
		}
		whole := docstore.WithBodies(docs)
		for _, doc := range whole {
			q.After = doc.ID
			k, err := c.read(doc)
			if err != nil {
				c.log.ErrorContext(ctx, "a stored contract cannot be read, and is left out", "error", err)
				continue
			}
			if len(k.wrong) > 0 {
				c.log.WarnContext(ctx, "a stored contract could not be made today", "contract", k.Reference,
					"wrong", reasons(k.wrong))
			}
			k.Until = book.until(k.Reference, k.Terms)
			all = append(all, k)
		}
		if len(docs) < page && len(whole) == len(docs) {
			slices.SortFunc(all, func(a, b *Kept) int { return strings.Compare(a.Reference, b.Reference) })
			return all, nil
		}
	}
}

// Put makes a contract, or replaces one. meets checks the conditions of the request against the entity tag, and taken
// returns what the rule of a contract has taken into versions that are pending or stand. Errors: problem.Invalid,
// problems.ContractOverlap, problems.ContractInUse, problems.TooManyContracts, those of meets, of taken and of the
// store.
func (c *Contracts) Put(
	ctx context.Context, reference string, sent desk.ContractTerms, meets func(tag string) error,
	taken takes,
) (*Kept, error) {
	zone := sent.TimeZone
	set(&sent.TimeZone, c.zone.String())
	terms, err := Read(sent, c.lines)
	if err != nil {
		return nil, err
	}
	// Contracts that cannot be read have slots as well, which are not known.
	tried, of := 0, &claim{reference: reference, taken: taken}
	var k *Kept
	err = docstore.Again(func() error {
		book, err := c.ruleBook(ctx)
		if err != nil {
			return err
		}
		all, err := c.under(ctx, book)
		if err != nil {
			return err
		}
		var was *Kept
		if at := slices.IndexFunc(all, func(k *Kept) bool { return k.Reference == reference }); at >= 0 {
			was = all[at]
		} else if _, err := c.find(ctx, reference); err != nil {
			return err
		}
		if err := meets(was.Tag()); err != nil {
			return err
		}
		if sent.TimeZone = cmp.Or(zone, was.zone(), c.zone.String()); sent.TimeZone != terms.TimeZone {
			if terms, err = Read(sent, c.lines); err != nil {
				return err
			}
		}
		terms.Until = book.until(reference, terms)
		if err := allowed(terms, reference, was, all); err != nil {
			return err
		}
		if was != nil && was.Rule() != terms.Rule() {
			reported, err := taken(ctx, was)
			if err == nil {
				err = terms.Keeps(reported)
			}
			if err != nil {
				return err
			}
		}
		k = &Kept{Terms: terms, Reference: reference, Owner: request.OrganisationFrom(ctx).Name()}
		if was == nil {
			if len(all) >= Most {
				return problem.New(problems.TooManyContracts, fmt.Sprintf(
					"There are %d contracts, as many as there may be.", Most))
			}
			k.state = state{Reference: reference, Slot: free(all, tried), Money: map[string]int64{}}
		} else {
			k.id, k.Version, k.state = was.id, was.Version, was.state
		}
		k.set(request.CallerFrom(ctx).Key(), c.now(), was)
		if was == nil || was.Rule() != terms.Rule() {
			of.terms, of.was, of.all = terms, was, all
			err = c.claim(ctx, of, book)
		}
		if err == nil {
			err = c.write(ctx, k, was)
		}
		if index, _ := docstore.Duplicate(err); index == slotIndex {
			tried++
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return k, c.markCounterparty(ctx, reference)
}

// allowed refuses a contract that could take a policy of another one, or that changes what is approved.
func allowed(terms *Terms, reference string, was *Kept, all []*Kept) error {
	if was != nil && was.state.Approved && !was.SameUnits(terms) {
		return problem.New(problems.ContractInUse, "A bordereau of the contract is approved, so that its currency, "+
			"amountUnit, frequency, timeZone and quarterBegins stay. Make a new contract for what comes.")
	}
	for _, other := range all {
		if other.Reference != reference && other.overlaps(terms) {
			return overlap(other.Reference)
		}
	}
	return nil
}

// free returns a slot that no contract has. The first ones of these are passed over, as many as were tried.
func free(all []*Kept, tried int) int {
	slot := 0
	for ; ; slot++ {
		if slices.ContainsFunc(all, func(k *Kept) bool { return k.state.Slot == slot }) {
			continue
		}
		if tried == 0 {
			return slot
		}
		tried--
	}
}

// write stores a contract in place of the version that was read, or as a new document.
func (c *Contracts) write(ctx context.Context, k, was *Kept) error {
	body, err := json.Marshal(k.stored())
	if err != nil {
		return err
	}
	text, err := json.Marshal(k.state, json.Deterministic(true))
	if err != nil {
		return err
	}
	doc := docstore.Document{ID: k.id, Version: k.Version, Body: body, State: text,
		Keys: docstore.Keys{referenceIndex: k.Reference, slotIndex: strconv.Itoa(k.state.Slot)}}
	who := request.OrganisationFrom(ctx)
	if was == nil {
		err = docstore.InsertNew(ctx, c.kept, who, &doc)
		k.id = doc.ID
	} else {
		var former *docstore.Former
		if former, err = was.former(); err != nil {
			return err
		}
		err = c.kept.Replace(ctx, who, doc, former)
	}
	if err == nil {
		k.Version++
	}
	return err
}

// former returns the version as it is kept.
func (k *Kept) former() (*docstore.Former, error) {
	body, err := json.Marshal(k.stored())
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(k.state, json.Deterministic(true))
	return &docstore.Former{Version: k.Version, Body: body, State: text}, err
}

// note changes what the desk keeps about a contract.
func (c *Contracts) note(ctx context.Context, reference string, how func(*state)) error {
	return docstore.Again(func() error {
		was, err := c.Get(ctx, reference)
		if err != nil {
			return err
		}
		k := *was
		how(&k.state)
		return c.write(ctx, &k, was)
	})
}

// NoteApproved notes that a version of a bordereau is about to be approved, and returns the contract as it is then. A
// change of the contract that was under way is decided again.
func (c *Contracts) NoteApproved(ctx context.Context, reference string) (*Kept, error) {
	if err := c.note(ctx, reference, func(s *state) {
		s.Approved = true
		s.Approvals++
	}); err != nil {
		return nil, err
	}
	return c.Get(ctx, reference)
}
