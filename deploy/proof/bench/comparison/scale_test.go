package comparison

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/report"
)

// TestScaleFindsWhatItHasLoaded holds that what one run has loaded and left in a folder is not loaded again by the
// next, and not taken for another number of records.
func TestScaleFindsWhatItHasLoaded(t *testing.T) {
	var out strings.Builder
	b := &measurement.Run{Options: measurement.Options{Keep: filepath.Join(t.TempDir(), "kept"), Count: 60}, Out: &out}
	loaded, err := loadRecords(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if b.Data != b.Keep || len(loaded.Vehicles) != 60 || len(loaded.Policies) != 60 || len(loaded.Pages) == 0 {
		t.Errorf("loaded %+v into %s, want 60 of each kind in %s", loaded, b.Data, b.Keep)
	}
	out.Reset()
	b = &measurement.Run{Options: b.Options, Out: &out}
	found, err := loadRecords(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(found, loaded) || b.Data != b.Keep || out.Len() > 0 {
		t.Errorf("found %+v in %s, want %+v; printed %q", found, b.Data, loaded, out.String())
	}
	b.Count++
	if _, err := loadRecords(t.Context(), b); err == nil || !strings.Contains(err.Error(), "-count 60") {
		t.Errorf("error %v, want one that names the count of what is kept", err)
	}
}

// TestScaleRefusesWhatIsNotWhole holds that what a load has left that broke off is neither measured nor added to.
func TestScaleRefusesWhatIsNotWhole(t *testing.T) {
	b := &measurement.Run{Options: measurement.Options{Keep: t.TempDir(), Count: 60}, Out: io.Discard}
	if _, err := loadRecords(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.Keep, "loaded.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := loadRecords(t.Context(), b); err == nil || !strings.Contains(err.Error(), "coverage.db is not whole") {
		t.Errorf("error %v, want one that names the file", err)
	}
}

// rate returns a slice with a rate.
func rate(perSecond float64) []load.Slice { return []load.Slice{{PerSecond: perSecond}} }

func TestScaleFallsShort(t *testing.T) {
	for name, c := range map[string]struct {
		large float64
		met   bool
	}{
		"as fast, on a machine half as fast": {25, true},
		"too slow":                           {20, false},
	} {
		small := report.Result{Row: &load.Row{Name: "GET /vehicle"}, Exchange: rate(50), Bare: rate(100)}
		large := report.Result{Row: small.Row, Exchange: rate(c.large), Bare: rate(50)}
		var out strings.Builder
		if met := printScale(&out, []report.Result{small}, []report.Result{large}); met != c.met || strings.Contains(out.String(), "below target") == c.met {
			t.Errorf("%s: met %v\n%s", name, met, out.String())
		}
	}
}
