// Package period has the periods that bordereaux are reported for: months and quarters, UTC.
package period

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Period is a month or a quarter. The zero Period is none.
type Period struct {
	year int
	// first is the first month, and months how many there are.
	first, months int
}

var form = regexp.MustCompile(`^([0-9]{4})-(?:(0[1-9]|1[0-2])|Q([1-4]))$`)

// Parse reads a month such as 2026-01, or a quarter such as 2026-Q1.
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
		p.months = 1
	} else {
		quarter, _ := strconv.Atoi(parts[3])
		p.first, p.months = 3*quarter-2, 3
	}
	return p, true
}

// At returns the period of the same length as p in which an instant lies.
func (p Period) At(t time.Time) Period {
	t = t.UTC()
	month := int(t.Month()) - 1
	return Period{t.Year(), month - month%p.months + 1, p.months}
}

// Quarterly reports whether the period is a quarter.
func (p Period) Quarterly() bool { return p.months == 3 }

// Start returns the instant at which the period begins, and End the one at which the next one does.
func (p Period) Start() time.Time {
	return time.Date(p.year, time.Month(p.first), 1, 0, 0, 0, 0, time.UTC)
}

// End returns the instant at which the next period begins.
func (p Period) End() time.Time { return p.Start().AddDate(0, p.months, 0) }

// Next returns the period after p.
func (p Period) Next() Period { return p.At(p.End()) }

// Before returns the period before p.
func (p Period) Before() Period { return p.At(p.Start().AddDate(0, 0, -1)) }

// Earlier reports whether p begins before another period.
func (p Period) Earlier(than Period) bool { return p.Start().Before(than.Start()) }

// String returns the period as Parse reads it.
func (p Period) String() string {
	if p.months == 1 {
		return fmt.Sprintf("%04d-%02d", p.year, p.first)
	}
	return fmt.Sprintf("%04d-Q%d", p.year, (p.first+2)/3)
}
