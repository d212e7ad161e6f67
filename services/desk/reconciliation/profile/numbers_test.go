package profile_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestNumbersAndDates reads numbers by what their format shows.
func TestNumbersAndDates(t *testing.T) {
	t.Parallel()
	styles := `<styleSheet><numFmts>`
	formats := []string{"General", "00000", "0.00E+00", "0", "dd\\/mm\\/yyyy\\ hh:mm", "mmm\\-yy", "h:mm AM/PM",
		"[$-804]yyyy&quot;年&quot;m&quot;月&quot;d;@", "[h]:mm:ss.00", `#,##0.00\\ &quot;days&quot;`,
		"Standard"}
	var of strings.Builder
	for i, code := range formats {
		styles += fmt.Sprintf(`<numFmt numFmtId="%d" formatCode="%s"/>`, 200+i, code)
		fmt.Fprintf(&of, `<xf numFmtId="%d"/>`, 200+i)
	}
	parts := map[string]string{stylePart: styles + "</numFmts><cellXfs>" + of.String() + "</cellXfs></styleSheet>"}
	const (
		general = iota
		zeros
		scientific
		whole
		withTime
		monthAlone
		timeAlone
		chinese
		elapsed
		days
		standard
	)
	p := declared("xlsx", "Policy=policyNumber", "Date=date", "Gross=gross")
	for _, c := range []struct {
		policy, date, gross string // the attributes and the value of a cell
		style               [3]int
		want                string
	}{
		{"1234", "46037", "5", [3]int{zeros, withTime, general}, "01234 2026-01-15 5.00"},
		{"1234.0", "46037", "100.00000000000001", [3]int{general, monthAlone, days}, "1234 2026-01-15 100.00"},
		{"12345678901", "46037", "99.999999999999986", [3]int{general, chinese, general},
			"12345678901 2026-01-15 100.00"},
		{"1.2E+2", "46036.99999", "1.1E+2", [3]int{whole, withTime, scientific}, "120 2026-01-15 110.00"},
		{"123456789012", "46037.00001", "5", [3]int{whole, withTime, general}, "123456789012 2026-01-15 5.00"},
		{"123456789012", "46037", "5", [3]int{general, withTime, general}, "A2: is a number that is shown with an..."},
		{"12", "46037", "5", [3]int{scientific, withTime, general}, "A2: is a number that is shown with an..."},
		{"1234567890123456", "46037", "5", [3]int{whole, withTime, general}, "A2: is a number of more than 15..."},
		{"46037", "46037", "5", [3]int{withTime, withTime, general}, "A2: is a date, and no text"},
		{"1", "46037", "5", [3]int{general, general, general}, "B2: is a number, and not formatted as a date"},
		{"1", "46037", "5", [3]int{general, standard, general}, "B2: is a number, and not formatted as a date"},
		{"1", "46037.5", "5", [3]int{general, withTime, general}, "B2: has the time of day 12:00:00, and..."},
		{"1", "46036.9995", "5", [3]int{general, withTime, general}, "B2: has the time of day 23:59:16.8, and..."},
		{"1", "0.25", "5", [3]int{general, withTime, general}, "B2: is a time without a day"},
		{"1", "0.25", "5", [3]int{general, timeAlone, general}, "B2: is a time without a day"},
		{"1", "0.25", "5", [3]int{general, elapsed, general}, "B2: is a time without a day"},
		{"1", "0", "5", [3]int{general, withTime, general}, "B2: is shown as a date, and its number 0 is..."},
		{"1", "1", "5", [3]int{general, withTime, general}, "B2: is shown as a date, and its number 1 is..."},
		{"1", "60", "5", [3]int{general, withTime, general}, "B2: is shown as a date, and its number 60 is..."},
		{"1", "2", "5", [3]int{general, withTime, general}, "1 1900-01-02 5.00"},
		{"1", "59", "5", [3]int{general, withTime, general}, "1 1900-02-28 5.00"},
		{"1", "61", "5", [3]int{general, withTime, general}, "1 1900-03-01 5.00"},
		{"1", "2958466", "5", [3]int{general, withTime, general}, "B2: is shown as a date, and its number..."},
		{"1", "46037", "46037", [3]int{general, withTime, withTime}, "C2: is a date, and no amount"},
		{"1", "46037", "0x1p4", [3]int{general, withTime, general}, "C2: is no number"},
	} {
		row := ""
		for i, value := range []string{c.policy, c.date, c.gross} {
			row += fmt.Sprintf(`<c s="%d"><v>%s</v></c>`, c.style[i], value)
		}
		got, _ := lines(p, book(t, table("Policy,Date,Gross", row), parts))
		expect(t, fmt.Sprint(c), got, []string{"2 " + c.want})
	}
	for value, want := range map[string]string{
		"2026-01-15": "2 P 2026-01-15 5.00", "2026-01-15T00:00:00": "2 P 2026-01-15 5.00",
		"2026-01-14T23:59:59.5Z": "2 P 2026-01-15 5.00", "2026-01-15T06:00:00": "2 B2: has the time of day 06:00:00...",
		"06:00:00": "2 B2: is no date with a day...",
	} {
		got, _ := lines(p, book(t, table("Policy,Date,Gross", said("P")+`<c t="d"><v>`+value+`</v></c><c><v>5</v></c>`),
			nil))
		expect(t, value, got, []string{want})
	}
}

// TestDatesOfOthers reads days that exceljs has written in some zones, and amounts and dates as they come.
func TestDatesOfOthers(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{
		"UTC": "2 exceljs UTC 1980-01-15", "Europe-Berlin": "2 B2: has the time of day 23:00:00...",
		"Asia-Shanghai": "2 B2: has the time of day 16...", "America-New_York": "2 B2: has the time of day 05...",
	} {
		fieldFile{"ej-" + zone + ".xlsx", declared("xlsx", "name=policyNumber", "dob=date"), []string{want}}.check(t)
	}
	fieldFile{"i35-noise.xlsx", declared("xlsx", "address.postalCode=policyNumber", "sumInsuredBuilding=gross"),
		[]string{
			"2 N1 100.00", "3 N2 100.00", "4 N3 1000.00", "5 N4 250000.40"}}.check(t)
	grouped := declared("xlsx", premium...)
	grouped.GroupingMark = ","
	amounts, dates := []string{"2 POL-1 2026-01-15 1234.50"}, []string{}
	for row := 3; row <= 16; row++ {
		amounts = append(amounts, fmt.Sprintf("%d D%d: ...", row, row))
	}
	for row := 2; row <= 14; row++ {
		dates = append(dates, fmt.Sprintf("%d C%d: ...", row, row))
	}
	amounts[10] = "12 POL-1 2026-01-15 -5.00"
	dates[7], dates[12] = "9 POL-1 2026-01-15 10.00", "14 POL-1 2026-01-15 10.00"
	fieldFile{"r16-text.xlsx", grouped, amounts}.check(t)
	fieldFile{"r17-dates.xlsx", grouped, dates}.check(t)
	fieldFile{"r15-unrounded.xlsx", declared("xlsx", premium...), []string{
		"2 D2: has more than 2 digits behind the point", "3 D3: has more than 2 digits behind the point",
		"4 POL-1 2026-01-15 100.00", "5 POL-1 2026-01-15 110.00",
	}}.check(t)
}
