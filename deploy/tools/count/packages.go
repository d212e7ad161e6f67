package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// exchange begins the import path of every package of the exchange. What follows is its folder.
const exchange = "insurance.example/exchange/"

// pack is a package of the exchange.
type pack struct {
	folder   string
	imports  []string // folders of the packages of the exchange that it imports
	files    []string // without tests
	mapped   []string // the files that the map in doc.go names
	exported int      // exported names of the package, without methods and fields
	source   lines    // without tests and generated files
	tests    lines
}

// lines counts the lines of files: all of them, and those that hold more than a comment.
type lines struct{ lines, code int }

func (l *lines) add(other lines) {
	l.lines += other.lines
	l.code += other.code
}

// list returns the packages of the exchange among those that go list prints for the arguments. In a workspace, ./...
// stands for the packages of all its modules.
func list(args ...string) ([]pack, error) {
	if slices.Equal(args, []string{"./..."}) {
		modules, err := goCommand("list", "-m", "-f", "{{.Dir}}/...")
		if err != nil {
			return nil, err
		}
		args = strings.Fields(modules)
	}
	printed, err := goCommand(append([]string{"list",
		"-json=ImportPath,Dir,Imports,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles"}, args...)...)
	if err != nil {
		return nil, err
	}
	var packages []pack
	for decoder := json.NewDecoder(strings.NewReader(printed)); ; {
		var listed struct {
			ImportPath, Dir                                             string
			Imports, GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		folder, ours := strings.CutPrefix(listed.ImportPath, exchange)
		if !ours {
			continue
		}
		p := pack{folder: folder}
		for _, path := range listed.Imports {
			if imported, ours := strings.CutPrefix(path, exchange); ours {
				p.imports = append(p.imports, imported)
			}
		}
		source, tests := split(append(listed.GoFiles, listed.IgnoredGoFiles...))
		if err := p.read(listed.Dir, source,
			append(tests, append(listed.TestGoFiles, listed.XTestGoFiles...)...)); err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// split separates tests from other files. go list keeps those of other systems together.
func split(files []string) (source, tests []string) {
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, name)
		} else {
			source = append(source, name)
		}
	}
	return source, tests
}

func (p *pack) read(dir string, source, tests []string) error {
	names := map[string]bool{}
	for _, name := range source {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ParseComments)
		if err != nil {
			return err
		}
		if name == mapFile {
			p.mapped = mapped(file.Doc.Text())
		}
		for _, declaration := range file.Decls {
			addExported(names, declaration)
		}
		if !ast.IsGenerated(file) {
			p.source.add(countLines(content))
		}
	}
	p.files, p.exported = source, len(names)
	for _, name := range tests {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		p.tests.add(countLines(content))
	}
	return nil
}

// addExported adds the exported names that a declaration makes.
func addExported(names map[string]bool, declaration ast.Decl) {
	add := func(name *ast.Ident) {
		if name.IsExported() {
			names[name.Name] = true
		}
	}
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				add(s.Name)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					add(name)
				}
			}
		}
	}
}

func countLines(content []byte) lines {
	file := token.NewFileSet().AddFile("", -1, len(content))
	var s scanner.Scanner
	s.Init(file, content, nil, 0)
	code := map[int]bool{}
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return lines{strings.Count(string(content), "\n"), len(code)}
		}
		if kind == token.SEMICOLON && text == "\n" {
			continue
		}
		first := file.Line(at)
		for line := range 1 + strings.Count(text, "\n") {
			code[first+line] = true
		}
	}
}

// goCommand returns what a command of Go prints.
func goCommand(args ...string) (string, error) {
	command := exec.Command("go", args...)
	command.Stderr = os.Stderr
	printed, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return string(printed), nil
}

// total returns the lines of packages without their tests.
func total(packages []pack) (sum lines) {
	for _, p := range packages {
		sum.add(p.source)
	}
	return sum
}

// room returns the room that a package is in: its first two folders, three in deploy/proof and deploy/tools. contracts
// and the gateway are one room each.
func room(folder string) string {
	parts := strings.Split(folder, "/")
	depth := 2
	switch {
	case parts[0] == "contracts" || parts[0] == "gateway":
		depth = 1
	case strings.HasPrefix(folder, "deploy/proof/") || strings.HasPrefix(folder, "deploy/tools/"):
		depth = 3
	}
	return strings.Join(parts[:min(depth, len(parts))], "/")
}

func printRooms(out io.Writer, packages []pack) {
	rooms := map[string]*pack{}
	var all pack
	for _, p := range packages {
		name := room(p.folder)
		if rooms[name] == nil {
			rooms[name] = &pack{}
		}
		for _, sum := range []*pack{rooms[name], &all} {
			sum.files = append(sum.files, p.files...)
			sum.source.add(p.source)
			sum.tests.add(p.tests)
		}
	}
	fmt.Fprintln(out, "room\tfiles\tlines\tof them code\tlines of tests\t")
	for _, name := range slices.Sorted(maps.Keys(rooms)) {
		r := rooms[name]
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%d\t\n", name, len(r.files), r.source.lines, r.source.code, r.tests.lines)
	}
	fmt.Fprintf(out, "all\t%d\t%d\t%d\t%d\t\n", len(all.files), all.source.lines, all.source.code, all.tests.lines)
}

func printPackages(out io.Writer, packages []pack) {
	fmt.Fprintln(out, "\npackage\tfiles\texported names\tlines\t")
	for _, p := range packages {
		if len(p.files) > 0 {
			fmt.Fprintf(out, "%s\t%d\t%d\t%d\t\n", p.folder, len(p.files), p.exported, p.source.lines)
		}
	}
}

// printGenerated prints the lines of each file of Go below the current folder that a program has written, also in
// modules that the workspace leaves out. Nobody has to read them, so that no table counts them.
func printGenerated(out io.Writer) error {
	return filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, content, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil || !ast.IsGenerated(file) {
			return err
		}
		_, err = fmt.Fprintf(out, "generated, in no table: %s\t%d lines\t%d of them code\t\n", path,
			countLines(content).lines, countLines(content).code)
		return err
	})
}
