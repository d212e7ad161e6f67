package e2e_test

import (
	"maps"
	"net/http"
	"strconv"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestOneOfManyWins sends requests that exclude each other at the same time. One succeeds, and the responses to the
// others say why they do not.
func TestOneOfManyWins(t *testing.T) {
	t.Parallel()
	c := caller(t)
	p := policy(t, c)
	number, motor := p.Text("policyNumber"), "/motorCoverage/"+p.Text("id")
	claim := "/claim/" + c.Create(t, "claim", loss(number, -1)).Text("id")
	paid := "/receipt/" + c.Create(t, "receipt", receipt(number, 3)).Text("id")
	wheels := "/vehicle/" + p.Text("vehicleId")
	tag, party := c.Get(t, wheels).Header.Get("ETag"), personal()
	const n = 32
	for _, contest := range []struct {
		name, method, path string
		body               func(i int) any
		headers            []string
		won, lost          int
	}{
		{
			name: "replace", method: http.MethodPut, path: wheels, headers: []string{"If-Match", tag},
			body: func(i int) any { return vehicle().With("vin", strconv.Itoa(i)) }, won: http.StatusOK,
			lost: http.StatusPreconditionFailed,
		},
		{
			name: "settle", method: http.MethodPost, path: claim + ":settle", won: http.StatusOK,
			lost: http.StatusConflict,
			body: func(i int) any { return trial.Record{"paymentAmount": i + 1, "paymentMethod": "cash"} },
		},
		{
			name: "reopen", method: http.MethodPost, path: claim + ":reopen", won: http.StatusOK,
			lost: http.StatusConflict,
			body: func(int) any { return trial.Record{} },
		},
		{
			name: "refund", method: http.MethodPost, path: paid + ":refund", won: http.StatusCreated,
			lost: http.StatusConflict,
			body: func(int) any { return trial.Record{"receiptType": "other"} },
		},
		{
			name: "cancel", method: http.MethodPost, path: motor + ":cancel", won: http.StatusOK,
			lost: http.StatusConflict,
			body: func(i int) any { return trial.Record{"reason": strconv.Itoa(i)} },
		},
		{
			name: "party", method: http.MethodPost, path: "/personal", won: http.StatusCreated,
			lost: http.StatusConflict,
			body: func(i int) any { return party.With("firstName", strconv.Itoa(i)) },
		},
	} {
		t.Run(contest.name, func(t *testing.T) {
			responses := trial.AtOnce(t, n, func(i int) (trial.Response, error) {
				return c.Send(t.Context(), contest.method, contest.path, contest.body(i), contest.headers...)
			})
			if counts := trial.Count(responses); !maps.Equal(counts, map[int]int{contest.won: 1, contest.lost: n - 1}) {
				t.Errorf("the responses are %v", counts)
			}
		})
	}
	t.Run("the conflict names the party", func(t *testing.T) {
		found := c.Get(t, "/personal?idNumber="+party.Text("idNumber")).Records(t)
		conflict := c.Post(t, "/personal", party).Want(t, http.StatusConflict).Record(t)
		if len(found) != 1 || conflict.Text("existingId") != found[0].Text("id") {
			t.Errorf("existingId is %q, there are %v", conflict.Text("existingId"), found)
		}
	})
}
