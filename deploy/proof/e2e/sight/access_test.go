package sight

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// TestTheAccessLogFollowsARequest gives the creation of a claim an id, and finds its lines in the logs of three
// processes: the gateway, claims, and coverage, which claims asks for the policy. The others have none.
func TestTheAccessLogFollowsARequest(t *testing.T) {
	t.Parallel()
	m := newMarks()
	e, c := compose(t, "EXCHANGE_ACCESS_LOG=true")
	policy := book(t, c, m)
	const made, searched, refused = "order-made", "order-searched", "order-refused"
	claim := trial.Record{
		"policyNumber": policy.Text("policyNumber"), "lossDate": instant(-2), "fnol": instant(-1),
		"claimType": "own property damage", "location": m.street, "lossCause": "hail", "description": m.free,
	}
	size := len(c.Post(t, "/claim", claim, "X-Request-Id", made).Want(t, http.StatusCreated).Body)
	c.Do(t, http.MethodGet, "/personal?lastName="+url.QueryEscape(m.last), nil, "X-Request-Id", searched).
		Want(t, http.StatusOK)
	c.Post(t, "/claim", claim.With("policyNumber", m.number), "X-Request-Id", refused).Want(t, http.StatusNotFound)

	type line struct {
		method, route string
		status, bytes float64
		problem       any
	}
	anySize := float64(-1)
	for request, wanted := range map[string]map[string]line{
		made: {
			"gateway":  {"POST", "/claim", 201, float64(size), nil},
			"claims":   {"POST", "/claim", 201, float64(size), nil},
			"coverage": {"GET", "/internal/policy/{policyNumber}", 200, anySize, nil},
		},
		searched: {
			"gateway": {"GET", "/personal", 200, anySize, nil}, "parties": {"GET", "/personal", 200, anySize, nil},
		},
		refused: {
			"gateway":  {"POST", "/claim", 404, anySize, nil}, // which claims has made
			"claims":   {"POST", "/claim", 404, anySize, "policy-not-found"},
			"coverage": {"GET", "/internal/policy/{policyNumber}", 404, anySize, "policy-not-found"},
		},
	} {
		wait.Until(t, func() error {
			for _, part := range parts {
				lines, err := e.LinesOf(part, request)
				want, is := wanted[part]
				if err != nil {
					return err
				}
				if !is && len(lines) == 0 {
					continue
				}
				if len(lines) != 1 || !is {
					return fmt.Errorf("%s has the lines %v of the request %s, want %v", part, lines, request, want)
				}
				is = lines[0]["method"] == want.method && lines[0]["route"] == want.route &&
					lines[0]["status"] == want.status && lines[0]["problem"] == want.problem && lines[0]["took"] != nil
				if size, number := lines[0]["bytes"].(float64); !is || !number || size <= 0 ||
					want.bytes != anySize && size != want.bytes {
					return fmt.Errorf("the line of %s is %v, want %v", part, lines[0], want)
				}
			}
			return nil
		})
	}
}
