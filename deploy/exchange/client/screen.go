package client

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"insurance.example/exchange/deploy/exchange/client/table"
	"insurance.example/exchange/pkg/resource"
)

// widestCell is the greatest width of a cell on the screen, in characters. An identifier fits.
const widestCell = 36

// widthElsewhere is how wide a table is, in characters, where it is not written to a screen.
const widthElsewhere = 120

// screenTable writes records as a table for people to read. Its columns are those that were asked for, or those of the
// first page that fit on the screen.
type screenTable struct {
	w, notes io.Writer
	columns  table.Columns
	width    int // of the screen, in characters

	header []string // of what was asked for, before the first page
	widths []int
	left   []string // columns that did not fit
}

func newScreenTable(w, notes io.Writer, of resource.Resource) *screenTable {
	s := &screenTable{w: w, notes: notes, columns: table.Of(of), width: widthElsewhere}
	if file, is := w.(*os.File); is {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			s.width = width
		}
	}
	return s
}

func (s *screenTable) write(records []jsontext.Value) error {
	var rows []map[string]string
	occurring := map[string]bool{}
	for _, record := range records {
		cells, err := s.columns.Flatten(record)
		if err != nil {
			return fmt.Errorf("what the exchange returned is no record: %w", err)
		}
		row := map[string]string{}
		for _, cell := range cells {
			row[cell.Column], occurring[cell.Column] = Printable(table.Plain(cell.Value)), true
		}
		rows = append(rows, row)
	}
	if s.widths == nil {
		if len(rows) == 0 {
			return nil
		}
		s.fit(rows, occurring)
		if err := s.line(func(column string) string { return column }); err != nil {
			return err
		}
	}
	for _, row := range rows {
		if err := s.line(func(column string) string { return row[column] }); err != nil {
			return err
		}
	}
	return nil
}

// fit chooses the columns, unless they were asked for, and their widths.
func (s *screenTable) fit(rows []map[string]string, occurring map[string]bool) {
	widest := func(column string) int {
		width := uniseg.StringWidth(column)
		for _, row := range rows {
			width = max(width, min(uniseg.StringWidth(row[column]), widestCell))
		}
		return width
	}
	for _, column := range s.header {
		s.widths = append(s.widths, widest(column))
	}
	if s.widths != nil {
		return
	}
	total := 0
	for _, column := range s.ranked(rows, occurring) {
		if !occurring[column] {
			continue
		}
		width := widest(column)
		if len(s.header) > 0 && total+width > s.width {
			s.left = append(s.left, column)
			continue
		}
		s.header, s.widths = append(s.header, column), append(s.widths, width)
		total += width + 2
	}
}

// ranked returns the columns in the order in which they take the room that there is: by what people know a record, such
// as its number, name and status, then its amounts and dates, then the rest, and last the identifiers.
func (s *screenTable) ranked(rows []map[string]string, occurring map[string]bool) []string {
	rank := func(column string) int {
		name := column[strings.LastIndexByte(column, '.')+1:]
		kind := s.columns.Kind(column)
		switch {
		case identifiers(rows, column):
			return 3
		case knownBy.MatchString(name):
			return 0
		case s.columns.Amount(column), kind == resource.Date, kind == resource.DateTime:
			return 1
		}
		return 2
	}
	header := s.columns.Header(occurring)
	slices.SortStableFunc(header, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return header
}

var (
	// knownBy are the names of members by which people know a record.
	knownBy    = regexp.MustCompile(`^(name|status|period)$|(Number|Name|Status)$`)
	identifier = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

// identifiers reports whether a column has identifiers that the exchange issues, and nothing else.
func identifiers(rows []map[string]string, column string) bool {
	some := false
	for _, row := range rows {
		if row[column] != "" {
			some = true
			if !identifier.MatchString(row[column]) {
				return false
			}
		}
	}
	return some
}

func (s *screenTable) line(cell func(column string) string) error {
	var line strings.Builder
	for i, column := range s.header {
		text := clip(cell(column), s.widths[i])
		line.WriteString(text)
		if i < len(s.header)-1 {
			line.WriteString(strings.Repeat(" ", s.widths[i]-uniseg.StringWidth(text)+2))
		}
	}
	_, err := fmt.Fprintln(s.w, strings.TrimRight(line.String(), " "))
	return err
}

func (s *screenTable) end() {
	if s.widths == nil {
		fmt.Fprintln(s.notes, "There are none.")
	}
	if len(s.left) > 0 {
		fmt.Fprintf(s.notes, "Not shown for want of room: %s; --columns chooses, -o json shows everything.\n",
			strings.Join(s.left, ", "))
	}
}

// Printable replaces control characters, which would move the cursor or control the terminal.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, text)
}

// clip shortens a text to a width on the screen.
func clip(text string, width int) string {
	if uniseg.StringWidth(text) <= width {
		return text
	}
	var clipped strings.Builder
	taken := 0
	for graphemes := uniseg.NewGraphemes(text); graphemes.Next(); {
		if taken += graphemes.Width(); taken > width-1 {
			break
		}
		clipped.WriteString(graphemes.Str())
	}
	return clipped.String() + "…"
}
