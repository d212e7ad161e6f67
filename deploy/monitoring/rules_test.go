// Package monitoring tests the alerts and the dashboard with the parser and the engine of Prometheus.
package monitoring

import (
	"os"
	"slices"
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
  http_request_duration_seconds_count{namespace="prod",job="gateway",service="gateway",route="/claim",method="GET",code="200"} 0+6000x720
  http_request_duration_seconds_count{namespace="prod",job="gateway",service="gateway",route="/claim",method="POST",code="503"} 0+0x720
  http_request_duration_seconds_count{namespace="prod",job="claims",service="claims",route="/claim",method="GET",code="500"} 0+6000x720
  http_request_duration_seconds_bucket{namespace="prod",job="gateway",service="gateway",route="/claim",method="GET",code="200",le="1"} 0+5970x720
  http_request_duration_seconds_bucket{namespace="prod",job="gateway",service="gateway",route="/claim",method="GET",code="200",le="+Inf"} 0+6000x720
  bus_outbox_age_seconds{namespace="prod",job="premium",service="premium",topic="t"} 2x720
  bus_consumer_dead_letters_total{namespace="prod",job="premium",service="premium",topic="t"} 3x720
  store_operation_duration_seconds_count{namespace="prod",job="claims",service="claims",collection="claim",outcome="ok"} 0+6000x720
  store_operation_duration_seconds_count{namespace="prod",job="claims",service="claims",collection="claim",outcome="unavailable"} 4x720
  peer_breaker_state{namespace="prod",job="claims",service="claims",peer="coverage"} 0x720
  exchange_admission_admitted_total{namespace="prod",job="gateway",service="gateway",to="claims"} 0+600x720
  exchange_admission_refused_total{namespace="prod",job="gateway",service="gateway",to="claims",problem="overloaded"} 0+3x720
  exchange_connections_refused_total{namespace="prod",job="gateway"} 3x720
  store_records_without_key{namespace="prod",job="claims",service="claims",collection="claim"} 0x720
  exchange_certificate_end_timestamp_seconds{namespace="prod",job="claims",setting="tls-certificate"} 2592000x720
  exchange_changed_file_refused{namespace="prod",job="claims",setting="credential-file"} 0x720
  exchange_audit_writes_failed_total{namespace="prod",job="claims"} 5x720
  exchange_feed_behind{namespace="prod",job="feed",service="feed",of="claims"} 0x720
  exchange_feed_watermark_seconds{namespace="prod",job="feed",service="feed",of="claims"} 0+60x720
  exchange_book_behind{namespace="prod",job="book",service="book",pod="book-0"} 0x720
  exchange_book_watermark_seconds{namespace="prod",job="book",service="book",pod="book-0"} 0+60x720
  exchange_book_watermark_seconds{namespace="prod",job="book",service="book",pod="book-1"} 0x720
  exchange_webhook_paused{namespace="prod",job="feed",service="feed",webhook="w"} 0x720
  exchange_webhook_lag_seconds{namespace="prod",job="feed",service="feed",webhook="w"} 1x720
  up{namespace="prod",job="gateway",pod="gateway-0"} 1x720
  up{namespace="prod",job="gateway",pod="gateway-1"} 1x720
  up{namespace="prod",job="claims",pod="claims-0"} 1x720
  up{namespace="prod",job="claims",pod="claims-1"} 1x720
  up{namespace="other",job="claims",pod="claims-0"} 1x720
  peer_breaker_state{namespace="prod",job="claims",pod="claims-1",service="claims",peer="coverage"} 0x720
  kube_deployment_spec_replicas{namespace="prod",deployment="claims"} 2x720
  kube_deployment_status_replicas_ready{namespace="prod",deployment="claims"} 2x720
  kube_deployment_spec_replicas{namespace="foreign",deployment="claims"} 2x720
  kube_deployment_status_replicas_ready{namespace="foreign",deployment="claims"} 0x720
`

// ill holds for each alert what makes it fire after 12 hours, in place of series of well that differ only in their
// values.
var ill = map[string]string{
	// A value that is left out (_) is a series that Prometheus does not have.
	"ExchangeIsNotWatched": `up{namespace="prod",job="gateway",pod="gateway-0"} _x720
	  up{namespace="prod",job="gateway",pod="gateway-1"} _x720`,
	"ProcessIsNotWatched": `up{namespace="prod",job="claims",pod="claims-0"} 1x600 _x120
	  up{namespace="prod",job="claims",pod="claims-1"} 1x600 _x120`,
	"NoProcessResponds": `up{namespace="prod",job="claims",pod="claims-0"} 0x720
	  up{namespace="prod",job="claims",pod="claims-1"} 0x720`,
	"ProcessDoesNotRespond": `up{namespace="prod",job="claims",pod="claims-0"} 0x720`,
	"NoPodIsReady":          `kube_deployment_status_replicas_ready{namespace="prod",deployment="claims"} 0x720`,
	"PodsAreNotReady":       `kube_deployment_status_replicas_ready{namespace="prod",deployment="claims"} 1x720`,
	"AuditIsNotWritten":     `exchange_audit_writes_failed_total{namespace="prod",job="claims"} 5x712 6x8`,
	// Two in a hundred fail.
	"ExchangeFailsFast": `http_request_duration_seconds_count{namespace="prod",job="gateway",service="gateway",route="/claim",method="POST",code="503"} 0+120x720`,
	// Eight in a thousand fail.
	"ExchangeFailsSlowly": `http_request_duration_seconds_count{namespace="prod",job="gateway",service="gateway",route="/claim",method="POST",code="503"} 0+48x720`,
	// One in six is slow.
	"ExchangeIsSlow": `http_request_duration_seconds_bucket{namespace="prod",job="gateway",service="gateway",route="/claim",method="GET",code="200",le="1"} 0+5000x720`,
	// One in fourteen is slow.
	"ExchangeIsSlowForLong": `http_request_duration_seconds_bucket{namespace="prod",job="gateway",service="gateway",route="/claim",method="GET",code="200",le="1"} 0+5570x720`,
	"BordereauIsLate":       `bus_outbox_age_seconds{namespace="prod",job="premium",service="premium",topic="t"} 61x720`,
	"DeadLetters":           `bus_consumer_dead_letters_total{namespace="prod",job="premium",service="premium",topic="t"} 3x700 4x20`,
	"StoreFails":            `store_operation_duration_seconds_count{namespace="prod",job="claims",service="claims",collection="claim",outcome="unavailable"} 4+10x720`,
	"BreakerIsOpen":         `peer_breaker_state{namespace="prod",job="claims",service="claims",peer="coverage"} 2x720`,
	// Two in a hundred are refused.
	"RequestsAreRefused":    `exchange_admission_refused_total{namespace="prod",job="gateway",service="gateway",to="claims",problem="overloaded"} 0+12x720`,
	"ConnectionsAreRefused": `exchange_connections_refused_total{namespace="prod",job="gateway"} 0+3x720`,
	"IndexLacksRecords":     `store_records_without_key{namespace="prod",job="claims",service="claims",collection="claim"} 0x700 1x20`,
	// In six days.
	"CertificateEndsSoon": `exchange_certificate_end_timestamp_seconds{namespace="prod",job="claims",setting="tls-certificate"} 561600x720`,
	// In half a day.
	"CertificateEnds":      `exchange_certificate_end_timestamp_seconds{namespace="prod",job="claims",setting="tls-certificate"} 86400x720`,
	"ChangedFileIsRefused": `exchange_changed_file_refused{namespace="prod",job="claims",setting="credential-file"} 1x720`,
	"FeedIsBehind":         `exchange_feed_behind{namespace="prod",job="feed",service="feed",of="claims"} 1x720`,
	// Two minutes.
	"FeedLags":        `exchange_feed_watermark_seconds{namespace="prod",job="feed",service="feed",of="claims"} -120+60x720`,
	"BookIsBehind":    `exchange_book_behind{namespace="prod",job="book",service="book",pod="book-0"} 1x720`,
	"BookLags":        `exchange_book_watermark_seconds{namespace="prod",job="book",service="book",pod="book-1"} -120+60x720`,
	"WebhookIsPaused": `exchange_webhook_paused{namespace="prod",job="feed",service="feed",webhook="w"} 1x720`,
	"WebhookLags":     `exchange_webhook_lag_seconds{namespace="prod",job="feed",service="feed",webhook="w"} 601x720`,
}

// others are the alerts that fire as well: what fails fast also fails fast enough for the slow alert.
var others = map[string]string{
	"ExchangeFailsFast": "ExchangeFailsSlowly", "ExchangeIsSlow": "ExchangeIsSlowForLong",
	"CertificateEnds": "CertificateEndsSoon", "NoProcessResponds": "ProcessDoesNotRespond",
	"NoPodIsReady": "PodsAreNotReady",
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

// replaced returns the series of well with others in place of their like.
func replaced(t *testing.T, series string) string {
	t.Helper()
	all := well
	for one := range strings.Lines(series) {
		one = strings.TrimSpace(one)
		id, _, _ := strings.Cut(one, "} ")
		_, rest, found := strings.Cut(all, "  "+id+"} ")
		if !found {
			t.Fatalf("there is no series %s}", id)
		}
		was, _, _ := strings.Cut(rest, "\n")
		all = strings.Replace(all, "  "+id+"} "+was, "  "+one, 1)
	}
	return all
}

// TestNoPageForASingleFailure has one thing fail once, at a time of few requests: nobody is called.
func TestNoPageForASingleFailure(t *testing.T) {
	for name, series := range map[string]string{
		"a request": `
  http_request_duration_seconds_count{namespace="prod",job="gateway",service="gateway",route="/claim",code="200"} 0+1x720
  http_request_duration_seconds_bucket{namespace="prod",job="gateway",service="gateway",route="/claim",le="1"} 0+1x720
  http_request_duration_seconds_count{namespace="prod",job="gateway",service="gateway",route="/claim",code="503"} 0x718 1x2
  up{namespace="prod",job="gateway",pod="gateway-0"} 1x720
`,
		"slow requests": `
  http_request_duration_seconds_count{namespace="prod",job="gateway",service="gateway",route="/claim",code="200"} 0x700 9x20
  http_request_duration_seconds_bucket{namespace="prod",job="gateway",service="gateway",route="/claim",le="1"} 0x720
  up{namespace="prod",job="gateway",pod="gateway-0"} 1x720
`,
		"operations of a store": `
  store_operation_duration_seconds_count{namespace="prod",job="claims",service="claims",outcome="unavailable"} 0x710 3x10
  up{namespace="prod",job="gateway",pod="gateway-0"} 1x720
`,
		"a process": `
  up{namespace="prod",job="gateway",pod="gateway-0"} 1x720
  up{namespace="prod",job="gateway",pod="gateway-1"} 0x720
  peer_breaker_state{namespace="prod",job="claims",pod="claims-0",service="claims",peer="coverage"} 2x720
  peer_breaker_state{namespace="prod",job="claims",pod="claims-1",service="claims",peer="coverage"} 0x720
  peer_breaker_state{namespace="prod",job="claims",pod="claims-2",service="claims",peer="coverage"} 0x720
`,
	} {
		t.Run(name, func(t *testing.T) {
			loaded := load(t, series)
			for page, rule := range alerts(t) {
				if rule.Labels["severity"] != "page" {
					continue
				}
				for back := 15; back >= 0; back-- {
					alert := newAlert(t, page, rule)
					now := end.Add(-time.Duration(back) * time.Minute)
					alert.at(t, loaded, now.Add(-time.Duration(rule.For)))
					if state := alert.at(t, loaded, now); state == rules.StateFiring {
						t.Errorf("%s fires", page)
						break
					}
				}
			}
		})
	}
}

// TestAlertsAreScoped looks for what several exchanges under one Prometheus need: each alert says which namespace it
// is about, reads the jobs of the exchange only, and leads to what the documentation says of it.
func TestAlertsAreScoped(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	bases, err := os.ReadDir("../kubernetes/base")
	if err != nil {
		t.Fatal(err)
	}
	for name, rule := range alerts(t) {
		anchor := strings.ToLower(name)
		if !strings.HasSuffix(rule.Annotations["runbook_url"], "/deploy/monitoring/README.md#"+anchor) ||
			!strings.Contains(string(text), "<a id=\""+anchor+"\"></a>`"+name+"`") {
			t.Errorf("%s leads to %s, and README.md must say there what to do", name, rule.Annotations["runbook_url"])
		}
		parsed, err := parser.ParseExpr(rule.Expr)
		if err != nil {
			t.Fatal(err)
		}
		jobs := map[string]bool{}
		parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
			selector, is := node.(*parser.VectorSelector)
			if !is {
				return nil
			}
			at := slices.IndexFunc(selector.LabelMatchers, func(m *labels.Matcher) bool {
				return m.Name == "job" || m.Name == "deployment"
			})
			if at < 0 {
				t.Errorf("%s: %s may be of anybody; name the jobs", name, selector.Name)
				return nil
			}
			for job := range strings.SplitSeq(selector.LabelMatchers[at].Value, "|") {
				jobs[job] = true
			}
			return nil
		})
		parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
			if sum, is := node.(*parser.AggregateExpr); is && !slices.Contains(sum.Grouping, "namespace") {
				t.Errorf("%s: %s mixes namespaces", name, sum)
			}
			return nil
		})
		// Either one process is meant, or every one.
		if len(jobs) > 2 {
			for _, base := range bases {
				if base.IsDir() && !jobs[base.Name()] {
					t.Errorf("%s does not look at the job %s", name, base.Name())
				}
			}
		}
	}
}
