package coverage

import (
	"time"

	"insurance.example/exchange/contracts/scalar"
)

// renewedUntil returns the end of a term that begins at begins and is as long as the term from begun to ended. A term
// of whole months (or years) has the same number of months. Every other term has the same length to the nanosecond.
func renewedUntil(begins, begun, ended scalar.DateTime) scalar.DateTime {
	day, months := calendarLength(begun.Time(), ended.Time())
	from := begins.Time()
	switch {
	case months == 0:
		// In seconds, because a time.Duration cannot hold more than 292 years.
		seconds := ended.Time().Unix() - begun.Time().Unix()
		nanoseconds := ended.Time().Nanosecond() - begun.Time().Nanosecond()
		return scalar.Instant(time.Unix(from.Unix()+seconds, int64(from.Nanosecond()+nanoseconds)))
	case from.Equal(ended.Time()):
		return scalar.Instant(onDay(from, months, day))
	default:
		return scalar.Instant(onDay(from, months, from.Day()))
	}
}

// calendarLength returns how many whole months a term has, and the day of the month on which it begins and ends. In a
// month without that day it begins or ends on the last day: a term from 31 January to 28 February has one month, and
// its day is 31. The months are 0 if the term does not consist of whole months.
func calendarLength(begun, ended time.Time) (day, months int) {
	day = max(begun.Day(), ended.Day())
	months = (ended.Year()-begun.Year())*12 + int(ended.Month()) - int(begun.Month())
	if onDay(begun, 0, day).Equal(begun) && onDay(begun, months, day).Equal(ended) {
		return day, months
	}
	return 0, 0
}

// onDay returns the instant a number of months after t, on the given day of the month, or on the last day if the
// month does not have that day.
func onDay(t time.Time, months, day int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, t.Hour(), t.Minute(), t.Second(),
		t.Nanosecond(), time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(day, last)-1)
}
