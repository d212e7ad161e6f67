package manifests_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
)

// list is a list of processes that is written by hand: the lines of a file that fit an expression, in which {} takes
// the place of each name of a process. A line with several names is a list by itself; lines with one name each are a
// list together.
type list struct {
	file, line string
	want       func() []string
}

// lists are the lists that must name every service, or every service of a kind.
var lists = []list{
	{"README.md", `^\| \[services\]`, internalapi.Services},
	{"CODEOWNERS", `^/services/\{\}/`, internalapi.Services},
	{".github/workflows/ci.yml", `for (service|other) in`, internalapi.Stored},
	{"deploy/README.md", `^export EXCHANGE_PEER=`, internalapi.Services},
	{"deploy/README.md", `^bin/\{\} `, everyProcess},
	{"deploy/README.md", `^bin/\{\} .*--store`, internalapi.Stored},
	{"deploy/exchange/allinone/services.go", `^"insurance.example/exchange/services/\{\}"`, internalapi.Services},
	{"deploy/kubernetes/README.md", `^for i in`, everyProcess},
	{"deploy/kubernetes/README.md", "^\\| `{}` \\| ([0-9]+m|not measured) \\|", everyProcess},
	{"deploy/kubernetes/production.md", `docker push`, everyProcess},
	{"deploy/kubernetes/production.md", `rollout status deployment/\$i`, everyProcess},
	{"deploy/kubernetes/production.md", `^for \(const name of`, internalapi.Stored},
	{"deploy/kubernetes/production.md", `^for i in [{} ]+; do$`, internalapi.Stored},
	{"deploy/kubernetes/secrets", `^for service in`, internalapi.Stored},
	{"deploy/tools/restore-drill", `^databases=`, internalapi.Stored},
	{"pkg/docstore/mongostore/README.md", `: T( plus .*)?$`, internalapi.Stored},
}

// few is the number of services that a line may name without being a list of them.
const few = 3

var (
	name   = regexp.MustCompile(`\b(` + strings.Join(everyProcess(), "|") + `)\b`)
	digits = regexp.MustCompile(`\d+`)
	spaces = regexp.MustCompile(`\s+`)
	// A part that is generated, of a file that is written by hand.
	generated = regexp.MustCompile(`(?s)# begin (\S+)\n.*?# end \S+\n`)
)

// everyProcess returns the names of all processes.
func everyProcess() (all []string) {
	for _, p := range internalapi.Processes() {
		all = append(all, p.Name)
	}
	return all
}

// TestListsWrittenByHandAreComplete looks for a process that a list does not name: in the lists that are known, and in
// whatever else looks like a list in a document, a manifest or a script. Readers do what such a list says: a service
// that it lacks is not built, watched or restored, or gets no password.
func TestListsWrittenByHandAreComplete(t *testing.T) {
	for _, l := range lists {
		whole, line := l.want(), regexp.MustCompile(l.line)
		var together []string
		for _, got := range read(t, l.file) {
			if !line.MatchString(got.form) {
				continue
			}
			if together = append(together, got.names...); len(got.names) > few && !same(got.names, whole) {
				t.Errorf("%s names %v, want %v: %s", l.file, got.names, whole, got.text)
			}
		}
		if !same(together, whole) {
			t.Errorf("the lines %q of %s name %v, want %v", l.line, l.file, unique(together), whole)
		}
	}
	for _, file := range handWritten(t) {
		forms := map[string][]string{}
		for _, got := range read(t, file) {
			forms[got.form] = append(forms[got.form], got.names...)
			if len(got.names) > few && !complete(got.names) {
				t.Errorf("%s looks like a list of services, and names only %v: %s", file, got.names, got.text)
			}
		}
		for form, names := range forms {
			if names = unique(names); len(names) > few && !complete(names) && !known(file, form) {
				t.Errorf("lines %q of %s look like a list of services, and name only %v", form, file, names)
			}
		}
	}
}

// TestEachProcessHasItsFiles looks for the files that somebody writes for each process, and for the owners of each
// contract.
func TestEachProcessHasItsFiles(t *testing.T) {
	owners, err := os.ReadFile(filepath.Join(repository, "CODEOWNERS"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range internalapi.Processes() {
		folder := "gateway"
		if p.Name != internalapi.Gateway {
			folder = "services/" + p.Name
		}
		for _, file := range []string{"go.mod", "Makefile", "README.md", "RELEASE"} {
			if _, err := os.Stat(filepath.Join(repository, folder, file)); err != nil {
				t.Error(err)
			}
		}
		base, err := os.ReadFile(filepath.Join(repository, "deploy/kubernetes/base", p.Name, "kustomization.yaml"))
		if err != nil {
			t.Error(err)
		}
		if has := strings.Contains(string(base), "components/store"); has == p.Storeless {
			t.Errorf("the base of %s in Kubernetes has components/store: %v", p.Name, has)
		}
	}
	for _, pattern := range []string{"contracts/internalapi/*.json", "contracts/consumers/*/*.json"} {
		contracts, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil || len(contracts) == 0 {
			t.Fatalf("%s: %v, %v", pattern, contracts, err)
		}
		for _, path := range contracts {
			file, err := filepath.Rel(repository, path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(owners), "\n/"+file+" ") {
				t.Errorf("CODEOWNERS has no line for %s", file)
			}
		}
	}
}

// naming is a line that names processes.
type naming struct {
	text string
	// form is the line with {} for each name and 0 for each number.
	form  string
	names []string
}

// read returns the lines of a file that name processes.
func read(t *testing.T, file string) (found []naming) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, file))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(generated.ReplaceAllString(string(text), ""), "\n") {
		if names := unique(name.FindAllString(line, -1)); len(names) > 0 {
			form := digits.ReplaceAllString(name.ReplaceAllString(strings.TrimSpace(line), "{}"), "0")
			found = append(found, naming{line, spaces.ReplaceAllString(form, " "), names})
		}
	}
	return found
}

// handWritten returns the documents, manifests and scripts of the repository that are not generated.
func handWritten(t *testing.T) (files []string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", "ls-files")
	command.Dir = repository
	tracked, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range strings.Fields(string(tracked)) {
		switch filepath.Ext(file) {
		case "", ".md", ".yaml", ".yml", ".env", ".js":
		default:
			continue
		}
		text, err := os.ReadFile(filepath.Join(repository, file))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		if !strings.Contains(first, "Generated from") && !strings.HasPrefix(file, "contracts/") {
			files = append(files, file)
		}
	}
	if len(files) < 60 {
		t.Fatalf("the files written by hand are %v; some are missing", files)
	}
	return files
}

// known reports whether a line is one of a known list, which is complete, or names the owners of a contract, which only
// some services have.
func known(file, form string) bool {
	return file == "CODEOWNERS" && strings.HasPrefix(form, "/contracts/") ||
		slices.ContainsFunc(lists, func(l list) bool {
			return l.file == file && regexp.MustCompile(l.line).MatchString(form)
		})
}

// complete reports whether names are those of all services, or of all that have a database, with or without the
// gateway.
func complete(names []string) bool {
	services := slices.DeleteFunc(unique(names), func(n string) bool { return n == internalapi.Gateway })
	return same(services, internalapi.Services()) || same(services, internalapi.Stored())
}

// same reports whether two lists have the same names, in any order.
func same(names, others []string) bool { return slices.Equal(unique(names), unique(others)) }

// unique returns names in order, each once.
func unique(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
