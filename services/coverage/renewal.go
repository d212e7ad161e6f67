package coverage

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/calendar"
)

// anchor is the day of the month and the time of the day, in the exchange's time zone, at which the terms of a chain of
// renewals begin: those of the first one. The last day of a month stands for a day that it does not have.
type anchor struct {
	Day int `json:"day"`
	// Clock is what has passed on a clock since midnight, in nanoseconds.
	Clock int64 `json:"clock"`
}

// chained is what is kept with a policy that a renewal has made: the anchor of its chain, and the term that the renewal
// gave it. If somebody has given it another term since, the anchor is that term's own.
type chained struct {
	anchor `json:",inline"`
	Begins scalar.DateTime `json:"begins"`
	Ends   scalar.DateTime `json:"ends"`
}

// short is by how much a term ends before its whole months have passed: not at all, a day, or up to a second.
type short struct {
	days int
	by   time.Duration
}

// wholeMonths is the length of a term of whole months.
type wholeMonths struct {
	anchor
	short
	// months is how many there are, and until the day on which they have passed.
	months int
	until  calendar.Day
}

// renewed returns the end of a term that begins at begins and is as long as that of a policy. A term of whole months in
// the exchange's zone has the same number of months; every other term has the same length to the nanosecond. aside is
// what is kept with the policy, and keep what is to be kept with the new one, if it begins when the old one ends.
func (e *environment) renewed(
	begins scalar.DateTime, old *coverage.Policy, aside jsontext.Value,
) (ends scalar.DateTime, keep jsontext.Value, err error) {
	from, begun, ended := begins.Time(), old.InceptionDate.Time(), old.ExpiryDate.Time()
	length, whole, err := lengthOf(e.zone, begun, ended, aside)
	if err != nil {
		return ends, nil, err
	}
	if !whole {
		// In seconds, because a time.Duration cannot hold more than 292 years.
		seconds, nanoseconds := ended.Unix()-begun.Unix(), ended.Nanosecond()-begun.Nanosecond()
		return scalar.Instant(time.Unix(from.Unix()+seconds, int64(from.Nanosecond()+nanoseconds))), nil, nil
	}
	if !from.Equal(ended) {
		first, clock := calendar.Of(e.zone, from)
		length.anchor, length.until = anchor{first.Day, int64(clock)}, first
	}
	ends = scalar.Instant(length.end(e.zone, length.until, length.months, length.short))
	if !ends.InRange() {
		return ends, nil, nil // the check of the term refuses it
	}
	keep, err = json.Marshal(chained{length.anchor, begins, ends})
	return ends, keep, err
}

// end returns the end of a term whose months have passed a number of months after the month of a day.
func (a anchor) end(zone *time.Location, from calendar.Day, months int, s short) time.Time {
	return calendar.At(zone, from.InMonth(months, a.Day).Add(-s.days), time.Duration(a.Clock)).Add(-s.by)
}

// lengthOf returns the length of a term of whole months. whole is false for any other term.
func lengthOf(
	zone *time.Location, begun, ended time.Time, aside jsontext.Value,
) (length wholeMonths, whole bool, err error) {
	var kept chained
	if len(aside) > 0 {
		if err := json.Unmarshal(aside, &kept); err != nil {
			return length, false, err
		}
	}
	if kept.Begins.Time().Equal(begun) && kept.Ends.Time().Equal(ended) {
		length, whole = inMonths(zone, begun, ended, &kept.anchor)
	}
	if !whole {
		length, whole = inMonths(zone, begun, ended, nil)
	}
	return length, whole, nil
}

// inMonths returns the length of a term of whole months. In a chain, the term begins as it ends, on the chain's anchor
// or short of it; else it begins on its own.
func inMonths(zone *time.Location, begun, ended time.Time, chain *anchor) (length wholeMonths, whole bool) {
	first, clock := calendar.Of(zone, begun)
	last, _ := calendar.Of(zone, ended)
	later, _ := calendar.Of(zone, ended.Add(time.Second))
	for _, c := range []struct {
		until   calendar.Day
		days    int
		seconds bool
	}{{until: last}, {until: last, seconds: true}, {until: later, seconds: true}, {until: last.Add(1), days: 1}} {
		of := wholeMonths{until: c.until, short: short{days: c.days}}
		of.anchor = anchor{max(first.Day, c.until.Day), int64(clock)}
		if chain != nil {
			of.anchor = *chain
		}
		if c.seconds {
			if of.by = of.end(zone, of.until, 0, short{}).Sub(ended); of.by <= 0 || of.by > time.Second {
				continue
			}
		}
		from, begins := first, first == first.InMonth(0, of.Day)
		if chain != nil {
			from, _ = calendar.Of(zone, begun.Add(of.by))
			from = from.Add(of.days)
			begins = of.end(zone, from, 0, of.short).Equal(begun)
		}
		if of.months = of.until.Months(from); begins && of.months > 0 &&
			of.end(zone, of.until, 0, of.short).Equal(ended) {
			return of, true
		}
	}
	return length, false
}
