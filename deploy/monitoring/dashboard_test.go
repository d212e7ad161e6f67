package monitoring

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/storage"
)

// dashboard is what the tests read of a dashboard of Grafana.
type dashboard struct {
	Panels     []panel
	Templating struct{ List []struct{ Name string } }
}

type panel struct {
	Title, Description string
	FieldConfig        struct {
		Defaults  struct{ Unit string }
		Overrides []struct {
			Matcher    struct{ ID, Options string }
			Properties []struct{ ID string }
		}
	}
	Targets []target
}

type target struct{ RefID, Expr string }

// expression returns what Prometheus is asked for when the last three hours of all namespaces and jobs are shown.
func (t target) expression() string {
	return strings.NewReplacer("$__rate_interval", "5m", "$__range", "3h", "$namespace", ".*", "$job", ".*").
		Replace(t.Expr)
}

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	text, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var shown dashboard
	if err := json.Unmarshal(text, &shown); err != nil {
		t.Fatalf("dashboard.json: %v", err)
	}
	if len(shown.Panels) != 9 {
		t.Errorf("the dashboard has %d panels, not nine", len(shown.Panels))
	}
	return shown
}

// TestPanelsAreComplete looks for what a reader needs to understand a panel, and for exceptions that are of no query,
// which Grafana would ignore.
func TestPanelsAreComplete(t *testing.T) {
	for _, panel := range readDashboard(t).Panels {
		if panel.Title == "" || panel.Description == "" || panel.FieldConfig.Defaults.Unit == "" ||
			len(panel.Targets) == 0 {
			t.Errorf("panel %q lacks its title, its description, its unit or its queries", panel.Title)
		}
		for _, override := range panel.FieldConfig.Overrides {
			if override.Matcher.ID != "byFrameRefID" {
				t.Errorf("%s: an override is by %s, not by the query (byFrameRefID)", panel.Title, override.Matcher.ID)
			}
			if !slices.ContainsFunc(panel.Targets, func(query target) bool {
				return query.RefID == override.Matcher.Options
			}) {
				t.Errorf("%s: an override is for query %q, which the panel does not have", panel.Title,
					override.Matcher.Options)
			}
			if len(override.Properties) == 0 {
				t.Errorf("%s: the override for query %q changes nothing", panel.Title, override.Matcher.Options)
			}
		}
	}
}

// TestPanelsAreScoped looks for the variables by which a reader chooses a namespace and a job: each query of the
// processes goes by both.
func TestPanelsAreScoped(t *testing.T) {
	shown := readDashboard(t)
	var names []string
	for _, variable := range shown.Templating.List {
		names = append(names, variable.Name)
	}
	if !slices.Equal(names, []string{"datasource", "namespace", "job"}) {
		t.Errorf("the variables are %v", names)
	}
	for _, panel := range shown.Panels {
		for _, query := range panel.Targets {
			selectors := strings.Count(query.Expr, "{") // of labels
			if strings.Count(query.Expr, `{namespace=~"$namespace",job=~"$job"`) != selectors ||
				selectors == 0 && query.Expr != "vector(0.001)" {
				t.Errorf("%s: query %s does not go by the variables", panel.Title, query.RefID)
			}
		}
	}
}

// trouble are the series of 12 hours in which something is wrong everywhere.
const trouble = `
  http_request_duration_seconds_count{service="gateway",route="/claim",method="GET",code="200"} 0+6000x720
  http_request_duration_seconds_count{service="gateway",route="/claim",method="POST",code="503"} 0+60x720
  http_request_duration_seconds_bucket{service="gateway",route="/claim",method="GET",code="200",le="1"} 0+5970x720
  http_request_duration_seconds_bucket{service="gateway",route="/claim",method="GET",code="200",le="+Inf"} 0+6000x720
  http_problems_total{service="claims",type="unavailable"} 0+60x720
  store_operation_duration_seconds_bucket{service="claims",collection="claim",operation="insert",outcome="ok",le="1"} 0+5970x720
  store_operation_duration_seconds_bucket{service="claims",collection="claim",operation="insert",outcome="ok",le="+Inf"} 0+6000x720
  store_operation_duration_seconds_count{service="claims",collection="claim",operation="insert",outcome="unavailable"} 0+60x720
  peer_request_duration_seconds_bucket{service="claims",peer="coverage",method="GET",code="200",le="1"} 0+5970x720
  peer_request_duration_seconds_bucket{service="claims",peer="coverage",method="GET",code="200",le="+Inf"} 0+6000x720
  peer_breaker_state{service="claims",peer="coverage"} 2x720
  exchange_admission_refused_total{service="gateway",to="claims",problem="overloaded"} 0+600x720
  exchange_admission_in_work{service="gateway",to="claims"} 150x720
  exchange_admission_limit{service="gateway",to="claims"} 250x720
  exchange_connections_refused_total{job="gateway"} 0+60x720
  bus_outbox_age_seconds{service="premium",topic="t"} 61x720
  bus_outbox_failing{service="premium",topic="t"} 3x720
  bus_outbox_names{service="premium",topic="t"} 40x720
  bus_consumer_dead_letters_total{service="premium",topic="t",group="g"} 0+1x720
  exchange_feed_watermark_seconds{service="feed",of="claims"} -120+60x720
  exchange_feed_behind{service="feed",of="claims"} 1x720
  exchange_book_watermark_seconds{service="book"} -120+60x720
  exchange_book_behind{service="book"} 1x720
  exchange_webhook_lag_seconds{service="feed",webhook="w"} 61x720
  exchange_webhook_paused{service="feed",webhook="w"} 1x720
`

// TestPanelsShowTrouble has Prometheus evaluate every query while something is wrong everywhere: each must find
// numbers above zero.
func TestPanelsShowTrouble(t *testing.T) {
	isIll := load(t, trouble)
	engine := promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)
	for _, panel := range readDashboard(t).Panels {
		for _, query := range panel.Targets {
			found := values(t, engine, isIll, query)
			if len(found) == 0 {
				t.Errorf("%s: query %s finds nothing", panel.Title, query.RefID)
			}
			if slices.ContainsFunc(found, func(value float64) bool { return math.IsNaN(value) || value <= 0 }) {
				t.Errorf("%s: query %s finds %v", panel.Title, query.RefID, found)
			}
		}
	}
}

// values returns what a query finds at the end of series.
func values(t *testing.T, engine *promql.Engine, series storage.Storage, query target) []float64 {
	t.Helper()
	prepared, err := engine.NewInstantQuery(t.Context(), series, nil, query.expression(), end)
	if err != nil {
		t.Fatalf("query %s: %v", query.Expr, err)
	}
	defer prepared.Close()
	result, err := prepared.Exec(t.Context()).Vector()
	if err != nil {
		t.Fatalf("query %s: %v", query.Expr, err)
	}
	found := make([]float64, len(result))
	for i, sample := range result {
		found[i] = sample.F
	}
	return found
}
