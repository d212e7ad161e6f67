package calendar_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/calendar"
	"insurance.example/exchange/pkg/chance"
)

// zones have summer time with gaps of an hour and of half an hour, at night and at midnight, offsets that cross 0, and
// none; Apia once left out a day.
var zones = []string{
	"UTC", "Europe/London", "Europe/Berlin", "America/New_York", "America/St_Johns", "America/Havana",
	"Atlantic/Azores", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kolkata",
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := calendar.Zone(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestZonesHaveTheNamesOfPlaces(t *testing.T) {
	for _, name := range append(zones, "America/Argentina/Buenos_Aires", "Antarctica/Troll") {
		if got := zone(t, name).String(); got != name {
			t.Errorf("%s is the zone %s", name, got)
		}
	}
	for _, name := range []string{
		"", "Local", "local", "utc", "Utc", "Z", "GMT", "CET", "EST5EDT", "EST", "GB", "Etc/GMT+5", "Etc/UTC", "+01:00",
		"Europe/Paris ", "Europe", "Europe/", "Europe/Nowhere", "Europe/../Europe/Paris", "right/Europe/Paris",
		"posix/Europe/Paris", "/etc/localtime", "europe/paris", "Europe/paris", strings.Repeat("Europe/", 1000),
	} {
		if _, err := calendar.Zone(name); err == nil || !strings.Contains(err.Error(), "Europe/London") {
			t.Errorf("%.40q: %v", name, err)
		}
	}
}

// TestAClockShowsWhatWasAskedFor compares with a clock that is watched for each quarter of an hour: what is asked for
// is when it first shows that time or a later one.
func TestAClockShowsWhatWasAskedFor(t *testing.T) {
	random := rand.New(rand.NewPCG(chance.Seed(t), 0))
	days := []calendar.Day{
		{Year: 2026, Month: 3, Day: 29}, {Year: 2026, Month: 10, Day: 25}, {Year: 2026, Month: 3, Day: 8},
		{Year: 2026, Month: 11, Day: 1}, {Year: 2026, Month: 4, Day: 5}, {Year: 2026, Month: 10, Day: 4},
		{Year: 2011, Month: 12, Day: 30}, {Year: 2011, Month: 12, Day: 31},
	}
	for range 100 {
		// Before 2012, clocks of St. John's changed at 00:01.
		year, month := 2012+random.IntN(60), time.Month(1+random.IntN(12))
		days = append(days, calendar.Day{Year: year, Month: month, Day: 1 + random.IntN(31)})
	}
	const step = 15 * time.Minute
	for _, name := range zones {
		zone := zone(t, name)
		for _, day := range days {
			for clock := time.Duration(0); clock < 24*time.Hour; clock += step {
				asked := time.Date(day.Year, day.Month, day.Day, 0, 0, 0, 0, time.UTC).Add(clock)
				want := asked.Add(-48 * time.Hour)
				for shown(want, zone).Before(asked) {
					want = want.Add(step)
				}
				if got := calendar.At(zone, day, clock); !got.Equal(want) {
					t.Fatalf("%v, %s in %s is %s, want %s", day, clock, name, got, want)
				}
				if of, passed := calendar.Of(zone, want); shown(want, zone).Equal(asked) &&
					!time.Date(of.Year, of.Month, of.Day, 0, 0, 0, int(passed), time.UTC).Equal(asked) {
					t.Fatalf("%s in %s is %v, %s", want, name, of, passed)
				}
			}
		}
	}
}

// shown returns what a clock of a zone shows, as an instant of UTC.
func shown(t time.Time, zone *time.Location) time.Time {
	_, offset := t.In(zone).Zone()
	return t.Add(time.Duration(offset) * time.Second)
}

func TestAMonthHasTheDayOrItsLast(t *testing.T) {
	of := func(year int, month time.Month, day int) calendar.Day {
		return calendar.Day{Year: year, Month: month, Day: day}
	}
	for _, c := range []struct {
		from        calendar.Day
		months, day int
		want        calendar.Day
	}{
		{of(2026, 1, 31), 1, 31, of(2026, 2, 28)},
		{of(2026, 2, 28), 1, 31, of(2026, 3, 31)},
		{of(2026, 2, 28), 24, 29, of(2028, 2, 29)},
		{of(2026, 11, 30), 3, 30, of(2027, 2, 28)},
		{of(2026, 1, 15), -1, 15, of(2025, 12, 15)},
		{of(2026, 12, 1), 1, 1, of(2027, 1, 1)},
	} {
		if got := c.from.InMonth(c.months, c.day); got != c.want {
			t.Errorf("day %d of %d months after %v is %v, want %v", c.day, c.months, c.from, got, c.want)
		}
		if got := c.want.Months(c.from); got != c.months {
			t.Errorf("%v is %d months after %v, want %d", c.want, got, c.from, c.months)
		}
	}
}
