package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// each is how often a request is sent. What runs now and then, for example by a clock, runs less often than that, and
// so does what a start does in another order each time.
const each = 4000

// block is a piece of code whose runs the coverage of Go counts.
type block struct {
	file string
	line int
}

// printRequests prints how many files and functions of the exchange POST /claim and GET /claim/{id} pass in one
// process. A function counts if a part of it runs at least once more for each further request, on a connection that
// is open.
func printRequests(out io.Writer) error {
	folder, err := os.MkdirTemp("", "exchange-count-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	command := filepath.Join(folder, "exchange")
	if _, err := goCommand("build", "-cover", "-covermode=count", "-coverpkg="+exchange+"...", "-o", command,
		"./deploy/exchange"); err != nil {
		return err
	}
	base, err := measure(command, filepath.Join(folder, "base"), 1, 1)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\nIn one process, a request passes:")
	for _, request := range []struct {
		name             string
		creates, fetches int
	}{{"POST /claim", 1 + each, 1}, {"GET /claim/{id}", 1, 1 + each}} {
		runs, err := measure(command, filepath.Join(folder, fmt.Sprint(request.creates)), request.creates,
			request.fetches)
		if err != nil {
			return err
		}
		files, functions, err := passed(base, runs)
		if err != nil {
			return err
		}
		folders := map[string][]string{}
		for _, file := range files {
			folders[filepath.Dir(file)] = append(folders[filepath.Dir(file)], filepath.Base(file))
		}
		fmt.Fprintf(out, "%s: %d functions in %d files of %d packages\n",
			request.name, functions, len(files), len(folders))
		for _, folder := range slices.Sorted(maps.Keys(folders)) {
			fmt.Fprintf(out, "  %s: %s\n", folder, strings.Join(folders[folder], " "))
		}
	}
	return nil
}

// measure runs an exchange with an empty folder, and returns how often each block has run when it ends.
func measure(command, folder string, creates, fetches int) (map[block]int, error) {
	counters := filepath.Join(folder, "counters")
	if err := os.MkdirAll(counters, 0o700); err != nil {
		return nil, err
	}
	if err := serve(command, filepath.Join(folder, "data"), counters, creates, fetches); err != nil {
		return nil, err
	}
	profile := filepath.Join(folder, "profile")
	if _, err := goCommand("tool", "covdata", "textfmt", "-i="+counters, "-o="+profile); err != nil {
		return nil, err
	}
	file, err := os.Open(profile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	runs := map[block]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		// insurance.example/exchange/pkg/rest/read.go:12.34,15.2 3 200
		name, rest, ours := strings.Cut(strings.TrimPrefix(lines.Text(), exchange), ":")
		fields := strings.Fields(rest)
		if !ours || len(fields) != 3 {
			continue // the first line names the mode
		}
		start, _, _ := strings.Cut(fields[0], ".")
		line, err := strconv.Atoi(start)
		if err != nil {
			return nil, err
		}
		count, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, err
		}
		runs[block{name, line}] = max(runs[block{name, line}], count)
	}
	return runs, nil
}

// passed counts the files, functions and packages with a block that has run for each request.
func passed(base, runs map[block]int) (files []string, functions int, err error) {
	lines := map[string][]int{}
	for b, count := range runs {
		if count-base[b] >= each {
			lines[b.file] = append(lines[b.file], b.line)
		}
	}
	files = slices.Sorted(maps.Keys(lines))
	for _, name := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			return nil, 0, err
		}
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first, last := fset.Position(f.Pos()).Line, fset.Position(f.End()).Line
			for _, line := range lines[name] {
				if first <= line && line <= last {
					functions++
					break
				}
			}
		}
	}
	return files, functions, nil
}
