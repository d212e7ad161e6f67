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
func YearContract(seed uint64) string { return reference(seed, "MOTOR") }

// year is a year of three contracts that is being made: the receipts and claims of each month are recorded while the
// clock of the exchange is in it, and then its bordereaux are prepared and approved.
type year struct {
	*chain
	began time.Time
	now   time.Time // what the clock of the exchange shows
	// whole says that an earlier run has made the year, so that nothing but its records is asked for.
	whole bool
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
func (b *Book) Year(ctx context.Context, began, now time.Time, months func(count int)) (*Story, error) {
	y := &year{
		chain: b.chain(ctx, fmt.Sprintf("year-%d", b.Seed), 0), began: began, now: now,
	}
	y.open()
	for n := range YearMonths {
		y.until(n)
		if n > 0 {
			y.report(n - 1)
		}
		y.vars["on"] = y.work(n)
		y.tell(fmt.Sprint("month ", n))
		y.tell("instalments")
		if y.err != nil {
			return nil, y.err
		}
		months(n + 1)
	}
	y.end()
	byMonth := func(a, b string) int { return strings.Compare(a[:len("2026-01")], b[:len("2026-01")]) }
	slices.SortStableFunc(y.told, byMonth)
	return &Story{Notable: y.told, Late: y.named(4)}, y.err
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
func (y *year) named(n int) string { return month(y.month(n)) }

// open makes the contracts, and the policies that belong to them.
func (y *year) open() {
	y.vars["first"] = y.month(0)
	y.tell("year")
	y.whole = y.contract("TRAVEL")["signOff"] == desk.TwoPersons
	y.vars["whole"] = y.whole
	y.tell("policies")
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
	all := versions(y.find(y.bordereau("MOTOR", desk.Premium, y.named(n))))
	if y.err == nil && len(all) == 0 {
		y.err = ErrMoved
	}
}

// report reports a month that is over, and a quarter that ends with it. The last quarter waits for the end of the year.
func (y *year) report(n int) {
	y.sign(y.named(n), true, "MOTOR", "PROPERTY")
	if y.endsQuarter(n) && n != y.lastQuarter() {
		y.sign(quarter(y.month(n)), true, "TRAVEL")
	}
}

func (y *year) endsQuarter(n int) bool { return y.month(n).Month()%3 == 0 }

// lastQuarter returns the last month of the year that ends a quarter and is over at the end of the year.
func (y *year) lastQuarter() int {
	n := YearMonths - 2
	for !y.endsQuarter(n) {
		n--
	}
	return n
}

// sign prepares the bordereaux of a period of contracts, unless they are, and approves them if it is asked to. In a
// year that is whole, it leaves what others may have prepared since. Claims come first: until they are done, the
// exchange has added up the receipts of the month.
func (y *year) sign(period string, approve bool, contracts ...string) {
	for _, kind := range []string{desk.Claims, desk.Premium} {
		for _, name := range contracts {
			y.prepare(y.bordereau(name, kind, period), approve && !y.whole)
		}
	}
}

// end leaves the last quarter for a second person to sign off, and compares a broker's statement with a month.
func (y *year) end() {
	n := y.lastQuarter()
	y.sign(quarter(y.month(n)), false, "TRAVEL")
	y.vars["n"] = n
	y.tell("waits")
	y.tell("statement")
	if !y.whole {
		var said []Record
		stated, _ := y.vars["rows"].([]any)
		for _, row := range stated {
			said = append(said, row.(Record))
		}
		y.compare("BROKER", said,
			Record{"contract": YearContract(y.Seed), "kind": desk.Premium, "period": y.named(10)})
	}
	y.tell("ends")
}
