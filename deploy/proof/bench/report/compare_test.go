package report

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
)

// kept writes a report of one row into a file and returns its name. Each slice of the exchange uses as much CPU time
// for 100 requests, in milliseconds, and makes as many allocations, in thousands, as a value says; the bare handler
// uses 1 ms. The bytes do not depend on the values.
func kept(t *testing.T, connections int, values ...float64) string {
	t.Helper()
	r := &Report{Began: time.Now(), Options: Options{Duration: 1, Connections: connections}, CPUs: 2}
	var exchange, bare []load.Slice
	for i, v := range values {
		exchange = append(exchange, load.Slice{Requests: 100, PerSecond: 100 / v, CPU: v / 1000, Objects: 1000 * v, Bytes: 1e6 + float64(1000*(i%3))})
		bare = append(bare, load.Slice{Requests: 100, PerSecond: 100, CPU: 0.001})
	}
	r.Add(PlainTable, []Result{{&load.Row{Name: "GET /vehicle"}, exchange, bare}})
	file := filepath.Join(t.TempDir(), "report.json")
	if err := r.Keep(file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestChangesAreToldFromNoise(t *testing.T) {
	older := kept(t, 16, 10, 11, 10.5, 10.2, 10.7)
	for name, c := range map[string]struct {
		newer         string
		cpu, rate, kb string
	}{
		"less":                {kept(t, 16, 8, 8.4, 8.2, 7.9, 8.3), "-21.90%", `\+28.05%`, "~"},
		"one slice is like":   {kept(t, 16, 8, 8.4, 10.3, 7.9, 8.3), "~", "~", "~"},
		"the same":            {older, "~", "~", "~"},
		"more, in three runs": {strings.Join([]string{kept(t, 16, 10.8, 11.5), kept(t, 16, 11.4, 11.1), kept(t, 16, 11.3, 11.2)}, " "), `\+7.14%`, "-6.66%", "~"},
	} {
		var out strings.Builder
		if err := Compare([]string{older, c.newer}, &out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for figure, change := range map[string]string{"CPU µs": c.cpu, "allocations": c.cpu, "rate ratio to bare": c.rate, "allocated KB": c.kb} {
			if !regexp.MustCompile(`(?m)^GET /vehicle +` + figure + ` .* ` + change + ` +\(p=`).MatchString(out.String()) {
				t.Errorf("%s: want the change %s of %s in\n%s", name, change, figure, out.String())
			}
		}
		if strings.Contains(out.String(), "warning") {
			t.Errorf("%s: want no warning in\n%s", name, out.String())
		}
	}
}

func TestOtherReportsAreRefused(t *testing.T) {
	report := kept(t, 16, 10)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"other connections": {[]string{report, kept(t, 8, 10)}, "not made in the same way"},
		"one side":          {[]string{report}, "two sides"},
		"no file":           {[]string{report, " "}, "names no file"},
		"not a report":      {[]string{report, "compare.go"}, "compare.go is not a report"},
	} {
		if err := Compare(c.args, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
