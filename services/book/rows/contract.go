package rows

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"zombiezen.com/go/sqlite"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/calendar"
	"insurance.example/exchange/services/book/figures"
)

// Owners returns the organisations that own policies of the book; the empty one for what has none.
func (b *Book) Owners() (owners []string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err = query(b.writer, "SELECT name FROM owner", func(s *sqlite.Stmt) error {
		owners = append(owners, s.ColumnText(0))
		return nil
	})
	return owners, err
}

// Contracts takes the contracts of an organisation and the policies that are assigned to them, by number. What has
// changed is due.
func (b *Book) Contracts(owner string, all []internalapi.BookedContract, assigned map[string]string) error {
	now, err := written(all)
	if err != nil {
		return err
	}
	return b.write(func() error {
		name := contractsOf(owner)
		was, err := stateOf(b.writer, name)
		if err != nil {
			return err
		}
		if was != now {
			if err := b.setState(name, now); err != nil {
				return err
			}
			if err := b.exec("INSERT OR IGNORE INTO due SELECT number FROM policy WHERE owner = ?", owner); err != nil {
				return err
			}
		}
		return b.assign(owner, assigned)
	})
}

func contractsOf(owner string) string { return "contracts " + owner }

// assign takes the policies that are assigned to contracts. A policy that was assigned once stays so.
func (b *Book) assign(owner string, assigned map[string]string) error {
	for number, contract := range assigned {
		changes := false
		err := query(b.writer, "INSERT INTO assignment VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET contract = "+
			"excluded.contract WHERE contract <> excluded.contract RETURNING 1", func(*sqlite.Stmt) error {
			changes = true
			return nil
		}, number, owner, contract)
		if err == nil && changes {
			err = b.due(number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// terms are the contracts of an organisation, as figures need them.
type terms struct {
	by map[string]*contractTerms
	// all are in the order of their references.
	all []*contractTerms
}

type contractTerms struct {
	internalapi.BookedContract
	figures.Terms
	year int
}

// termsOf returns the contracts of an organisation.
func termsOf(conn *sqlite.Conn, owner string) (*terms, error) {
	text, err := stateOf(conn, contractsOf(owner))
	t := &terms{by: map[string]*contractTerms{}}
	if err != nil || text == "" {
		return t, err
	}
	var booked []internalapi.BookedContract
	if err := json.Unmarshal([]byte(text), &booked); err != nil {
		return nil, err
	}
	for _, c := range booked {
		zone, err := calendar.Zone(c.TimeZone)
		if err != nil {
			return nil, err
		}
		commission, err := money.Parse(string(cmp.Or(c.CommissionPercentage, "0")))
		if err != nil {
			return nil, err
		}
		kept := &contractTerms{c, figures.Terms{UnitKnown: true, Zone: zone, Terms: money.Terms{Currency: c.Currency,
			Minor: c.AmountUnit == desk.Minor, Commission: commission}, Quarterly: c.Frequency == desk.Quarterly},
			c.YearOfAccount}
		if c.QuarterBegins == desk.InceptionQuarters {
			kept.QuarterFrom = figures.MonthOf(dayIn(c.Inception, zone), zone)
		}
		t.by[c.Reference], t.all = kept, append(t.all, kept)
	}
	return t, nil
}

// of returns the contract of a policy, which may be assigned to one; nil for none.
func (t *terms) of(p *policyFact, assigned string) *contractTerms {
	if assigned != "" {
		return t.by[assigned]
	}
	if p.First.IsZero() {
		return nil
	}
	if at := slices.IndexFunc(t.all, func(c *contractTerms) bool { return c.takes(p.Line, p.First) }); at >= 0 {
		return t.all[at]
	}
	return nil
}

// takes reports whether the rule of the contract takes a policy of a line that began at an instant.
func (c *contractTerms) takes(line string, inception time.Time) bool {
	until, ends := c.Until[line]
	return slices.Contains(c.Lines, line) && !inception.Before(c.From.Time()) && inception.Before(c.Before.Time()) &&
		(!ends || inception.Before(until.Time()))
}

// usual returns the terms of policies without a contract. Amounts of an unknown unit have no currency, so that they are
// added to no others.
func (d *defaults) usual() figures.Terms {
	t := figures.Terms{UnitKnown: d.amounts.Unit != "", Zone: d.zone}
	if t.UnitKnown {
		t.Terms = money.Terms{Currency: d.amounts.Currency, Minor: d.amounts.Unit == desk.Minor}
	}
	return t
}

// dayIn returns the instant at which a day begins; zero for none.
func dayIn(d scalar.Date, zone *time.Location) time.Time {
	day, err := time.ParseInLocation(time.DateOnly, string(d), zone)
	if err != nil {
		return time.Time{}
	}
	return day
}
