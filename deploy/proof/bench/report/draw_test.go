package report

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/bench/load"
)

// grown returns a report of -scale, in which a read costs so many microseconds before and after, and 10 from the bare
// handler.
func grown(count int, small, large float64) *Report {
	rows := func(cost float64) []Row {
		return []Row{{Name: "GET /a?b<c", Exchange: []load.Slice{{Requests: 1, CPU: cost / 1e6}}, Bare: []load.Slice{{Requests: 1, CPU: 10e-6}}}}
	}
	return &Report{
		Options: Options{Policies: 500, Count: count},
		Tables:  []Table{{SmallTable, rows(small)}, {LargeTable, rows(large)}},
	}
}

// TestDrawingHasEveryPoint holds that each figure that was measured is drawn at its place, in order of the records.
func TestDrawingHasEveryPoint(t *testing.T) {
	drawn, err := drawing([]*Report{grown(1_000_000, 99, 30), grown(10_000, 20, 25)})
	if err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(strings.NewReader(drawn)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, drawn)
		}
	}
	rest := drawn
	for _, want := range []string{">500<", ">10,000<", ">1,000,000<", ">2.00<", ">2.50<", ">3.00<", "GET /a?b&lt;c"} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("want %s, after what comes before it, in\n%s", want, drawn)
		}
		rest = after
	}
	if strings.Contains(drawn, "9.90") {
		t.Errorf("the small store of a second report is drawn in\n%s", drawn)
	}
}

// TestDrawingNeedsTheSameRows holds that a row is not drawn over sizes at which it was not measured.
func TestDrawingNeedsTheSameRows(t *testing.T) {
	lacking := grown(1000, 20, 20)
	lacking.Tables[1].Rows = nil
	if _, err := drawing([]*Report{grown(10_000, 20, 20), lacking}); err == nil || !strings.Contains(err.Error(), "GET /a?b<c") {
		t.Errorf("error %v, want one that names the row", err)
	}
}

// TestGrowthIsAsMeasured holds that the picture in the note shows what the reports beside it have.
func TestGrowthIsAsMeasured(t *testing.T) {
	files, err := filepath.Glob("../growth/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("reports %v, %v", files, err)
	}
	drawn := filepath.Join(t.TempDir(), "growth.svg")
	if err := Draw(append([]string{drawn}, files...)); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(drawn)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("../growth/growth.svg"); err != nil || string(got) != string(want) {
		t.Errorf("growth/growth.svg differs from what its reports give (%v): bin/bench draw deploy/proof/bench/growth/growth.svg deploy/proof/bench/growth/*.json", err)
	}
}
