package book

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/contracts/desk"
)

// YearMonths is how many months a year has. The last one is still open at its end.
const YearMonths = 12

// ErrMoved is the error of a test clock that somebody else has moved while the year was being made.
var ErrMoved = errors.New("the test clock was moved past a month before its receipts were recorded, so that the year " +
	"would not be true; another --seed makes another year")

// YearContract returns the reference of the contract of a book that is made first. The instant at which it was set is
// the one at which its year began.
func YearContract(seed uint64) string { return reference(seed, motor) }

// year is a year of three contracts that is being made: the receipts and claims of each month are recorded while the
// clock of the exchange is in it, and then its bordereaux are prepared and approved.
type year struct {
	*chain
	began time.Time
	now   time.Time // what the clock of the exchange shows
	// whole says that an earlier run has made the year, so that nothing but its records is asked for.
	whole bool
	// policies, paid and claims are the records so far by the names of the story; paid has the last receipt.
	policies, paid, claims map[string]Record
	story                  Story
}

// Story is what is notable about a year.
type Story struct {
	// Notable has a sentence for each event, in the order of the months.
	Notable []string
	// Late is the month that has a late line, such as 2026-05.
	Late string
}

// Year makes a year of contracts that begins with the month of an instant. It moves the test clock of the exchange,
// which shows now. It calls months with the number of months made so far. Errors: those of Send and Read, ErrMoved.
func (b *Book) Year(ctx context.Context, began, now time.Time, months func(made int)) (*Story, error) {
	y := &year{
		chain: b.chain(ctx, fmt.Sprintf("year-%d", b.Seed), 0), began: began, now: now,
		policies: map[string]Record{}, paid: map[string]Record{}, claims: map[string]Record{},
	}
	y.open()
	for n := range YearMonths {
		y.until(n)
		if n > 0 {
			y.report(n - 1)
		}
		y.record(n)
		if y.err != nil {
			return nil, y.err
		}
		months(n + 1)
	}
	y.end()
	return &y.story, y.err
}

// month returns the first instant of a month of the year, from 0.
func (y *year) month(n int) time.Time {
	return time.Date(y.began.Year(), y.began.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
}

// work returns the instant in a month at which the book reports the month before, and records what happens in the
// month.
func (y *year) work(n int) time.Time {
	if n == 0 {
		return y.began
	}
	return y.month(n).AddDate(0, 0, 1).Add(9 * time.Hour)
}

// named returns how a month is named in a bordereau.
func (y *year) named(n int) string { return monthOf(y.month(n)) }

// quarter returns how the quarter of a month is named in a bordereau.
func (y *year) quarter(n int) string {
	at := y.month(n)
	return fmt.Sprintf("%d-Q%d", at.Year(), (int(at.Month())+2)/3)
}

// tell adds a sentence about a month to the story.
func (y *year) tell(n int, format string, args ...any) {
	y.story.Notable = append(y.story.Notable, y.named(n)+": "+fmt.Sprintf(format, args...))
}

// open makes the contracts, and the policies that belong to them.
func (y *year) open() {
	for i, c := range contracts {
		y.agree(reference(y.Seed, c.name), y.termsOf(i, c))
	}
	terms, _ := y.find("/x/contract/" + reference(y.Seed, travel))["contract"].(map[string]any)
	y.whole = terms["signOff"] == desk.TwoPersons
	for i, p := range policies {
		y.policies[p.name] = y.insure(i, p)
		if p.joins == 0 {
			y.join(p)
		}
	}
}

// join assigns a policy to its contract.
func (y *year) join(p policy) {
	if !y.whole {
		y.assign(reference(y.Seed, p.contract), y.numberOf(p.name))
	}
}

// until moves the clock to a month. What is recorded in a month must be recorded before the clock leaves it.
func (y *year) until(n int) {
	if y.whole || y.err != nil {
		return
	}
	if at := y.work(n); y.now.Before(at) {
		moved := y.change("", "/x/clock:advance", Record{"to": instant(at)})
		if y.err == nil {
			y.now, y.err = time.Parse(time.RFC3339, moved.Text("now"))
		}
	}
	// An earlier run that was stopped after this month has left the clock at the work of the next, or has reported it.
	if y.now.Before(y.month(n+1)) || y.now.Equal(y.work(n+1)) || y.err != nil {
		return
	}
	all := versions(y.find(bordereau(reference(y.Seed, motor), desk.Premium, y.named(n))))
	if y.err == nil && len(all) == 0 {
		y.err = ErrMoved
	}
}

// report reports a month that is over, and a quarter that ends with it. The last quarter waits for the end of the year.
func (y *year) report(n int) {
	y.sign(false, y.named(n), true)
	if y.endsQuarter(n) && slices.ContainsFunc(y.over(n+1), y.endsQuarter) {
		y.sign(true, y.quarter(n), true)
	}
}

// over returns the months of the year that are over at its end, from one on.
func (y *year) over(from int) (all []int) {
	for n := from; n < YearMonths-1; n++ {
		all = append(all, n)
	}
	return all
}

func (y *year) endsQuarter(n int) bool { return y.month(n).Month()%3 == 0 }

// sign prepares the bordereaux of a period of the contracts that report each month or quarter, unless they are, and
// approves them if it is asked to. In a year that is whole, it leaves what others may have prepared since. Claims come
// first: until they are done, the exchange has added up the receipts of the month.
func (y *year) sign(quarterly bool, period string, approve bool) {
	for _, kind := range []string{desk.Claims, desk.Premium} {
		for _, c := range contracts {
			if c.quarterly == quarterly {
				y.prepare(bordereau(reference(y.Seed, c.name), kind, period), approve && !y.whole)
			}
		}
	}
}

// end leaves the last quarter for a second person to sign off. That the contract asks for two says that the year is
// whole, so that it is changed last.
func (y *year) end() {
	for _, n := range slices.Backward(y.over(0)) {
		if y.endsQuarter(n) {
			y.sign(true, y.quarter(n), false)
			y.tell(n, "the quarter of %s that ends here waits for a second person, who approves it",
				reference(y.Seed, travel))
			break
		}
	}
	y.state(10)
	for i, c := range contracts {
		if c.quarterly && !y.whole {
			terms := y.termsOf(i, c)
			terms["signOff"] = desk.TwoPersons
			y.carryOut("", "/x/contract/"+reference(y.Seed, c.name), "", terms)
		}
	}
	y.story.Late = y.named(late.joins)
	byMonth := func(a, b string) int { return strings.Compare(a[:len("2026-01")], b[:len("2026-01")]) }
	slices.SortStableFunc(y.story.Notable, byMonth)
}
