// Package calendar computes with the days, months and clocks of a time zone.
package calendar

import (
	"fmt"
	"regexp"
	"sync"
	"time"
	// The database of zones is part of the binary: an image has none, and all replicas must have the same zones.
	_ "time/tzdata"
)

// NoZone is what is to be given in place of what names no zone.
const NoZone = "UTC or the name of a zone of the IANA database, such as Europe/London or America/New_York"

// area is how the names of the zones of places begin. Other names of the database are former ones, and some of them are
// not what they seem: EST5EDT and CET are rules without a place, and the sign of Etc/GMT+5 is the reverse of that of an
// instant.
var area = regexp.MustCompile(
	`^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Za-z]`)

// zones are those that were read, by their names. There are no more than the database has.
var zones sync.Map

// Zone returns the time zone with a name.
func Zone(name string) (*time.Location, error) {
	if name == time.UTC.String() {
		return time.UTC, nil
	}
	if known, is := zones.Load(name); is {
		return known.(*time.Location), nil
	}
	if area.MatchString(name) {
		if zone, err := time.LoadLocation(name); err == nil {
			zones.Store(name, zone)
			return zone, nil
		}
	}
	return nil, fmt.Errorf("%q names no time zone; give "+NoZone, name)
}

// Day is a day of the calendar.
type Day struct {
	Year  int
	Month time.Month
	Day   int
}

// At returns the instant at which a clock of the zone shows a time of the day, given as what has passed on the clock
// since midnight. A time that the clock leaves out is the first instant after the gap; of one that it shows twice, it
// returns the earlier instant.
func At(zone *time.Location, d Day, clock time.Duration) time.Time {
	local := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Add(clock)
	at := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(),
		local.Nanosecond(), zone)
	began, ends := at.ZoneBounds()
	_, offset := at.Zone()
	// time.Date goes by the offset on one side of a change, without saying which.
	switch is := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(),
		time.UTC); {
	case is.After(local):
		return began
	case is.Before(local):
		return ends
	case began.IsZero():
		return at
	}
	_, before := began.Add(-1).Zone()
	if earlier := at.Add(time.Duration(offset-before) * time.Second); earlier.Before(began) {
		return earlier
	}
	return at
}

// Of returns the day that a calendar of the zone shows at an instant, and what has passed on its clock since midnight.
func Of(zone *time.Location, t time.Time) (Day, time.Duration) {
	t = t.In(zone)
	hour, minute, second := t.Clock()
	return Day{t.Year(), t.Month(), t.Day()}, time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute +
		time.Duration(second)*time.Second + time.Duration(t.Nanosecond())
}

// String returns the day as YYYY-MM-DD.
func (d Day) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// Add returns the day that is a number of days after d.
func (d Day) Add(days int) Day {
	on := time.Date(d.Year, d.Month, d.Day+days, 0, 0, 0, 0, time.UTC)
	return Day{on.Year(), on.Month(), on.Day()}
}

// InMonth returns the day of a month, given as a number of months after (or before) the month of d, that has the number
// day, or the last day of a month without it.
func (d Day) InMonth(months, day int) Day {
	last := time.Date(d.Year, d.Month+time.Month(months)+1, 0, 0, 0, 0, 0, time.UTC)
	return Day{last.Year(), last.Month(), min(day, last.Day())}
}

// Since returns how many days d is after other.
func (d Day) Since(other Day) int {
	from := time.Date(other.Year, other.Month, other.Day, 0, 0, 0, 0, time.UTC)
	return int(time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Sub(from) / (24 * time.Hour))
}

// Months returns how many months the month of d is after that of other.
func (d Day) Months(other Day) int { return (d.Year-other.Year)*12 + int(d.Month-other.Month) }
