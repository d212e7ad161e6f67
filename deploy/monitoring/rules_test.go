// Package monitoring tests the alerts and the dashboard with the parser and the engine of Prometheus.
package monitoring

import (
	"os"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// alerts returns the alerts by their names, as Prometheus reads them.
func alerts(t *testing.T) map[string]rulefmt.Rule {
	t.Helper()
	text, err := os.ReadFile("alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	groups, errs := rulefmt.Parse(text, false, model.UTF8Validation)
	for _, err := range errs {
		t.Error(err)
	}
	found := map[string]rulefmt.Rule{}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == "" || rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" {
				t.Errorf("a rule of %s lacks a name, a severity or a summary: %+v", group.Name, rule)
			}
			found[rule.Alert] = rule
		}
	}
	if t.Failed() || len(found) == 0 {
		t.Fatal("alerts.yaml cannot be used")
	}
	return found
}

// The series of 12 hours, in which 100 requests a second reach the gateway: none fail, and 1 in 200 takes longer than 1 s.
const well = `
  http_request_duration_seconds_count{service="gateway",route="/claim",method="GET",code="200"} 0+6000x720
  http_request_duration_seconds_count{service="gateway",route="/claim",method="POST",code="503"} 0+0x720
  http_request_duration_seconds_count{service="claims",route="/claim",method="GET",code="500"} 0+6000x720
  http_request_duration_seconds_bucket{service="gateway",route="/claim",method="GET",code="200",le="1"} 0+5970x720
  http_request_duration_seconds_bucket{service="gateway",route="/claim",method="GET",code="200",le="+Inf"} 0+6000x720
  bus_outbox_age_seconds{service="premium",topic="t"} 2x720
  bus_consumer_lag_messages{service="premium",topic="t"} 40x720
  bus_consumer_lag_seconds{service="premium",topic="t"} 1x720
  bus_consumer_dead_letters_total{service="premium",topic="t"} 3x720
  store_operation_duration_seconds_count{service="claims",collection="claim",outcome="ok"} 0+6000x720
  store_operation_duration_seconds_count{service="claims",collection="claim",outcome="unavailable"} 4x720
  peer_breaker_state{service="claims",peer="coverage"} 0x720
  store_backfill_lacking_total{service="claims",collection="claim"} 7x720
`

// ill holds for each alert what makes it fire after 12 hours, in place of a series of well that differs only in its values.
var ill = map[string]string{
	// Two in a hundred fail.
	"ExchangeFailsFast": `http_request_duration_seconds_count{service="gateway",route="/claim",method="POST",code="503"} 0+120x720`,
	// Eight in a thousand fail.
	"ExchangeFailsSlowly": `http_request_duration_seconds_count{service="gateway",route="/claim",method="POST",code="503"} 0+48x720`,
	"ExchangeIsSlow":      `http_request_duration_seconds_bucket{service="gateway",route="/claim",method="GET",code="200",le="1"} 0+5000x720`,
	"BordereauIsLate":     `bus_outbox_age_seconds{service="premium",topic="t"} 61x720`,
	"BordereauLags":       `bus_consumer_lag_messages{service="premium",topic="t"} 10001x720`,
	"DeadLetters":         `bus_consumer_dead_letters_total{service="premium",topic="t"} 3x700 4x20`,
	"StoreFails":          `store_operation_duration_seconds_count{service="claims",collection="claim",outcome="unavailable"} 4+1x720`,
	"BreakerIsOpen":       `peer_breaker_state{service="claims",peer="coverage"} 2x720`,
	"IndexLacksRecords":   `store_backfill_lacking_total{service="claims",collection="claim"} 7x700 8x20`,
}

// others are the alerts that fire as well: what fails fast also fails fast enough for the slow alert.
var others = map[string]string{"ExchangeFailsFast": "ExchangeFailsSlowly"}

// TestAlertsFireWhenTheyShould evaluates each alert while all is well, and while one thing after another is ill.
func TestAlertsFireWhenTheyShould(t *testing.T) {
	rules := alerts(t)
	for name := range rules {
		if ill[name] == "" {
			t.Errorf("nothing here makes %s fire", name)
		}
	}
	expect(t, "all is well", well, rules, "", "")
	for name, series := range ill {
		expect(t, name, replaced(t, series), rules, name, others[name])
	}
}

// replaced returns the series of well with another one in place of its like.
func replaced(t *testing.T, series string) string {
	t.Helper()
	id, _, _ := strings.Cut(series, "} ")
	var all strings.Builder
	found := false
	for line := range strings.Lines(well) {
		if strings.HasPrefix(strings.TrimSpace(line), id+"} ") {
			line, found = "  "+series+"\n", true
		}
		all.WriteString(line)
	}
	if !found {
		t.Fatalf("there is no series %s}", id)
	}
	return all.String()
}

// expect evaluates all alerts over series, of which only the two that are named are to fire.
func expect(t *testing.T, name, series string, rules map[string]rulefmt.Rule, first, second string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		var script strings.Builder
		script.WriteString("load 1m" + strings.TrimRight(series, "\n") + "\n\n")
		for alert, rule := range rules {
			script.WriteString("eval instant at 12h count(" + strings.Join(strings.Fields(rule.Expr), " ") + ")\n")
			if alert == first || alert == second {
				script.WriteString("  {} 1\n")
			}
			script.WriteString("\n")
		}
		engine := promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)
		promqltest.RunTest(t, script.String(), engine)
	})
}
