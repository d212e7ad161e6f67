// Package period has the periods that bordereaux are reported for: months and quarters. They are those of a calendar;
// when they begin and end, a time zone says.
package period

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"insurance.example/exchange/pkg/calendar"
)

// Period is a month, a quarter of the calendar, or a quarter that is named by its first month. The zero Period is none.
type Period struct {
	year int
	// first is the first month, and months how many there are.
	first, months int
	// named says that a quarter is named by its first month.
	named bool
}

var form = regexp.MustCompile(`^([0-9]{4})-(?:(0[1-9]|1[0-2])(-3M)?|Q([1-4]))$`)

// Parse reads a month such as 2026-01, or a quarter such as 2026-Q1 or, named by its first month, 2026-02-3M.
func Parse(text string) (p Period, ok bool) {
	parts := form.FindStringSubmatch(text)
	if parts == nil {
		return p, false
	}
	p.year, _ = strconv.Atoi(parts[1])
	if p.year == 0 {
		return Period{}, false // no instant of it can be written
	}
	if parts[2] != "" {
		p.first, _ = strconv.Atoi(parts[2])
		p.months, p.named = 1, parts[3] != ""
		if p.named {
			p.months = 3
		}
	} else {
		quarter, _ := strconv.Atoi(parts[4])
		p.first, p.months = 3*quarter-2, 3
	}
	return p, true
}

// index returns the number of the first month, counted on from year to year.
func (p Period) index() int { return 12*p.year + p.first - 1 }

// moved returns the period whose first month is a number of months later.
func (p Period) moved(months int) Period {
	at := p.index() + months
	p.year, p.first = at/12, at%12+1
	return p
}

// Of returns the period of the same kind as p, and in one row with it, in which a day lies.
func (p Period) Of(d calendar.Day) Period {
	on := 12*d.Year + int(d.Month) - 1 - p.index()
	return p.moved(on - ((on%p.months)+p.months)%p.months)
}

// At returns the period of the same kind as p in which an instant lies in a zone.
func (p Period) At(t time.Time, zone *time.Location) Period {
	d, _ := calendar.Of(zone, t)
	return p.Of(d)
}

// Quarterly reports whether the period is a quarter, and Named whether it is named by its first month.
func (p Period) Quarterly() bool { return p.months == 3 }

// Named reports whether the period is a quarter that is named by its first month.
func (p Period) Named() bool { return p.named }

// InRow reports whether the period is of the same kind as another one, so that the one comes some periods after the
// other.
func (p Period) InRow(with Period) bool {
	return p.months == with.months && p.named == with.named && (p.index()-with.index())%p.months == 0
}

// From returns the first day of the period.
func (p Period) From() calendar.Day {
	return calendar.Day{Year: p.year, Month: time.Month(p.first), Day: 1}
}

// To returns the last day of the period.
func (p Period) To() calendar.Day { return p.Next().From().Add(-1) }

// Start returns the instant at which the period begins in a zone.
func (p Period) Start(zone *time.Location) time.Time { return calendar.At(zone, p.From(), 0) }

// End returns the instant at which the next period begins in a zone.
func (p Period) End(zone *time.Location) time.Time { return p.Next().Start(zone) }

// Next returns the period after p.
func (p Period) Next() Period { return p.moved(p.months) }

// Before returns the period before p.
func (p Period) Before() Period { return p.moved(-p.months) }

// Compare returns -1 if p begins before another period, 1 if it begins after it, and else 0.
func (p Period) Compare(other Period) int { return cmp.Compare(p.index(), other.index()) }

// Earlier reports whether p begins before another period.
func (p Period) Earlier(than Period) bool { return p.Compare(than) < 0 }

// EndsBefore reports whether p has ended when another period begins.
func (p Period) EndsBefore(other Period) bool { return p.index()+p.months <= other.index() }

// String returns the period as Parse reads it.
func (p Period) String() string {
	switch {
	case p.named:
		return fmt.Sprintf("%04d-%02d-3M", p.year, p.first)
	case p.months == 1:
		return fmt.Sprintf("%04d-%02d", p.year, p.first)
	}
	return fmt.Sprintf("%04d-Q%d", p.year, (p.first+2)/3)
}
