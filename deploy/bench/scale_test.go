package main

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestScaleFindsWhatItHasLoaded holds that what one run has loaded and left in a folder is not loaded again by the next, and not taken for
// another number of records.
func TestScaleFindsWhatItHasLoaded(t *testing.T) {
	var out strings.Builder
	b := &bench{options: options{keep: filepath.Join(t.TempDir(), "kept"), count: 60}, out: &out}
	loaded, err := loadRecords(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if b.data != b.keep || len(loaded.vehicles) != 60 || len(loaded.policies) != 60 || len(loaded.pages) == 0 {
		t.Errorf("loaded %+v into %s, want 60 of each kind in %s", loaded, b.data, b.keep)
	}
	out.Reset()
	b = &bench{options: b.options, out: &out}
	found, err := loadRecords(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(found, loaded) || b.data != b.keep || out.Len() > 0 {
		t.Errorf("found %+v in %s, want %+v; printed %q", found, b.data, loaded, out.String())
	}
	b.count++
	if _, err := loadRecords(t.Context(), b); err == nil || !strings.Contains(err.Error(), "-count 60") {
		t.Errorf("error %v, want one that names the count of what is kept", err)
	}
}

// TestScaleRefusesWhatIsNotWhole holds that what a load has left that broke off is neither measured nor added to.
func TestScaleRefusesWhatIsNotWhole(t *testing.T) {
	b := &bench{options: options{keep: t.TempDir(), count: 60}, out: io.Discard}
	if _, err := loadRecords(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.keep, "loaded.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := loadRecords(t.Context(), b); err == nil || !strings.Contains(err.Error(), "coverage.db is not whole") {
		t.Errorf("error %v, want one that names the file", err)
	}
}

// rate returns a slice with a rate.
func rate(perSecond float64) []slice { return []slice{{PerSecond: perSecond}} }

func TestScaleFallsShort(t *testing.T) {
	for name, c := range map[string]struct {
		large float64
		met   bool
	}{
		"as fast, on a machine half as fast": {25, true},
		"too slow":                           {20, false},
	} {
		small := result{row: &row{name: "GET /vehicle"}, exchange: rate(50), bare: rate(100)}
		large := result{row: small.row, exchange: rate(c.large), bare: rate(50)}
		var out strings.Builder
		if met := printScale(&out, []result{small}, []result{large}); met != c.met || strings.Contains(out.String(), "below target") == c.met {
			t.Errorf("%s: met %v\n%s", name, met, out.String())
		}
	}
}
