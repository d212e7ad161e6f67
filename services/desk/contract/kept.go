package contract

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
)

// mostSetters is how many persons who changed the money of a contract are remembered.
const mostSetters = 64

// Kept is a contract as it is stored.
type Kept struct {
	*Terms
	Reference string
	Version   int64
	// Owner is the organisation that has made it; empty where none shares the exchange.
	Owner string
	state state
	id    uuid.UUID
	// wrong is what no contract may have that is made today; another release may have stored it.
	wrong []problem.Violation
}

// state is what the desk keeps about a contract.
type state struct {
	Reference string    `json:"reference"`
	Slot      int       `json:"slot"`
	By        string    `json:"by"`
	At        time.Time `json:"at"`
	// Money maps who changed what amounts are computed by to the version that they made last.
	Money map[string]int64 `json:"money"`
	// Approved says that a version of a bordereau was approved, after which the units cannot be changed. Approvals
	// counts the approvals: a change of the contract that was decided before the last of them is decided again.
	Approved  bool  `json:"approved,omitzero"`
	Approvals int64 `json:"approvals,omitzero"`
	// Assigned counts the assignments of policies to the contract, and those away from it. Left counts the latter.
	Assigned int64 `json:"assigned,omitzero"`
	Left     int64 `json:"left,omitzero"`
	// Edition counts what callers have set. The version of the document also moves with the rest of the state.
	Edition int64 `json:"edition"`
	// Two is the last edition by which two persons sign off, 0 if there is none. Earlier releases did not keep it.
	Two *int64 `json:"two,omitzero"`
}

// Edition is the number of the contract's version as callers count them.
func (k *Kept) Edition() int64 { return k.state.Edition }

// Assigned is how often a policy was assigned to the contract, or away from it.
func (k *Kept) Assigned() int64 { return k.state.Assigned }

// Left is how often a policy was assigned away from the contract.
func (k *Kept) Left() int64 { return k.state.Left }

// ChangedMoney reports whether somebody has changed what amounts are computed by after an edition.
func (k *Kept) ChangedMoney(who string, after int64) bool { return k.state.Money[who] > after }

// TwoUntil returns the last edition of the contract by which two persons sign off; 0 if one always did. Of a contract
// that has changed before that was kept, every edition but the present one counts as such.
func (k *Kept) TwoUntil() int64 {
	switch {
	case k.SignOff != desk.OnePerson:
		return k.state.Edition
	case k.state.Two != nil:
		return *k.state.Two
	}
	return k.state.Edition - 1
}

// Shown returns the contract as its readers see it.
func (k *Kept) Shown() desk.ContractVersion {
	var words []string
	for _, w := range k.Warnings() {
		words = append(words, w.Words)
	}
	for _, v := range k.wrong {
		words = append(words, strings.TrimPrefix(v.Pointer, "/")+" "+v.Reason)
	}
	return desk.ContractVersion{Reference: k.Reference, Owner: k.Owner, Version: k.state.Edition, SetBy: k.state.By,
		SetAt: scalar.Instant(k.state.At), Contract: k.ContractTerms, Warnings: words}
}

// Tag returns the entity tag of what callers have set.
func (k *Kept) Tag() string {
	if k == nil {
		return ""
	}
	return fmt.Sprintf(`"%s-%d"`, k.id, k.state.Edition)
}

// set notes who set the contract.
func (k *Kept) set(by string, at time.Time, was *Kept) {
	k.state.By, k.state.At = by, at
	k.state.Edition++
	two := k.state.Edition
	if k.SignOff == desk.OnePerson {
		two = 0
		if was != nil {
			two = was.TwoUntil()
		}
	}
	k.state.Two = &two
	if was != nil && was.sameMoney(k.Terms) {
		return
	}
	money := map[string]int64{}
	for who, edition := range k.state.Money {
		money[who] = edition
	}
	money[by] = k.state.Edition
	for len(money) > mostSetters {
		oldest := by
		for who, edition := range money {
			if edition < money[oldest] {
				oldest = who
			}
		}
		delete(money, oldest)
	}
	k.state.Money = money
}

// zone returns the name of the time zone of a contract; empty for none.
func (k *Kept) zone() string {
	if k == nil {
		return ""
	}
	return k.TimeZone
}

// zoneMark is between the first period and the zone of a stored contract that has one.
const zoneMark = "@"

// stored returns the terms as they are stored. With a zone, the first period has it as well: a release that knows no
// zones cannot read that and leaves the contract alone, and else it would drop the zone when it notes something.
func (k *Kept) stored() desk.ContractTerms {
	terms := k.ContractTerms
	if k.Zone != time.UTC {
		terms.FirstPeriod += zoneMark + terms.TimeZone
	}
	return terms
}

// read returns a stored contract. One that could not be made today is read all the same, as long as the desk can work
// with it, and says what is wrong. Errors: *unreadable.
func (c *Contracts) read(doc docstore.Document) (*Kept, error) {
	k := &Kept{id: doc.ID, Version: doc.Version, Owner: doc.Owner}
	var sent desk.ContractTerms
	err := errors.Join(json.Unmarshal(doc.State, &k.state), json.Unmarshal(doc.Body, &sent))
	if err == nil {
		k.Reference = k.state.Reference
		sent.FirstPeriod, _, _ = strings.Cut(sent.FirstPeriod, zoneMark)
		var wrong *problem.Error
		if k.Terms, wrong = understand(sent, c.lines); k.works() {
			k.wrong = wrong.Violations
			return k, nil
		}
		err = errors.New(reasons(wrong.Violations)) // the caller has sent none of it, so that it is no problem of his
	}
	return nil, &unreadable{doc.ID, k.state.Reference, err}
}

// unreadable is the error of a stored contract that the desk cannot work with.
type unreadable struct {
	id        uuid.UUID
	reference string
	cause     error
}

func (u *unreadable) Error() string {
	return fmt.Sprintf("stored contract %s %s: %v", u.reference, u.id, u.cause)
}

// named returns the problem that an error of a contract is which was asked for by its reference.
func named(reference string, err error) error {
	if _, is := errors.AsType[*unreadable](err); !is {
		return err
	}
	return problem.New(problem.Altered, "The contract "+reference+" cannot be read as it is stored; the others can. "+
		"It is neither shown nor changed.").Because(err)
}

// reasons returns violations in words.
func reasons(violations []problem.Violation) string {
	var all []string
	for _, v := range violations {
		all = append(all, v.Pointer+" "+v.Reason)
	}
	return strings.Join(all, "; ")
}
