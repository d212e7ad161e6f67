package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/e2e/trial"
)

// attempt is a create that a fault is put into.
type attempt struct {
	body   trial.Record
	client *trial.Client
	key    string
}

func (a *attempt) send(t testing.TB, resource string) trial.Answer {
	t.Helper()
	return a.client.Post(t, "/"+resource, a.body, "Idempotency-Key", a.key)
}

// row is a condition of the errors table and the answer to it.
type row struct {
	name string
	// place is the row's number in the table. A condition that stands between two rows (contracts/register) has a half.
	place  float64
	fault  func(*attempt)
	status int
	// title is that of the problem; empty where the table gives no words.
	title string
	// required is the member that the problem says is required, if it is that.
	required string
}

// without is the row of a member that its check cannot do without.
func without(member string, place float64) row {
	return row{
		name: member + " missing", place: place, status: http.StatusBadRequest, required: member,
		fault: func(a *attempt) { delete(a.body, member) },
	}
}

// set is the fault of a member with a value.
func set(member string, value any) func(*attempt) {
	return func(a *attempt) { a.body[member] = value }
}

func (r row) holds(t *testing.T, a trial.Answer) {
	t.Helper()
	answer := a.Want(t, r.status).Record(t)
	if r.status < http.StatusBadRequest {
		return
	}
	if r.title != "" && answer.Text("title") != r.title {
		t.Errorf("title is %q, not %q", answer.Text("title"), r.title)
	}
	if r.required != "" {
		if !strings.Contains(answer.Text("title")+answer.Text("detail"), r.required+" is required") {
			t.Errorf("the problem does not say that %s is required: %s", r.required, a.Body)
		}
		if !slices.Equal(answer.Pointers(), []string{"/" + r.required}) {
			t.Errorf("the errors point to %v", answer.Pointers())
		}
	}
	if r.status == http.StatusBadRequest && len(answer.Pointers()) == 0 {
		t.Errorf("400 without errors: %s", a.Body)
	}
}

// checkTable tries each row alone, and each pair of neighbouring rows together: the earlier one decides. valid answers
// an attempt without fault.
func checkTable(t *testing.T, resource string, valid func(testing.TB) *attempt, rows []row) {
	t.Run("no fault", func(t *testing.T) {
		t.Parallel()
		valid(t).send(t, resource).Want(t, http.StatusCreated)
	})
	for i, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			a := valid(t)
			r.fault(a)
			r.holds(t, a.send(t, resource))
		})
		for _, other := range rows[i+1:] {
			if other.place == r.place || !neighbours(rows, r.place, other.place) {
				continue
			}
			t.Run(r.name+" before "+other.name, func(t *testing.T) {
				t.Parallel()
				a := valid(t)
				other.fault(a)
				r.fault(a)
				r.holds(t, a.send(t, resource))
			})
		}
	}
}

func neighbours(rows []row, earlier, later float64) bool {
	return !slices.ContainsFunc(rows, func(r row) bool { return earlier < r.place && r.place < later })
}
