// Package monitoring tests the alerts and the dashboard with the parser and the engine of Prometheus.
package monitoring

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
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

// The series of 12 hours from the beginning of 1970, in which 100 requests a second reach the gateway: none fail, and
// 1 in 200 takes longer than 1 s.
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
  exchange_admission_admitted_total{service="gateway",to="claims",class="list"} 0+600x720
  exchange_admission_refused_total{service="gateway",to="claims",class="list"} 0+3x720
  exchange_connections_refused_total{job="gateway"} 3x720
  store_backfill_lacking_total{service="claims",collection="claim"} 7x720
  exchange_certificate_end_timestamp_seconds{setting="tls-certificate"} 2592000x720
  exchange_changed_file_refused{setting="credential-file"} 0x720
`

// ill holds for each alert what makes it fire after 12 hours, in place of a series of well that differs only in its
// values.
var ill = map[string]string{
	// Two in a hundred fail.
	"ExchangeFailsFast": `http_request_duration_seconds_count{service="gateway",route="/claim",method="POST",code="503"} 0+120x720`,
	// Eight in a thousand fail.
	"ExchangeFailsSlowly": `http_request_duration_seconds_count{service="gateway",route="/claim",method="POST",code="503"} 0+48x720`,
	// One in six is slow.
	"ExchangeIsSlow": `http_request_duration_seconds_bucket{service="gateway",route="/claim",method="GET",code="200",le="1"} 0+5000x720`,
	// One in fourteen is slow.
	"ExchangeIsSlowForLong": `http_request_duration_seconds_bucket{service="gateway",route="/claim",method="GET",code="200",le="1"} 0+5570x720`,
	"BordereauIsLate":       `bus_outbox_age_seconds{service="premium",topic="t"} 61x720`,
	"BordereauLags":         `bus_consumer_lag_messages{service="premium",topic="t"} 10001x720`,
	"DeadLetters":           `bus_consumer_dead_letters_total{service="premium",topic="t"} 3x700 4x20`,
	"StoreFails":            `store_operation_duration_seconds_count{service="claims",collection="claim",outcome="unavailable"} 4+1x720`,
	"BreakerIsOpen":         `peer_breaker_state{service="claims",peer="coverage"} 2x720`,
	// Two in a hundred are refused.
	"RequestsAreRefused":    `exchange_admission_refused_total{service="gateway",to="claims",class="list"} 0+12x720`,
	"ConnectionsAreRefused": `exchange_connections_refused_total{job="gateway"} 0+3x720`,
	"IndexLacksRecords":     `store_backfill_lacking_total{service="claims",collection="claim"} 7x700 8x20`,
	// In six days.
	"CertificateEndsSoon": `exchange_certificate_end_timestamp_seconds{setting="tls-certificate"} 561600x720`,
	// In half a day.
	"CertificateEnds":      `exchange_certificate_end_timestamp_seconds{setting="tls-certificate"} 86400x720`,
	"ChangedFileIsRefused": `exchange_changed_file_refused{setting="credential-file"} 1x720`,
}

// others are the alerts that fire as well: what fails fast also fails fast enough for the slow alert.
var others = map[string]string{
	"ExchangeFailsFast": "ExchangeFailsSlowly", "ExchangeIsSlow": "ExchangeIsSlowForLong",
	"CertificateEnds": "CertificateEndsSoon",
}

// TestAlertsFireWhenTheyShould has Prometheus evaluate each alert every minute, while all is well, and while one
// thing after another is ill.
func TestAlertsFireWhenTheyShould(t *testing.T) {
	all := alerts(t)
	for name := range all {
		if ill[name] == "" {
			t.Errorf("nothing here makes %s fire", name)
		}
	}
	isWell := load(t, well)
	t.Run("all is well", func(t *testing.T) {
		for name, rule := range all {
			if state := newAlert(t, name, rule).at(t, isWell, end); state != rules.StateInactive {
				t.Errorf("%s is %v", name, state)
			}
		}
	})
	for name, series := range ill {
		t.Run(name, func(t *testing.T) {
			isIll := load(t, replaced(t, series))
			for other, rule := range all {
				want := rules.StateInactive
				if other == name || other == others[name] {
					want = rules.StateFiring
				}
				alert := newAlert(t, other, rule)
				alert.at(t, isIll, end.Add(-time.Duration(rule.For)))
				if state := alert.at(t, isIll, end); state != want {
					t.Errorf("%s is %v, want %v", other, state, want)
				}
			}
			passing(t, newAlert(t, name, all[name]), time.Duration(all[name].For), isWell, isIll)
		})
	}
}

// passing evaluates an alert over something that is ill for less time than the alert waits for, then well, and then
// ill again for as long: the alert must not fire.
func passing(t *testing.T, alert alert, waits time.Duration, isWell, isIll storage.Storage) {
	t.Helper()
	if waits == 0 {
		return
	}
	const step = time.Minute
	now := end.Add(-3 * waits)
	for range 2 {
		for began := now; now.Sub(began) < waits; now = now.Add(step) {
			if state := alert.at(t, isIll, now); state != rules.StatePending {
				t.Fatalf("after %v it is %v, want it to wait for %v", now.Sub(began), state, waits)
			}
		}
		if state := alert.at(t, isWell, now); state != rules.StateInactive {
			t.Fatalf("it is %v although all is well", state)
		}
		now = now.Add(step)
	}
}

// end is the last instant of the series.
var end = time.Unix(0, 0).Add(12 * time.Hour)

// alert is an alert as Prometheus evaluates it.
type alert struct {
	*rules.AlertingRule
	engine *promql.Engine
}

func newAlert(t *testing.T, name string, rule rulefmt.Rule) alert {
	t.Helper()
	expression, err := parser.ParseExpr(rule.Expr)
	if err != nil {
		t.Fatal(err)
	}
	return alert{
		rules.NewAlertingRule(name, expression, time.Duration(rule.For), time.Duration(rule.KeepFiringFor),
			labels.FromMap(rule.Labels),
			labels.FromMap(rule.Annotations), labels.EmptyLabels(), "", true, promslog.NewNopLogger()),
		promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery),
	}
}

// at evaluates the alert at an instant and returns its state.
func (a alert) at(t *testing.T, series storage.Storage, now time.Time) rules.AlertState {
	t.Helper()
	if _, err := a.Eval(t.Context(), 0, now, rules.EngineQueryFunc(a.engine, series), nil, 0); err != nil {
		t.Fatal(err)
	}
	return a.State()
}

// load returns a storage with series, which have a value for each minute.
func load(t *testing.T, series string) storage.Storage {
	t.Helper()
	loaded := promqltest.LoadedStorage(t, "load 1m"+series)
	t.Cleanup(func() { _ = loaded.Close() })
	return loaded
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
