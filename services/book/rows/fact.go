package rows

import (
	"time"

	"github.com/go-json-experiment/json"
	"zombiezen.com/go/sqlite"

	"insurance.example/exchange/contracts/scalar"
)

// policyFact is what is kept of a policy.
type policyFact struct {
	Number    string    `json:"n"`
	ID        scalar.ID `json:"i"`
	Owner     string    `json:"o,omitzero"`
	Line      string    `json:"l"`
	Version   int64     `json:"v"`
	Status    string    `json:"s,omitzero"`
	First     time.Time `json:"fi,omitzero"`
	Inception time.Time `json:"in,omitzero"`
	Expiry    time.Time `json:"ex,omitzero"`
	CoverEnds time.Time `json:"ce,omitzero"`
	Holder    string    `json:"h,omitzero"`
	Object    string    `json:"ob,omitzero"`
	Reference string    `json:"r,omitzero"`
	Replaces  string    `json:"re,omitzero"`
	Broker    scalar.ID `json:"b,omitzero"`
	Agent     scalar.ID `json:"a,omitzero"`
	// Renews is the id of the policy that this one renews.
	Renews scalar.ID `json:"rn,omitzero"`
	// Effective is from when on the last version counts.
	Effective time.Time `json:"ef,omitzero"`
	// Written is the grossWrittenPremium of each version that changed it, as the record has it.
	Written []writtenFact `json:"w,omitempty"`
}

type writtenFact struct {
	From  time.Time      `json:"f"`
	Gross scalar.Decimal `json:"g,omitzero"`
}

// claimFact is what is kept of a claim.
type claimFact struct {
	ID        scalar.ID `json:"i"`
	Number    string    `json:"n"`
	Policy    string    `json:"p"`
	Owner     string    `json:"o,omitzero"`
	Version   int64     `json:"v"`
	Status    string    `json:"s,omitzero"`
	Cause     string    `json:"c,omitzero"`
	Loss      time.Time `json:"l,omitzero"`
	Notified  time.Time `json:"f,omitzero"`
	Reserve   int64     `json:"re,omitzero"`
	Reference string    `json:"r,omitzero"`
	// ReservedAfter is how many payments there were when the reserve was set.
	ReservedAfter int           `json:"ra,omitzero"`
	Moved         time.Time     `json:"m"`
	Event         string        `json:"e"`
	Reserves      []reserveFact `json:"rs"`
	Payments      []paymentFact `json:"ps,omitempty"`
}

type reserveFact struct {
	Recorded    time.Time `json:"r"`
	Status      string    `json:"s,omitzero"`
	Outstanding int64     `json:"o,omitzero"`
	Paid        int64     `json:"p,omitzero"`
}

type paymentFact struct {
	Units    int64     `json:"u"`
	Method   string    `json:"m,omitzero"`
	Paid     time.Time `json:"p"`
	Recorded time.Time `json:"r"`
}

// receiptFact is what is kept of a receipt or refund.
type receiptFact struct {
	ID       scalar.ID `json:"i"`
	Policy   string    `json:"p,omitzero"`
	Claim    string    `json:"c,omitzero"`
	Owner    string    `json:"o,omitzero"`
	Type     string    `json:"t,omitzero"`
	Units    int64     `json:"u"`
	Reverses scalar.ID `json:"rv,omitzero"`
	// Date is the day of the receipt, and From the day from which on counts what it is for.
	Date     scalar.Date `json:"d,omitzero"`
	From     scalar.Date `json:"f,omitzero"`
	Recorded time.Time   `json:"r"`
}

// facts returns the facts of one kind that a statement selects in its first column.
func facts[T any](conn *sqlite.Conn, sql string, args ...any) (all []*T, err error) {
	err = query(conn, sql, func(s *sqlite.Stmt) error {
		fact := new(T)
		all = append(all, fact)
		return json.Unmarshal([]byte(s.ColumnText(0)), fact)
	}, args...)
	return all, err
}

// fact returns the fact that a statement selects; nil if there is none.
func fact[T any](conn *sqlite.Conn, sql string, args ...any) (*T, error) {
	all, err := facts[T](conn, sql, args...)
	if len(all) == 0 {
		return nil, err
	}
	return all[0], err
}

// written returns a value as JSON.
func written(value any) (string, error) {
	text, err := json.Marshal(value, json.Deterministic(true))
	return string(text), err
}
