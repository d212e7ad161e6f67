package profile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/sheet"
)

// form is a form of dates in a text. Its groups have the names year, month, named, day, hour, minute and second.
type form struct{ text *regexp.Regexp }

// parts are what a form is made of, the longer ones first.
var parts = []struct{ name, group string }{
	{"hh:mm:ss", `(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.[0-9]{1,9})?Z?`},
	{"hh:mm", `(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})`},
	{"yyyy", `(?P<year>[0-9]{4})`}, {"yy", `(?P<year>[0-9]{2})`},
	{"mmm", `(?P<named>\p{L}{3,})\.?`}, {"mm", `(?P<month>[0-9]{2})`}, {"m", `(?P<month>[0-9]{1,2})`},
	{"dd", `(?P<day>[0-9]{2})`}, {"d", `(?P<day>[0-9]{1,2})`},
}

// formOf returns the form that is written as one, such as dd-mmm-yyyy.
func formOf(written string) (form, error) {
	text, rest, before := `(?i)^`, strings.ToLower(written), ""
	for rest != "" {
		at := slices.IndexFunc(parts, func(of struct{ name, group string }) bool {
			return strings.HasPrefix(rest, of.name)
		})
		if at < 0 {
			if !strings.ContainsAny(rest[:1], " -./,t") {
				return form{}, errors.New("has a character that is neither a part of a date nor stands between two")
			}
			text, rest, before = text+regexp.QuoteMeta(rest[:1]), rest[1:], ""
			continue
		}
		name := parts[at].name
		if strings.Contains(text, "?P<hour>") || (len(name) == 1 && before != "" || len(before) == 1) {
			return form{}, errors.New("has numbers of one or two digits with nothing between them, or a date behind " +
				"a time")
		}
		text, rest, before = text+parts[at].group, rest[len(name):], name
	}
	for _, of := range []string{"<year>", "<day>"} {
		if strings.Count(text, of) != 1 {
			return form{}, errors.New("must have a year, a month and a day once each")
		}
	}
	if strings.Count(text, "<month>")+strings.Count(text, "<named>") != 1 {
		return form{}, errors.New("must have a year, a month and a day once each")
	}
	return form{regexp.MustCompile(text + `$`)}, nil
}

// short reports whether a form has a year of two digits.
func (f form) short() bool { return strings.Contains(f.text.String(), "(?P<year>[0-9]{2})") }

// months are the names of the months, those of Austria among them. A beginning of three letters or more stands for one.
var months = [][]string{
	{"january", "januar", "jänner"}, {"february", "februar", "feber"}, {"march", "märz", "maerz", "mrz"}, {"april"},
	{"may", "mai"}, {"june", "juni"}, {"july", "juli"}, {"august"}, {"september"}, {"october", "oktober"}, {"november"},
	{"december", "dezember"},
}

// monthOf returns the number of a month by its name; 0 for what is none.
func monthOf(name string) int {
	name = cases.Fold().String(name)
	return 1 + slices.IndexFunc(months, func(of []string) bool {
		return slices.ContainsFunc(of, func(whole string) bool { return strings.HasPrefix(whole, name) })
	})
}

// read returns the day that a text names, and whether it has a time of day other than midnight.
func (f form) read(text string, pivot int) (day time.Time, timed, is bool) {
	of := f.text.FindStringSubmatch(norm.NFC.String(text))
	if of == nil {
		return day, false, false
	}
	number := func(name string) int {
		if at := f.text.SubexpIndex(name); at >= 0 {
			n, _ := strconv.Atoi(of[at]) // digits
			return n
		}
		return 0
	}
	year, month := number("year"), number("month")
	if len(of[f.text.SubexpIndex("year")]) == 2 {
		year += 2000
		if year >= 2000+pivot {
			year -= 100
		}
	}
	if at := f.text.SubexpIndex("named"); at >= 0 {
		month = monthOf(of[at])
	}
	day = time.Date(year, time.Month(month), number("day"), 0, 0, 0, 0, time.UTC)
	is = int(day.Month()) == month && day.Day() == number("day") && day.Year() == year
	is = is && number("hour") < 24 && number("minute") < 60 && number("second") < 60
	return day, number("hour")+number("minute")+number("second") > 0, is
}

// day returns the date of a cell as p declares it, and why it cannot be read.
func (r *reader) day(cell sheet.Cell) (d time.Time, reason string) {
	value, reason := kept(cell)
	if reason != "" {
		return d, reason
	}
	cut := r.p.TimeOfDay == reconciliation.CutTime
	switch {
	case cell.Kind == sheet.Number:
		return d, "is a number, and not formatted as a date"
	case cell.Kind == sheet.Moment && !cut:
		return d, "has the time of day " + strings.SplitN(value, "T", 2)[1] + ", and a date has none"
	case cell.Kind == sheet.Moment:
		value, _, _ = strings.Cut(value, "T")
		fallthrough
	case cell.Kind == sheet.Day:
		d, err := time.Parse(time.DateOnly, value)
		if err != nil {
			return d, "is no day of the calendar"
		}
		return d, ""
	case len(r.forms) == 0:
		return day(r.p, value)
	}
	read := 0
	for _, f := range r.forms {
		on, timed, is := f.read(value, r.pivot)
		switch {
		case !is:
			continue
		case timed && !cut:
			return d, "has a time of day, and a date has none"
		case read > 0 && !on.Equal(d):
			return d, "can be read in two ways by the forms that the profile declares"
		}
		d, read = on, read+1
	}
	if read == 0 {
		return d, fmt.Sprintf("is no date in a form that the profile declares (%s)", strings.Join(r.p.DateForms, ", "))
	}
	return d, ""
}

var (
	yearFirst = regexp.MustCompile(`^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})$`)
	ordered   = regexp.MustCompile(`^([0-9]{1,4})([-./ ])([0-9]{1,2})([-./ ])([0-9]{1,4})$`)
)

// day returns the date that a text has in the order that p declares, and why it cannot be read.
func day(p *reconciliation.FileProfileTerms, value string) (d time.Time, reason string) {
	if parts := yearFirst.FindStringSubmatch(value); parts != nil {
		return dateOf(parts[1], parts[2], parts[3])
	}
	parts := ordered.FindStringSubmatch(value)
	switch {
	case parts == nil || parts[2] != parts[4]:
		return d, "is no date in numbers, such as 2026-04-03"
	case p.DateOrder == "":
		return d, "can be read in two ways, because the profile does not declare dateOrder"
	case p.DateOrder == reconciliation.YearFirst:
		return dateOf(parts[1], parts[3], parts[5])
	case p.DateOrder == reconciliation.DayFirst:
		return dateOf(parts[5], parts[3], parts[1])
	}
	return dateOf(parts[5], parts[1], parts[3])
}

func dateOf(year, month, of string) (d time.Time, reason string) {
	if len(year) != 4 {
		return d, "has no year of four digits where the profile says that the year is"
	}
	d, err := time.Parse("2006-1-2", year+"-"+month+"-"+of)
	if err != nil {
		return d, "is no day of the calendar in the declared order"
	}
	return d, ""
}
