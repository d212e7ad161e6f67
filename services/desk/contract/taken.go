package contract

import (
	"time"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
)

// Taken is what the rule of a contract has taken into bordereaux: of each line of insurance, the window in which the
// policies were first recorded to begin.
type Taken map[string]Window

// Window is a span of time with both of its ends.
type Window struct {
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

// Add adds a policy.
func (t Taken) Add(line string, inception scalar.DateTime) {
	t.with(line, Window{inception.Time(), inception.Time()})
}

// With adds what is taken elsewhere.
func (t Taken) With(other Taken) {
	for line, w := range other {
		t.with(line, w)
	}
}

func (t Taken) with(line string, w Window) {
	if was, is := t[line]; is {
		if was.First.Before(w.First) {
			w.First = was.First
		}
		if was.Last.After(w.Last) {
			w.Last = was.Last
		}
	}
	t[line] = w
}

// All returns all that the rule of a contract could take.
func (t *Terms) All() Taken {
	all := Taken{}
	for _, line := range t.Lines {
		before := t.Before
		if until, shorter := t.Until[line]; shorter {
			before = until
		}
		all[line] = Window{t.From, before.Add(-time.Nanosecond)}
	}
	return all
}

// Keeps refuses terms whose rule leaves out what was taken.
func (t *Terms) Keeps(taken Taken) error {
	for line, w := range taken {
		if !t.takes(line, w.First) || !t.takes(line, w.Last) {
			return problem.New(problems.ContractInUse, "Bordereaux of the contract have policies of "+line+
				" that begin from "+w.First.In(t.Zone).Format(time.DateOnly)+" to "+
				w.Last.In(t.Zone).Format(time.DateOnly)+". Its lines, risksFrom, risksBefore and timeZone must still "+
				"take them. Make a new contract for other policies.")
		}
	}
	return nil
}
