package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"insurance.example/exchange/deploy/exchange/allinone"
	"insurance.example/exchange/pkg/problem"
)

// unreachable are the declared refusals that no request can cause on one version of the exchange, and why.
var unreachable = map[string]string{
	refusalName("petCoverage", "petKind is dog and petBreed is not set",
		"dog-breed-required"): "POST and PUT /pet refuse such a dog already",
}

// refusalsAsDeclared compares the problems that checks declare with those that the checks of the shared exchange have
// returned since it started, in the run of the conformance suite. Both must be the same.
func refusalsAsDeclared(t *testing.T) {
	exceedSettings(t)
	seen := refusalsSeen(t)
	for _, s := range allinone.Services() {
		resources, _, err := s.Describe()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range resources {
			for _, c := range append(r.Checks, r.Rules...) {
				for _, kind := range c.Refuses {
					refusal := refusalName(r.Resource, c.Name, problem.Kind.Slug(kind))
					if !seen[refusal] && unreachable[refusal] == "" {
						t.Errorf("declared, and never seen: %s", refusal)
					}
					delete(seen, refusal)
				}
			}
		}
	}
	for refusal := range seen {
		t.Errorf("seen, and not declared: %s", refusal)
	}
}

// exceedSettings makes the refusals of what is more than the shared exchange is set to take. The suite knows only the
// interface.
func exceedSettings(t *testing.T) {
	c := caller(t)
	documents := slices.Repeat([]string{"https://example.com/document"}, 1001)
	c.Post(t, "/claim", loss(policy(t, c).Text("policyNumber"), -3).With("documents", documents)).
		Want(t, http.StatusBadRequest)
}

func refusalName(resource, check, slug string) string {
	return fmt.Sprintf("%s: %s: %s", resource, check, slug)
}

// refusalsSeen returns the refusals that the shared exchange has counted.
func refusalsSeen(t *testing.T) map[string]bool {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(whole.Metrics(t, "exchange", "text/plain")))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, metric := range families["exchange_check_refusals_total"].GetMetric() {
		labels := map[string]string{}
		for _, label := range metric.GetLabel() {
			labels[label.GetName()] = label.GetValue()
		}
		seen[refusalName(labels["resource"], labels["check"], labels["problem"])] = true
	}
	return seen
}
