package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestCountLines(t *testing.T) {
	const file = "// Package p has two lines of comment\n// and three of code.\npackage p\n\nvar text = " +
		"`first\nlast` // with a comment\n"
	if got, want := countLines([]byte(file)), (lines{6, 3}); got != want {
		t.Errorf("%+v; want %+v", got, want)
	}
}

func TestCirclesOfRooms(t *testing.T) {
	packages := []pack{
		{folder: "pkg/rest", imports: []string{"pkg/docstore"}},
		{folder: "pkg/rest/inspect"},
		{folder: "pkg/docstore", imports: []string{"pkg/docstore/internal/keys"}},
		{folder: "services/claims", imports: []string{"pkg/rest", "pkg/rest/inspect"}},
	}
	if found := circles(packages); len(found) > 0 {
		t.Errorf("%v; there is no circle", found)
	}
	packages = append(packages, pack{folder: "pkg/docstore/sqlitestore", imports: []string{"pkg/rest/inspect"}})
	if found, want := circles(packages), [][]string{{"pkg/docstore", "pkg/rest"}}; !reflect.DeepEqual(found, want) {
		t.Errorf("%v; want %v", found, want)
	}
}

func TestBounds(t *testing.T) {
	many := make([]string, mostFiles+1)
	if err := withinBounds([]pack{{folder: "pkg/rest", files: many[1:], exported: mostExported}}); err != nil {
		t.Errorf("a package at the bounds: %v", err)
	}
	err := withinBounds([]pack{{folder: "pkg/files", files: many},
		{folder: "pkg/names", exported: mostExported + 1}})
	if err == nil || !strings.Contains(err.Error(), "pkg/files has 26 files") ||
		!strings.Contains(err.Error(), "pkg/names has 61 exported names") {
		t.Errorf("%v; want both packages", err)
	}
}

func TestMapsNameEachFile(t *testing.T) {
	const comment = "Package p reads a.go.\n\nIts files:\n\n" +
		"\ta.go  reads, as b.go does\n\tgone.go  is gone\n\ta.go  again\n"
	p := pack{folder: "pkg/p", files: []string{"a.go", "b.go", "doc.go"}, mapped: mapped(comment)}
	err := withinBounds([]pack{p, {folder: "pkg/large", source: lines{mostUnmapped + 1, 1}},
		{folder: "pkg/small", source: lines{mostUnmapped, 1}},
		{folder: "pkg/good", files: []string{"doc.go", "x.go"}, mapped: []string{"x.go"}}})
	want := []string{
		"pkg/p: the map in doc.go lacks b.go",
		"pkg/p: the map in doc.go names gone.go, which is no file or named before",
		"pkg/p: the map in doc.go names a.go, which is no file or named before",
		"pkg/large has 1001 lines and no map of its files in doc.go; at most 1000",
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("%v; want %q", err, want)
	}
}
