package monitoring

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

var (
	row    = regexp.MustCompile("(?m)^\\| `([a-z]+_[a-z_]+)` \\|[^|]*\\|([^|]*)\\|$")
	quoted = regexp.MustCompile("`(\\w+)`")
	suffix = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// scope are the labels that Prometheus itself adds.
var scope = []string{"namespace", "job"}

// documented returns the labels of the metrics that deploy/README.md describes. Tests of the whole
// (deploy/proof/e2e/sight) compare them with those that the processes export. To these it adds those of Prometheus and
// of kube-state-metrics that the alerts read.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, match := range row.FindAllStringSubmatch(string(text), -1) {
		found[match[1]] = []string{"service", "le"}
		for _, l := range quoted.FindAllStringSubmatch(match[2], -1) {
			found[match[1]] = append(found[match[1]], l[1])
		}
	}
	if len(found) == 0 {
		t.Fatal("deploy/README.md has no table of metrics")
	}
	for name := range found {
		found[name] = append(found[name], scope...)
	}
	found["up"] = scope
	for _, metric := range []string{"kube_deployment_spec_replicas", "kube_deployment_status_replicas_ready"} {
		found[metric] = append([]string{"deployment"}, scope...)
	}
	return found
}

// TestNamesAreThoseOfTheProcesses parses every expression of the dashboard and of the alerts, and looks its metrics
// and labels up in the documentation.
func TestNamesAreThoseOfTheProcesses(t *testing.T) {
	known := documented(t)
	for _, panel := range readDashboard(t).Panels {
		for _, target := range panel.Targets {
			look(t, panel.Title, target.expression(), known)
		}
	}
	for name, rule := range alerts(t) {
		look(t, name, rule.Expr, known)
	}
}

// look reports the metrics and labels of an expression that are not known.
func look(t *testing.T, where, expression string, known map[string][]string) {
	t.Helper()
	parsed, err := parser.ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	var of []string
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		selector, is := node.(*parser.VectorSelector)
		if !is {
			return nil
		}
		name := suffix.ReplaceAllString(selector.Name, "")
		has, is := known[name]
		if !is {
			t.Errorf("%s: no process exports %s", where, selector.Name)
			return nil
		}
		of = append(of, has...)
		for _, m := range selector.LabelMatchers {
			if m.Name != labels.MetricName && !slices.Contains(has, m.Name) {
				t.Errorf("%s: %s has no label %s", where, name, m.Name)
			}
		}
		return nil
	})
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		if sum, is := node.(*parser.AggregateExpr); is {
			for _, label := range sum.Grouping {
				if !slices.Contains(of, label) {
					t.Errorf("%s: no metric of %s has the label %s", where, expression, label)
				}
			}
		}
		return nil
	})
}
