package main

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// What a package may hold, without its tests, so that it can be learnt.
const (
	mostFiles    = 25
	mostExported = 60
	// A package with more lines has a map of its files in doc.go.
	mostUnmapped = 1000
)

const mapFile = "doc.go"

// mapRow is a line of a map: the name of a file, and what the file is for.
var mapRow = regexp.MustCompile(`(?m)^\t(\w+\.go) +\S`)

// mapped returns the files that the map in a package comment names, in its order.
func mapped(comment string) (files []string) {
	for _, row := range mapRow.FindAllStringSubmatch(comment, -1) {
		files = append(files, row[1])
	}
	return files
}

// withinBounds returns an error for each package that is too large or has a wrong map, and for each circle of rooms.
func withinBounds(packages []pack) error {
	var failures []error
	for _, p := range packages {
		if len(p.files) > mostFiles {
			failures = append(failures, fmt.Errorf("%s has %d files; at most %d", p.folder, len(p.files), mostFiles))
		}
		if p.exported > mostExported {
			failures = append(failures,
				fmt.Errorf("%s has %d exported names; at most %d", p.folder, p.exported, mostExported))
		}
		failures = append(failures, p.checkMap()...)
	}
	for _, circle := range circles(packages) {
		failures = append(failures, fmt.Errorf("these import each other in a circle: %s", strings.Join(circle, ", ")))
	}
	return errors.Join(failures...)
}

// checkMap returns what is wrong with the map of a package: it names each file but doc.go, once, and no others. A small
// package need not have one.
func (p *pack) checkMap() (failures []error) {
	if len(p.mapped) == 0 {
		if p.source.lines > mostUnmapped {
			failures = append(failures, fmt.Errorf("%s has %d lines and no map of its files in %s; at most %d",
				p.folder, p.source.lines, mapFile, mostUnmapped))
		}
		return failures
	}
	for _, file := range p.files {
		if file != mapFile && !slices.Contains(p.mapped, file) {
			failures = append(failures, fmt.Errorf("%s: the map in %s lacks %s", p.folder, mapFile, file))
		}
	}
	for i, file := range p.mapped {
		if !slices.Contains(p.files, file) || slices.Contains(p.mapped[:i], file) {
			failures = append(failures,
				fmt.Errorf("%s: the map in %s names %s, which is no file or named before", p.folder, mapFile, file))
		}
	}
	return failures
}

// circles returns the rooms that import each other, each group sorted. The compiler refuses circles of packages only.
func circles(packages []pack) (found [][]string) {
	imports := map[string]map[string]bool{}
	for _, p := range packages {
		from := room(p.folder)
		if imports[from] == nil {
			imports[from] = map[string]bool{}
		}
		for _, to := range p.imports {
			imports[from][room(to)] = true
		}
	}
	reached := map[string]map[string]bool{}
	for from := range imports {
		reached[from] = map[string]bool{}
		reach(imports, from, reached[from])
	}
	in := map[string]bool{}
	for _, first := range slices.Sorted(maps.Keys(imports)) {
		if in[first] {
			continue
		}
		var group []string
		for _, other := range slices.Sorted(maps.Keys(reached[first])) {
			if other == first || reached[other][first] {
				group = append(group, other)
				in[other] = true
			}
		}
		if len(group) > 1 {
			found = append(found, group)
		}
	}
	return found
}

// reach notes every room that from imports, and those that these import.
func reach(imports map[string]map[string]bool, from string, seen map[string]bool) {
	if seen[from] {
		return
	}
	seen[from] = true
	for to := range imports[from] {
		reach(imports, to, seen)
	}
}
