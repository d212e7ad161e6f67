package sight

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// agree compares the metrics that the processes export, and their labels, with those of the documentation, both ways.
func agree(t *testing.T, e *trial.Exchange) {
	exported := map[string]map[string]bool{}
	for _, name := range parts {
		if name != "coverage" {
			gather(exported, e.Metrics(t, name, "text/plain"))
		}
	}
	documented := table(t)
	for name, labels := range documented {
		got, is := exported[name]
		if !is {
			t.Errorf("deploy/README.md describes %s, which no process exports", name)
			continue
		}
		want := slices.Sorted(slices.Values(labels))
		if got := slices.Sorted(maps.Keys(got)); !slices.Equal(got, want) {
			t.Errorf("%s has the labels %v, and deploy/README.md says %v", name, got, want)
		}
	}
	for name := range exported {
		if _, is := documented[name]; !is {
			t.Errorf("%s is exported, and deploy/README.md does not describe it", name)
		}
	}
}

var (
	kind   = regexp.MustCompile(`(?m)^# TYPE (\S+) \S+$`)
	sample = regexp.MustCompile(`(?m)^(\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? \S+$`)
	label  = regexp.MustCompile(`(\w+)="`)
)

// gather adds the metrics of an exposition, with their labels. It leaves out those of Go and of the process, and the
// label of the service, which nearly all have.
func gather(into map[string]map[string]bool, text string) {
	for _, match := range kind.FindAllStringSubmatch(text, -1) {
		name := match[1]
		if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
			continue
		}
		if into[name] == nil {
			into[name] = map[string]bool{}
		}
	}
	for _, match := range sample.FindAllStringSubmatch(text, -1) {
		labels, is := into[match[1]]
		if !is {
			continue
		}
		for _, l := range label.FindAllStringSubmatch(match[2], -1) {
			if l[1] != "service" && l[1] != "le" {
				labels[l[1]] = true
			}
		}
	}
}

var (
	row    = regexp.MustCompile("(?m)^\\| `([a-z]+_[a-z_]+)` \\|[^|]*\\|([^|]*)\\|$")
	aside  = regexp.MustCompile(`\([^)]*\)|:.*`)
	quoted = regexp.MustCompile("`(\\w+)`")
)

// table returns the labels of the metrics of the documentation.
func table(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, match := range row.FindAllStringSubmatch(string(text), -1) {
		found[match[1]] = nil
		for _, l := range quoted.FindAllStringSubmatch(aside.ReplaceAllString(match[2], ""), -1) {
			found[match[1]] = append(found[match[1]], l[1])
		}
	}
	if len(found) == 0 {
		t.Fatal("deploy/README.md has no table of metrics")
	}
	return found
}

// showExamples looks for the trace of a receipt among the durations of requests and of operations of the store.
func showExamples(t *testing.T, e *trial.Exchange) {
	const open, plain = "application/openmetrics-text; version=1.0.0", "text/plain"
	for name, want := range map[string][]string{
		"gateway": {`http_request_duration_seconds_bucket{`, `route="/receipt"`},
		"premium": {`store_operation_duration_seconds_bucket{`, `collection="receipt"`},
	} {
		found := false
		for line := range strings.Lines(e.Metrics(t, name, open)) {
			found = found || strings.HasPrefix(line, want[0]) && strings.Contains(line, want[1]) &&
				strings.Contains(line, `# {trace_id="`+trace+`"}`)
		}
		if !found {
			t.Errorf("no bucket of %s of %s has the trace as its example", want, name)
		}
		if strings.Contains(e.Metrics(t, name, plain), "trace_id") {
			t.Errorf("%s shows examples to one that does not ask for OpenMetrics", name)
		}
	}
}
