package report

import (
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestTableMarksWhatIsOutsideItsBound(t *testing.T) {
	for within, mark := range map[bool]string{true: "", false: " !"} {
		var out strings.Builder
		table := NewTable(&out, nil, []string{"GET /vehicle"})
		table.Row("GET /vehicle", Of("ratio", "", 2, 0.3, 0.5, 0.1).If(within), Text("statuses", "200: 7"))
		want := "row           ratio    statuses\nGET /vehicle  " + strings.TrimRight("0.30"+mark, " ")
		if !strings.HasPrefix(out.String(), want) || !strings.HasSuffix(out.String(), "  200: 7\n") ||
			table.Met != within {
			t.Errorf("met %v and\n%swant\n%s", table.Met, out.String(), want)
		}
	}
}

// TestResultsAreReadByBenchstat reads what a table has written with the reader of benchstat.
func TestResultsAreReadByBenchstat(t *testing.T) {
	var out, results strings.Builder
	table := NewTable(&out, &results, nil)
	table.Row("GET /vehicle/{id}", Of("requests/s", "req/s", 0, 1000, 3000),
		Of("errors", "", 0, 0), Of("slower", "slower", 2, 1.25))
	reader := benchfmt.NewReader(strings.NewReader(results.String()), "results")
	var rates, slower []float64
	for reader.Scan() {
		r, is := reader.Result().(*benchfmt.Result)
		if !is || r.Name.String() != "Exchange/GET_/vehicle/{id}" {
			t.Fatalf("%v in\n%s", reader.Result(), results.String())
		}
		for _, v := range r.Values {
			if v.Unit == "slower" {
				slower = append(slower, v.Value)
			} else {
				rates = append(rates, v.Value)
			}
		}
	}
	if len(rates) != 2 || rates[0] != 1000 || rates[1] != 3000 || len(slower) != 1 || slower[0] != 1.25 {
		t.Errorf("rates %v and %v in\n%s", rates, slower, results.String())
	}
}
