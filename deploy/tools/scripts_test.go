// Package tools_test tries the scripts of the repository.
package tools_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the folder of the repository.
const root = "../.."

// TestScriptsRefuseUnknownArguments runs each script without any program in reach: one that does not look at its
// arguments first fails, and does nothing else.
func TestScriptsRefuseUnknownArguments(t *testing.T) {
	found := scripts(t)
	if len(found) < 8 {
		t.Fatalf("the scripts of the repository are %v; some are missing", found)
	}
	for _, script := range found {
		t.Run(script, func(t *testing.T) {
			for _, help := range []string{"--help", "-h"} {
				printed, complaint, status := run(t, script, help)
				if !strings.HasPrefix(printed, "usage: ") || !strings.Contains(printed, script) ||
					complaint != "" || status != 0 {
					t.Errorf("%s: status %d, %q %q; want 0, and the usage on standard output", help, status,
						printed, complaint)
				}
			}
			for _, unknown := range [][]string{{"--no-such-argument"}, {"--help", "more"}, {""},
				{"one", "two", "three", "four"}} {
				printed, complaint, status := run(t, script, unknown...)
				if printed != "" || !strings.HasPrefix(complaint, "usage: ") || status != 2 {
					t.Errorf("%q: status %d, %q %q; want 2, and the usage on standard error", unknown, status,
						printed, complaint)
				}
			}
		})
	}
}

// scripts returns the executable files of the repository that begin with the name of an interpreter.
func scripts(t *testing.T) (found []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name == ".git" || name == "bin" || name == "data" || entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && bytes.HasPrefix(content, []byte("#!")) {
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// run runs a script by its interpreter, with an empty folder as the only one where it finds programs.
func run(t *testing.T, script string, args ...string) (printed, complaint string, status int) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, script))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(string(content), "#!"), "\n")
	words := strings.Fields(first)
	interpreter, err := exec.LookPath(words[len(words)-1])
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), interpreter, append([]string{path}, args...)...)
	command.Dir = t.TempDir()
	command.Env = []string{"PATH=" + command.Dir}
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	err = command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), complaints.String(), command.ProcessState.ExitCode()
}
