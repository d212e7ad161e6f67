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
	loaded, err := b.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if b.data != b.keep || len(loaded.vehicles) != 60 || len(loaded.policies) != 60 || len(loaded.pages) == 0 {
		t.Errorf("loaded %+v into %s, want 60 of each kind in %s", loaded, b.data, b.keep)
	}
	out.Reset()
	b = &bench{options: b.options, out: &out}
	found, err := b.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(found, loaded) || b.data != b.keep || out.Len() > 0 {
		t.Errorf("found %+v in %s, want %+v; printed %q", found, b.data, loaded, out.String())
	}
	b.count++
	if _, err := b.load(t.Context()); err == nil || !strings.Contains(err.Error(), "-count 60") {
		t.Errorf("error %v, want one that names the count of what is kept", err)
	}
}

// TestScaleRefusesWhatIsNotWhole holds that what a load has left that broke off is neither measured nor added to.
func TestScaleRefusesWhatIsNotWhole(t *testing.T) {
	b := &bench{options: options{keep: t.TempDir(), count: 60}, out: io.Discard}
	if _, err := b.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(b.keep, "loaded.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.load(t.Context()); err == nil || !strings.Contains(err.Error(), "coverage.db is not whole") {
		t.Errorf("error %v, want one that names the file", err)
	}
}
