package rows_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/setting"
	"insurance.example/exchange/services/book/figures"
	"insurance.example/exchange/services/book/rows"
)

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func open(t testing.TB, path string) *rows.Book {
	t.Helper()
	b, err := rows.Open(path, setting.Amounts{Unit: "major", Currency: "EUR"}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// acme sees what it owns.
var acme = rows.Sight{Owner: "acme"}

// change returns an entry of a log with a record.
func change(resource, id string, version int64, record string) internalapi.Change {
	return internalapi.Change{Resource: resource, ID: scalar.ID(id), Version: version, Type: "created",
		Time: scalar.Instant(now.AddDate(0, int(version)-10, 0)), Owner: "acme", Record: scalar.JSON(record)}
}

// invent returns entries about policies with receipts and claims.
func invent(random *rand.Rand, policies int) (all []internalapi.Change) {
	names := []string{"Ümlaut AG", "amber Ltd", "Zed", "", "10 % Ltd", "Amber"}
	for i, name := range names {
		all = append(all, change("commercial", fmt.Sprint("holder", i), 1, fmt.Sprintf(`{"name":%q}`, name)))
	}
	for i := range policies {
		begins := now.AddDate(0, 0, -random.IntN(700))
		number := fmt.Sprintf("POL-%05d", random.IntN(1_000_000)*policies+i)
		all = append(all, change("motorCoverage", fmt.Sprint("policy", i), 1, fmt.Sprintf(
			`{"policyNumber":%q,"policyholderId":"holder%d","inceptionDate":%q,"expiryDate":%q,`+
				`"grossWrittenPremium":%d,`+
				`"status":"in force"}`, number, random.IntN(len(names)+1), begins.Format(time.RFC3339),
			begins.AddDate(1, 0, 0).Format(time.RFC3339), random.IntN(50)*1000)))
		for version := range random.IntN(4) {
			all = append(all, change("claim", fmt.Sprint("claim", i), int64(version+1), fmt.Sprintf(
				`{"claimNumber":"C%d","policyNumber":%q,"fnol":%q,"reserve":%d,"claimStatus":"open"}`, i, number,
				now.Format(time.RFC3339), random.IntN(5)*100)))
		}
		for j := range random.IntN(3) {
			all = append(all, change("receipt", fmt.Sprintf("receipt%d-%d", i, j), 1, fmt.Sprintf(
				`{"policyNumber":%q,"receiptType":"new policy","paymentAmount":%d,"receiptDate":%q,`+
					`"recordedAt":%q}`, number,
				1+random.IntN(30), begins.Format(time.DateOnly), now.Format(time.RFC3339))))
		}
	}
	return all
}

// fill applies entries and computes what is due.
func fill(t testing.TB, b *rows.Book, all []internalapi.Change) {
	t.Helper()
	for part := range slices.Chunk(all, 200) {
		if err := b.Apply(t.Context(), rows.Batch{Service: "coverage", Changes: part, Next: "n"}); err != nil {
			t.Fatal(err)
		}
	}
	for more := true; more; {
		var err error
		if more, err = b.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Reached(now); err != nil {
		t.Fatal(err)
	}
}

// list returns all rows of a query, page by page.
func list[T any](t *testing.T, b *rows.Book, of *rows.List, q rows.Query) (all []*T) {
	t.Helper()
	for {
		page, err := b.Page(t.Context(), of, q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Rows) > q.Limit {
			t.Fatalf("a page has %d rows, %d are asked for", len(page.Rows), q.Limit)
		}
		for _, row := range page.Rows {
			all = append(all, row.(*T))
		}
		if q.After = page.Next; q.After == nil {
			return all
		}
	}
}

func column(t *testing.T, of *rows.List, name string) rows.Column {
	t.Helper()
	at := slices.IndexFunc(of.Columns, func(c rows.Column) bool { return c.Name == name })
	if at < 0 {
		t.Fatalf("there is no column %s", name)
	}
	return of.Columns[at]
}

// member returns a member of a row as text; empty for an absent one.
func member(t *testing.T, row any, name string) string {
	t.Helper()
	text, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	members := map[string]any{}
	if err := decoder.Decode(&members); err != nil {
		t.Fatal(err)
	}
	if members[name] == nil {
		return ""
	}
	return fmt.Sprint(members[name])
}

// before compares two members as a list sorts them: numbers by value and before what is absent, texts in any case.
func before(c rows.Column, a, b string) int {
	if c.Kind == rows.Number {
		x, errX := money.Parse(a)
		y, errY := money.Parse(b)
		switch {
		case errX != nil && errY != nil:
			return 0
		case errX != nil:
			return 1
		case errY != nil:
			return -1
		}
		return x.Cmp(y)
	}
	return strings.Compare(strings.ToLower(a), strings.ToLower(b))
}

// TestListsAreInEveryOrder reads all rows page by page, by each column that they can be sorted by.
func TestListsAreInEveryOrder(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	b := open(t, filepath.Join(t.TempDir(), "book.db"))
	fill(t, b, invent(rand.New(rand.NewPCG(seed, 1)), 120))
	all := list[book.PolicyRow](t, b, rows.Policies, rows.Query{Sight: acme, Limit: 1000, Now: now})
	if len(all) != 120 {
		t.Fatalf("%d policies, want 120", len(all))
	}
	for _, c := range rows.Policies.Columns {
		if !c.Sorts {
			continue
		}
		for _, descending := range []bool{false, true} {
			got := list[book.PolicyRow](t, b, rows.Policies, rows.Query{Sight: acme, Sort: c,
				Descending: descending,
				Limit:      7, Now: now})
			want := slices.Clone(all)
			slices.SortFunc(want, func(x, y *book.PolicyRow) int {
				order := cmp.Or(before(c, member(t, x, c.Name), member(t, y, c.Name)),
					strings.Compare(x.PolicyNumber, y.PolicyNumber))
				if descending {
					order = -order
				}
				return order
			})
			if !slices.EqualFunc(got, want, func(x,
				y *book.PolicyRow) bool {
				return x.PolicyNumber == y.PolicyNumber
			}) {
				t.Errorf("by %s, descending %v, the rows are in another order", c.Name, descending)
			}
		}
	}
	if other := list[book.PolicyRow](t, b, rows.Policies, rows.Query{Sight: rows.Sight{Owner: "zenith"}, Limit: 10,
		Now: now}); len(other) > 0 {
		t.Errorf("another organisation sees %d policies", len(other))
	}
}

// TestConditionsSelectRows compares what conditions select, in the order of each column, with what a loop over all rows
// selects.
func TestConditionsSelectRows(t *testing.T) {
	const seed = 8
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	b := open(t, filepath.Join(t.TempDir(), "book.db"))
	fill(t, b, invent(random, 100))
	all := list[book.PolicyRow](t, b, rows.Policies, rows.Query{Sight: acme, Limit: 1000, Now: now})
	selected := 0
	for range 400 {
		c := rows.Policies.Columns[random.IntN(len(rows.Policies.Columns))]
		some := func() string {
			text := member(t, all[random.IntN(len(all))], c.Name)
			if c.Kind == rows.Day && len(text) > 10 {
				text = text[:10]
			}
			return text
		}
		condition := rows.Condition{Column: c}
		switch choice := random.IntN(4); {
		case choice == 0:
			condition.Empty = new(random.IntN(2) == 0)
		case choice == 1:
			condition.OneOf = slices.DeleteFunc([]string{some(), some()}, func(s string) bool { return s == "" })
		case c.Kind == rows.Text:
			text := some()
			condition.Begins = strings.ToUpper(text[:min(len(text), 3)])
		case c.Kind != rows.Flag:
			condition.From, condition.To = some(), some()
		}
		q := rows.Query{Sight: acme, Conditions: []rows.Condition{condition}, Limit: 9, Now: now}
		if sort := rows.Policies.Columns[random.IntN(len(rows.Policies.Columns))]; sort.Sorts {
			q.Sort, q.Descending = sort, random.IntN(2) == 0
		}
		var want []string
		for _, row := range all {
			if fits(condition, member(t, row, c.Name)) {
				want = append(want, row.PolicyNumber)
			}
		}
		var got []string
		for _, row := range list[book.PolicyRow](t, b, rows.Policies, q) {
			got = append(got, row.PolicyNumber)
		}
		selected += len(got)
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%+v, sorted by %q: %d rows, want %d", condition, q.Sort.Name, len(got), len(want))
		}
	}
	if selected < 1000 {
		t.Errorf("the conditions select %d rows in all", selected)
	}
}

// fits reports whether a value is as a condition wants it, by the words of the interface.
func fits(c rows.Condition, value string) bool {
	if c.Column.Kind == rows.Day && len(value) > 10 {
		value = value[:10]
	}
	if c.Column.Kind == rows.Flag && value == "" {
		value = "false"
	}
	if c.Column.Kind == rows.Number && value == "" && (c.Column.Name == "year" || c.Column.Name == "late") {
		value = "0"
	}
	switch {
	case c.Empty != nil:
		return *c.Empty == (value == "")
	case len(c.OneOf) > 0:
		return slices.ContainsFunc(c.OneOf, func(v string) bool {
			return v == value || c.Column.Kind == rows.Number && value != "" && before(c.Column, v, value) == 0
		})
	case c.Begins != "":
		return strings.HasPrefix(strings.ToLower(value), strings.ToLower(c.Begins))
	case c.From != "" || c.To != "":
		return value != "" && (c.From == "" || before(c.Column, value, c.From) >= 0) &&
			(c.To == "" || before(c.Column, value, c.To) <= 0)
	}
	return true
}

// TestWhatIsReadTwiceCountsOnce applies the entries of a log again, some of them with a later version between, and
// begins others that end half way.
func TestWhatIsReadTwiceCountsOnce(t *testing.T) {
	const seed = 9
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	folder := t.TempDir()
	once, again := open(t, filepath.Join(folder, "once.db")), open(t, filepath.Join(folder, "again.db"))
	all := invent(random, 40)
	fill(t, once, all)
	for range 6 {
		from := random.IntN(len(all))
		fill(t, again, all[:from])
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := again.Apply(ended, rows.Batch{Service: "coverage", Changes: all[from:],
			Next: "half"}); !errors.Is(err,
			context.Canceled) {
			t.Fatalf("a batch that is cut off: %v", err)
		}
		if place, err := again.Place("coverage"); err != nil || place == "half" {
			t.Fatalf("after a batch that was cut off the place is %q (%v)", place, err)
		}
	}
	fill(t, again, all)
	if a, b := dump(t, once), dump(t, again); !slices.Equal(a, b) {
		t.Errorf("read once the book has %d rows and cells, read again %d, or others", len(a), len(b))
	}
}

// dump returns the rows and cells of a book.
func dump(t *testing.T, b *rows.Book) (all []string) {
	t.Helper()
	for _, of := range []*rows.List{rows.Policies, rows.Claims, rows.Movements} {
		page, err := b.Page(t.Context(), of, rows.Query{Sight: acme, Limit: 10_000, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range page.Rows {
			all = append(all, fmt.Sprintf("%+v", row))
		}
	}
	_, err := b.Cells(t.Context(), acme, figures.FirstMonth, figures.LastMonth, func(c rows.Cell) error {
		shown, err := rows.Shown(c.Sums)
		all = append(all, fmt.Sprintln(c.Line, c.Year, c.Month, shown))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestABookOfOtherSettingsIsMadeAnew opens a book with another unit of amounts, by which all figures were computed.
func TestABookOfOtherSettingsIsMadeAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "book.db")
	b, err := rows.Open(path, setting.Amounts{}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, b, invent(rand.New(rand.NewPCG(1, 1)), 3))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	same, err := rows.Open(path, setting.Amounts{}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if place, err := same.Place("coverage"); err != nil || place != "n" {
		t.Errorf("opened again it has read up to %q (%v)", place, err)
	}
	if err := same.Close(); err != nil {
		t.Fatal(err)
	}
	if place, err := open(t, path).Place("coverage"); err != nil || place != "" {
		t.Errorf("with another unit it has read up to %q (%v)", place, err)
	}
}

// TestADamagedBookIsMadeAnew opens a file that is no book.
func TestADamagedBookIsMadeAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "book.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("no book "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if place, err := open(t, path).Place("coverage"); err != nil || place != "" {
		t.Errorf("it has read up to %q (%v)", place, err)
	}
}
