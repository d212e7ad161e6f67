package sight

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/tracing/tracetest"
	"insurance.example/exchange/pkg/wait"
)

// parts are the processes that handle requests.
var parts = trial.Processes()

// TestNothingPersonalIsSeen sends unmistakable names and numbers in bodies, paths and queries, through successes,
// refusals and an outage, and looks for them in all logs at level debug, all traces and all metrics. The same
// requests make every metric that the documentation lists.
func TestNothingPersonalIsSeen(t *testing.T) {
	t.Parallel()
	collector, m := tracetest.Start(t), newMarks()
	e, c := compose(t, "EXCHANGE_TRACE_ENDPOINT="+collector.URL, "EXCHANGE_TRACE_SAMPLE=1", "EXCHANGE_LOG_LEVEL=debug",
		"EXCHANGE_ACCESS_LOG=true", "EXCHANGE_WEBHOOK_PRIVATE_ADDRESSES=true")
	receive(t, c)
	policy := book(t, c, m)
	record(t, c, policy.Text("policyNumber"), parent)
	claim := trial.Record{
		"policyNumber": policy.Text("policyNumber"), "lossDate": instant(-2), "fnol": instant(-1),
		"claimType": "own property damage",
		"location":  m.street, "lossCause": "hail", "description": m.free,
	}
	c.Create(t, "claim", claim)
	refuse(t, c, m, claim)
	wait.Until(t, func() error {
		if !strings.Contains(e.Metrics(t, "feed", "text/plain"), `exchange_webhook_lag_seconds{`) {
			return errors.New("the webhook has delivered nothing")
		}
		return nil
	})
	c.Get(t, "/personal?lastName="+url.QueryEscape(m.last)+"&idNumber="+m.number)
	if err := e.Kill("coverage"); err != nil {
		t.Fatal(err)
	}
	c.Post(t, "/claim", claim.With("location", m.street)).Want(t, http.StatusServiceUnavailable)
	c.Get(t, "/motorCoverage?policyholderId="+url.QueryEscape(m.email)).Want(t, http.StatusServiceUnavailable)

	found := collector.Await(t, trace, func(spans []tracetest.Span) bool { return handled(spans) != nil })
	if len(found) == 0 {
		t.Fatal("nothing is traced")
	}
	t.Run("metrics", func(t *testing.T) { agree(t, e) })
	t.Run("examples", func(t *testing.T) { showExamples(t, e) })
	var metrics strings.Builder
	for _, name := range parts {
		if name != "coverage" {
			metrics.WriteString(e.Metrics(t, name, "application/openmetrics-text; version=1.0.0"))
		}
	}
	if e.Logged("gateway", `"route":"/personal"`) == 0 || e.Logged("parties", `"bytes":`) == 0 ||
		e.Logged("gateway", `"trace":"`+trace) == 0 {
		t.Error("requests are not logged")
	}
	for _, mark := range []string{m.first, m.last, m.number, m.email, url.QueryEscape(m.email), m.street, m.plate,
		m.licence, m.free, policy.Text("policyNumber")} {
		for _, name := range parts {
			if n := e.Logged(name, mark); n > 0 {
				t.Errorf("the log of %s has %q in %d places", name, mark, n)
			}
		}
		if strings.Contains(string(collector.Received()), mark) {
			t.Errorf("a trace has %q", mark)
		}
		if strings.Contains(metrics.String(), mark) {
			t.Errorf("a metric has %q", mark)
		}
	}
}

// receive has the events of the feed sent to a receiver that accepts them.
func receive(t *testing.T, c *trial.Client) {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	c.Do(t, http.MethodPut, "/x/webhook/sight", trial.Record{"url": receiver.URL}).Want(t, http.StatusOK)
}

// refuse sends requests that are refused, each for another reason.
func refuse(t *testing.T, c *trial.Client, m marks, claim trial.Record) {
	t.Helper()
	person := trial.Record{"firstName": m.first, "lastName": m.last, "dob": "1985-12-10", "idType": "passport",
		"idNumber": m.number,
		"address":  trial.Record{"streetName": m.street, "city": "London", "country": "GB"}}
	c.Post(t, "/personal", person).Want(t, http.StatusConflict)                   // the number is taken
	c.Post(t, "/personal", person.With("idType", m.free))                         // no such value
	c.Post(t, "/personal", person.With("dob", m.free))                            // no date
	c.Post(t, "/personal", person.With(m.free, m.first))                          // no such member
	c.Post(t, "/personal", `{"firstName":"`+m.first+`","lastName":`)              // no JSON
	c.Post(t, "/claim", claim.With("policyNumber", m.number))                     // no such policy
	c.Post(t, "/claim", claim.With("lossDate", instant(-3000)))                   // out of the term
	c.Get(t, "/"+m.last+"/"+m.number).Want(t, http.StatusNotFound)                // no such path
	c.Get(t, "/personal/"+m.number).Want(t, http.StatusNotFound)                  // no such record
	c.Post(t, "/personal/"+m.last+":"+m.free, nil)                                // no such action
	c.Get(t, "/personal?"+m.free+"="+m.last)                                      // no such filter
	c.Get(t, "/personal?limit="+m.number)                                         // no number
	c.With("Bearer "+m.free).Get(t, "/personal").Want(t, http.StatusUnauthorized) // no token
}
