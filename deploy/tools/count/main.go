// Command count measures how much there is to read: lines, files and exported names, without generated files.
//
//	count             prints the tables of the workspace
//	count -bounds     only reports packages that are too large or whose map in doc.go is wrong, and rooms that import
//	                  each other in a circle
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	bounds := flag.Bool("bounds", false, "only report what is over a bound")
	flag.Parse()
	packages, err := list()
	switch {
	case err == nil && *bounds:
		err = withinBounds(packages)
	case err == nil:
		err = print(os.Stdout, packages)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

// What a package may hold, without its tests, so that it can be learnt.
const (
	mapFile      = "doc.go"
	mostFiles    = 25
	mostExported = 60 // but in contracts, whose types a reader looks up
	// A package with more lines has a map of its files in doc.go.
	mostUnmapped = 1000
)

// pack is a package of the exchange.
type pack struct {
	folder   string
	imports  []string // folders of the packages of the exchange that it imports
	files    []string // without tests
	mapped   []string // the files that the map in doc.go names
	exported int      // exported names of the package, without methods and fields
	// Without tests and generated files: all lines, and those that are neither blank nor a comment.
	lines, code int
	tests       int // lines of tests
}

// list returns the packages of all modules of the workspace.
func list() (packages []pack, err error) {
	const exchange = "insurance.example/exchange/"
	const format = `{{.ImportPath}};{{.Dir}};{{join .Imports " "}};{{join .GoFiles " "}} {{join .IgnoredGoFiles " "}} ` +
		`{{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}`
	printed, err := exec.Command("go", "list", "-f", format, "work").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(printed)) {
		parts := strings.Split(line, ";")
		p := pack{folder: strings.TrimPrefix(parts[0], exchange)}
		for _, path := range strings.Fields(parts[2]) {
			if imported, ours := strings.CutPrefix(path, exchange); ours {
				p.imports = append(p.imports, imported)
			}
		}
		err = errors.Join(err, p.read(parts[1], strings.Fields(parts[3])))
		packages = append(packages, p)
	}
	return packages, err
}

// read reads the files of the package.
func (p *pack) read(dir string, files []string) error {
	names := map[string]bool{}
	for _, name := range files {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		lines, code := countLines(string(content))
		if strings.HasSuffix(name, "_test.go") {
			p.tests += lines
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ParseComments)
		if err != nil {
			return err
		}
		p.files = append(p.files, name)
		if name == mapFile {
			p.mapped = mapped(file.Doc.Text())
		}
		ast.Inspect(file, func(n ast.Node) bool { return declares(n, names) })
		if !ast.IsGenerated(file) {
			p.lines, p.code = p.lines+lines, p.code+code
		}
	}
	p.exported = len(names)
	return nil
}

// declares adds the exported names that a part of a file declares, but methods, and reports whether to look into it.
func declares(n ast.Node, names map[string]bool) bool {
	var declared []*ast.Ident
	switch d := n.(type) {
	case *ast.File, *ast.GenDecl:
		return true
	case *ast.FuncDecl:
		if d.Recv == nil {
			declared = []*ast.Ident{d.Name}
		}
	case *ast.TypeSpec:
		declared = []*ast.Ident{d.Name}
	case *ast.ValueSpec:
		declared = d.Names
	}
	for _, name := range declared {
		if name.IsExported() {
			names[name.Name] = true
		}
	}
	return false
}

// countLines counts the lines of a file, and those that are neither blank nor a comment.
func countLines(content string) (all, code int) {
	for line := range strings.Lines(content) {
		all++
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "//") {
			code++
		}
	}
	return all, code
}

var rooms = regexp.MustCompile(`^(contracts|gateway|deploy/(proof|tools)(/[^/]*)?|[^/]*(/[^/]*)?)`)

// room returns the room that a package is in: its first two folders, three in deploy/proof and deploy/tools. contracts
// and the gateway are one room each.
func room(folder string) string {
	return rooms.FindString(folder)
}

// print prints the tables of rooms and of packages.
func print(out io.Writer, packages []pack) error {
	sums := map[string]*pack{"all": {}}
	for _, p := range packages {
		name := room(p.folder)
		if sums[name] == nil {
			sums[name] = &pack{}
		}
		for _, sum := range []*pack{sums[name], sums["all"]} {
			sum.files = append(sum.files, p.files...)
			sum.lines, sum.code, sum.tests = sum.lines+p.lines, sum.code+p.code, sum.tests+p.tests
		}
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "room\tfiles\tlines\tof them code\tlines of tests\t")
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		r := sums[name]
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t\n", name, len(r.files), r.lines, r.code, r.tests)
	}
	fmt.Fprintln(table, "\npackage\tfiles\texported names\tlines\t")
	for _, p := range packages {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t\n", p.folder, len(p.files), p.exported, p.lines)
	}
	return table.Flush()
}

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
		if len(p.files) > mostFiles || p.exported > mostExported && room(p.folder) != "contracts" {
			failures = append(failures, fmt.Errorf("%s has %d files and %d exported names; at most %d and %d",
				p.folder, len(p.files), p.exported, mostFiles, mostExported))
		}
		others := slices.DeleteFunc(slices.Clone(p.files), func(file string) bool { return file == mapFile })
		switch listed := slices.Sorted(slices.Values(p.mapped)); {
		case len(listed) == 0 && p.lines > mostUnmapped:
			failures = append(failures, fmt.Errorf("%s has %d lines and no map of its files in %s; at most %d",
				p.folder, p.lines, mapFile, mostUnmapped))
		case len(listed) > 0 && !slices.Equal(listed, slices.Sorted(slices.Values(others))):
			failures = append(failures, fmt.Errorf("%s: the map in %s has %v, each file once is %v", p.folder, mapFile,
				listed, others))
		}
	}
	for _, circle := range circles(packages) {
		failures = append(failures, fmt.Errorf("these import each other in a circle: %v", circle))
	}
	return errors.Join(failures...)
}

// circles returns the rooms that import each other, each group sorted. The compiler refuses circles of packages only.
func circles(packages []pack) (rooms [][]string) {
	reached := map[string]map[string]bool{}
	for _, p := range packages {
		for _, folder := range append([]string{p.folder}, p.imports...) {
			if reached[room(folder)] == nil {
				reached[room(folder)] = map[string]bool{room(folder): true}
			}
			reached[room(p.folder)][room(folder)] = true
		}
	}
	for over := range reached {
		for from := range reached {
			if reached[from][over] {
				maps.Copy(reached[from], reached[over])
			}
		}
	}
	for _, first := range slices.Sorted(maps.Keys(reached)) {
		var group []string
		for other := range reached[first] {
			if reached[other][first] {
				group = append(group, other)
			}
		}
		if slices.Sort(group); len(group) > 1 && group[0] == first {
			rooms = append(rooms, group)
		}
	}
	return rooms
}
