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
	if err := withinBounds([]pack{{folder: "pkg/rest", files: mostFiles, exported: mostExported}}); err != nil {
		t.Errorf("a package at the bounds: %v", err)
	}
	err := withinBounds([]pack{{folder: "pkg/files", files: mostFiles + 1},
		{folder: "pkg/names", exported: mostExported + 1}})
	if err == nil || !strings.Contains(err.Error(), "pkg/files has 26 files") ||
		!strings.Contains(err.Error(), "pkg/names has 61 exported names") {
		t.Errorf("%v; want both packages", err)
	}
}
