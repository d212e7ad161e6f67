package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"zombiezen.com/go/sqlite"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/pkg/rest/search"
)

// LeastText is how many letters and digits a text has at least that rows are found by.
const LeastText = 3

// mostParts is how many parts of a text lead to rows; those that have all of them are compared with the whole text.
const mostParts = 40

// Compared returns a text as rows are found by it: its letters and digits, as they are folded.
func Compared(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, search.FoldName(text))
}

// foundBy returns what a row is found by: its number, the names of its parties, and what is insured, with blanks
// between them. A claim does not show what its policy insures.
func foundBy(row any, object string) string {
	var texts []string
	switch row := row.(type) {
	case *book.PolicyRow:
		texts = []string{row.PolicyNumber, row.Insured, row.Broker, object}
	case *book.ClaimRow:
		texts = []string{row.ClaimNumber, row.PolicyNumber, row.Insured, row.Broker, object}
	}
	for i, text := range texts {
		texts[i] = Compared(text)
	}
	return strings.Join(texts, " ")
}

// objectOf returns what a row shows of what is insured.
func objectOf(row any) string {
	if of, is := row.(*book.PolicyRow); is {
		return of.Object
	}
	return ""
}

// finds are the columns whose values a row is found by.
var finds = []string{"policyNumber", "claimNumber", "insured", "broker", "object"}

// index is the name of the table by which rows of the list are found, by three characters of what they are found by.
func (l *List) index() string { return l.Name + "Text" }

// indexText makes that table.
func (l *List) indexText() string {
	return "DROP TABLE IF EXISTS " + l.index() + "; CREATE VIRTUAL TABLE " + l.index() + " USING fts5(text, " +
		"content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'); INSERT INTO " +
		l.index() + "(rowid, text) SELECT rowid, text FROM " + l.table() + ";"
}

// parts returns a condition of that table for rows that have what the query finds, or a number that begins as it wants;
// empty for neither.
func (q *Query) parts(l *List) string {
	if !l.Finds {
		return ""
	}
	texts := []string{q.Find}
	for _, c := range q.Conditions {
		if !c.Column.Sorts && c.Column.inText {
			texts = append(texts, Compared(c.Begins))
		}
	}
	var parts []string
	for _, text := range texts {
		for from := range text {
			part := text[from:]
			end := 0
			for range LeastText {
				_, size := utf8.DecodeRuneInString(part[end:])
				end += size
			}
			if utf8.RuneCountInString(part[:end]) == LeastText && len(parts) < mostParts {
				parts = append(parts, `"`+part[:end]+`"`)
			}
		}
	}
	return strings.Join(parts, " AND ")
}

// few reports whether at most as many rows as a page looks at have all parts.
func (l *List) few(conn *sqlite.Conn, parts string) (few bool, err error) {
	err = query(conn, "SELECT count(*) FROM (SELECT 1 FROM "+l.index()+" WHERE "+l.index()+" MATCH ? LIMIT ?)",
		func(s *sqlite.Stmt) error {
			few = s.ColumnInt(0) <= examined
			return nil
		}, parts, examined+1)
	return few, err
}
