package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What a package may hold, without its tests, so that it can be learnt.
const (
	mostFiles    = 25
	mostExported = 60
)

// withinBounds returns an error for each package that is too large and each circle of rooms.
func withinBounds(packages []pack) error {
	var failures []error
	for _, p := range packages {
		if p.files > mostFiles {
			failures = append(failures, fmt.Errorf("%s has %d files; at most %d", p.folder, p.files, mostFiles))
		}
		if p.exported > mostExported {
			failures = append(failures,
				fmt.Errorf("%s has %d exported names; at most %d", p.folder, p.exported, mostExported))
		}
	}
	for _, circle := range circles(packages) {
		failures = append(failures, fmt.Errorf("these import each other in a circle: %s", strings.Join(circle, ", ")))
	}
	return errors.Join(failures...)
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
