// Package match pairs the rows of a file with the records of the exchange. A row and a record are paired only by what
// is unique on both sides; whatever else could belong together is a proposal, and pairs nothing.
//
// Its files, in the order in which a row meets them:
//
//	issued.go   identifiers as the exchange issues them
//	match.go    what is compared, and the order of the keys
//	keys.go     the keys
//	day.go      the last of them, which pairs amounts that differ
//	compare.go  the cells of a pair
//	items.go    what came of rows and records
//	groups.go   several rows or records that together come to one
package match

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
)

// mostCandidates is how many candidates an item names.
const mostCandidates = 20

// mostPairs is how many pairs of rows and records with the same policy and amount are looked at. Where there are more,
// none is unique.
const mostPairs = 10_000

// Names are the meanings of amounts, in the order of Amounts: those of premium, and then those of claims.
var Names = []string{
	reconciliation.Gross, reconciliation.Commission, reconciliation.Brokerage, reconciliation.Net,
	reconciliation.Settled,
	reconciliation.PaidColumn, reconciliation.PreviouslyPaidColumn, reconciliation.OutstandingColumn,
	reconciliation.IncurredColumn, reconciliation.ChangeOfIncurredColumn, reconciliation.TotalIncurredColumn,
}

// OfPremium is the number of amounts that are about premium. They come before the others.
const OfPremium = 5

// Amounts are the amounts of a row or record, as Names says; empty for one that is absent. Those of claims may be left
// out as a whole.
type Amounts []string

// At returns an amount by its index.
func (a Amounts) At(index int) string {
	if index < len(a) {
		return a[index]
	}
	return ""
}

// settled is the index of the amount of premium that is in the settlement currency, as all of claims are.
const settled = OfPremium - 1

// keyAmounts are the indexes of the amounts that are a key, the first that a row has.
var keyAmounts = []int{0, 3, settled}

// Entry is a row of a file, as it was read.
type Entry struct {
	Row          int         `json:"row"`
	LineID       string      `json:"lineId,omitzero"`
	PolicyNumber string      `json:"policyNumber,omitzero"`
	ClaimNumber  string      `json:"claimNumber,omitzero"`
	Type         string      `json:"type,omitzero"`
	Date         scalar.Date `json:"date,omitzero"`
	Currency     string      `json:"currency"`
	Amounts      Amounts     `json:"amounts"`
	// Same is equal for rows with equal cells.
	Same string `json:"same"`
	// Wrong are the cells that could not be read. Such a row is paired with nothing.
	Wrong []reconciliation.RunCell `json:"wrong,omitzero"`
}

// Record is a record of the exchange.
type Record struct {
	LineID, PolicyNumber, ClaimNumber, Type string
	// Date is the effective date of premium or the day of the loss, and Since the day from which an item ages.
	Date, Since scalar.Date
	// Currency and Settlement are the original currency and the one that is settled in.
	Currency, Settlement string
	Amounts              Amounts
}

// Same is equal for records that are the same in all that is compared.
func (r Record) Same() string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{
		r.LineID, r.PolicyNumber, r.ClaimNumber, r.Type, string(r.Date), r.Currency, r.Settlement,
	}, r.Amounts...), "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Terms say how rows and records are compared.
type Terms struct {
	// Tolerance is up to what amounts may differ, and Window by how many days dates may.
	Tolerance money.Amount
	Window    int
	// Settles says that the currency of rows is the one that is settled in.
	Settles bool
	// Period returns the period of a day.
	Period func(scalar.Date) string
	// Came is the day on which the file came.
	Came scalar.Date
	// Cell returns the place of a cell by its meaning and row.
	Cell func(means string, row int) string
}

// Pair is a row and a record that belong together.
type Pair struct {
	Row    int
	LineID string
}

// Before are the pairs of runs before this one.
type Before struct {
	// Rows are the pairs of rows of the same file, and Records those of records, also with other files.
	Rows    map[int]Made
	Records map[string]reconciliation.RunPlace
	// Unmatched are the pairs that somebody has parted.
	Unmatched map[Pair]bool
}

// Made is a pair that a run before has made. In is empty if the run of the comparison takes its place.
type Made struct {
	LineID, Key string
	In          reconciliation.RunPlace
}

// run is one comparison.
type run struct {
	Terms
	before  Before
	entries []Entry
	records []Record
	// byID has the index of each record.
	byID map[string]int32
	// done says which entries have an item, and taken which records have one or are named by one.
	done, taken []bool
	items       []reconciliation.RunItem
	elsewhere   map[string]int
	// left are the rows that no key has found a record for, by policy, and sums is how many sums were made for groups.
	left map[string][]int
	// has are the meanings that some row has a cell of, nil until it is asked for.
	has  map[string]bool
	sums uint
}

// Result is what came of a comparison.
type Result struct {
	// Items are in the order of outcomes and then of rows.
	Items []reconciliation.RunItem
	// Elsewhere is how many rows and records runs before have paired outside of this one, by the ids of these runs.
	Elsewhere map[string]int
	// Records has the index of each record by its id.
	Records map[string]int32
}

// Match compares rows with records.
func Match(terms Terms, before Before, entries []Entry, records []Record) (Result, error) {
	r := &run{
		Terms: terms, before: before, entries: entries, records: records, byID: make(map[string]int32, len(records)),
		done: make([]bool, len(entries)), taken: make([]bool, len(records)), elsewhere: map[string]int{},
	}
	for i, of := range records {
		r.byID[of.LineID] = int32(i) //nolint:gosec // a file has fewer rows
	}
	for _, step := range []func() error{
		r.quarantine, r.standing, r.byLineID, r.byClaim, r.byType, r.byAmount, r.byDay, r.leftRows,
		r.leftRecords,
	} {
		if err := step(); err != nil {
			return Result{}, err
		}
	}
	slices.SortStableFunc(r.items, func(a, b reconciliation.RunItem) int {
		return cmp.Or(cmp.Compare(rank[a.Outcome], rank[b.Outcome]), cmp.Compare(a.Row, b.Row),
			cmp.Compare(a.LineID, b.LineID))
	})
	for i := range r.items {
		r.items[i].Number = i + 1
	}
	return Result{r.items, r.elsewhere, r.byID}, nil
}

var rank = func() map[string]int {
	ranks := map[string]int{}
	for i, outcome := range reconciliation.Outcomes {
		ranks[outcome] = i
	}
	return ranks
}()

// Paired reports whether an item of an outcome is a pair.
func Paired(outcome string) bool {
	return slices.Contains([]string{reconciliation.Matched, reconciliation.Within, reconciliation.Mismatch}, outcome)
}

// apart returns how many days two dates are apart; 0 if one is absent.
func apart(a, b scalar.Date) int {
	from, wrong := time.Parse(time.DateOnly, string(a))
	to, other := time.Parse(time.DateOnly, string(b))
	if wrong != nil || other != nil {
		return 0
	}
	days := int(to.Sub(from).Hours()) / 24
	return max(days, -days)
}
