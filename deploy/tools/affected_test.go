package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWhatAChangeAffects changes a file of a clone and reads which tiers and packages CI runs then. Each package is one
// that the change reaches and one that it does not, so that neither all nor none passes.
func TestWhatAChangeAffects(t *testing.T) {
	packages := []string{"./pkg/load", "./pkg/rest", "./services/feed", "./gateway/pages"}
	every := []string{"race ./pkg/load", "race ./pkg/rest", "race ./services/feed", "race ./gateway/pages"}
	for file, want := range map[string][]string{
		"README.md":                         nil,
		"services/claims/claim.go":          nil,
		"pkg/rest/create.go":                {"race ./pkg/rest", "race ./services/feed"},
		"pkg/rest/testdata/new/file.txt":    {"race ./pkg/rest", "race ./services/feed"},
		"pkg/load/limiter.go":               {"race ./pkg/load", "race ./pkg/rest", "race ./services/feed"},
		"gateway/pages/assets/start.html":   {"tier browser 9", "race ./gateway/pages"},
		"pkg/docstore/sqlitestore/store.go": {"tier stores 12", "race ./pkg/rest", "race ./services/feed"},
		"pkg/process/health.go":             {"tier e2e 12", "race ./pkg/rest", "race ./services/feed"},
		"deploy/docker/Dockerfile":          {"tier containers 14"},
		"contracts/go.mod":                  append([]string{"tier contracts 4", "tier modules 5"}, every...),
		"Makefile": append([]string{"tier contracts 4", "tier manifests 2", "tier modules 5", "tier e2e 12",
			"left browser 9", "left stores 12", "left containers 14", "left kubernetes 24", "left long 24"}, every...),
	} {
		clone := t.TempDir()
		git(t, "clone", "--quiet", "--shared", root, clone)
		copyScript(t, clone)
		change(t, filepath.Join(clone, file))
		if is := affected(t, clone, "HEAD", packages...); !same(is, want) {
			t.Errorf("a change of %s affects %q, not %q", file, is, want)
		}
	}
	is := affected(t, root, "no-such-commit", packages...)
	if len(is) != 9+len(packages) || !slices.Contains(is, "tier long 24") {
		t.Errorf("without a commit to compare with it affects %q, not all", is)
	}
}

func same(is, want []string) bool {
	is, want = slices.Sorted(slices.Values(is)), slices.Sorted(slices.Values(want))
	return slices.Equal(is, want)
}

// affected returns the lines of the script in a tree, without the part of import paths that all share.
func affected(t *testing.T, tree, base string, packages ...string) (lines []string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(tree, "deploy/tools/affected"),
		append([]string{base}, packages...)...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for line := range strings.Lines(string(output)) {
		lines = append(lines, strings.TrimSpace(strings.ReplaceAll(line, "insurance.example/exchange/", "")))
	}
	return lines
}

// copyScript gives a clone the script as it is here, and commits it if it differs.
func copyScript(t *testing.T, clone string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "deploy/tools/affected"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(clone, "deploy/tools/affected"), text, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, "-C", clone, "add", "--all")
	git(t, "-C", clone, "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--all",
		"--allow-empty", "--message", "the script as it is here")
}

// change adds a line to a file, which may be new.
func change(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, args ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, output)
	}
}
