package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// released are the folders that are released alone.
func released(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(root, "services", "*"))
	if err != nil || len(folders) < 5 {
		t.Fatalf("%v %v", folders, err)
	}
	return append(folders, filepath.Join(root, "gateway"))
}

// TestOverlaysNameWhatIsReleased compares the tags of images in every overlay with the files RELEASE, whose commits
// must be in the history.
func TestOverlaysNameWhatIsReleased(t *testing.T) {
	versions := map[string]string{}
	for _, folder := range released(t) {
		text, err := os.ReadFile(filepath.Join(folder, "RELEASE"))
		words := strings.Fields(string(text))
		if err != nil || len(words) != 2 {
			t.Fatalf("%s: %q %v", folder, text, err)
		}
		versions[filepath.Base(folder)] = strings.TrimPrefix(words[0], "v")
		in := exec.Command("git", "merge-base", "--is-ancestor", words[1], "HEAD")
		in.Dir = root
		if output, err := in.CombinedOutput(); err != nil {
			t.Errorf("%s: the commit %s of %s is not in the history (%v %s); fetch all of it", folder, words[1],
				words[0], err, output)
		}
	}
	overlays, err := filepath.Glob(filepath.Join(root, "deploy", "kubernetes", "overlays", "*", "kustomization.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	image := regexp.MustCompile(`name: insurance-exchange/(\w+),.* newTag: ([^ }]+)}`)
	named := map[string]bool{}
	for _, overlay := range overlays {
		text, err := os.ReadFile(overlay)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range image.FindAllStringSubmatch(string(text), -1) {
			if named[found[1]] = true; versions[found[1]] != found[2] {
				t.Errorf("%s names %s %s, and the last release is %s: run make generate", overlay, found[1], found[2],
					versions[found[1]])
			}
		}
	}
	if len(named) != len(versions) {
		t.Errorf("the overlays name releases of %v; there are %v", named, versions)
	}
}

// TestVersionsMoveWithWhatIsBuilt changes parts of the repository in a clone.
func TestVersionsMoveWithWhatIsBuilt(t *testing.T) {
	clone := filepath.Join(t.TempDir(), "clone")
	run := func(folder, name string, args ...string) string {
		t.Helper()
		command := exec.Command(name, args...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GIT_AUTHOR_NAME=tester", "GIT_AUTHOR_EMAIL=tester@example.invalid",
			"GIT_COMMITTER_NAME=tester", "GIT_COMMITTER_EMAIL=tester@example.invalid")
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, output)
		}
		return strings.TrimSpace(string(output))
	}
	run(root, "git", "clone", "--quiet", "--shared", "--no-tags", ".", clone)
	script, err := os.ReadFile("version")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(clone, "deploy", "tools", "version"), script, 0o755); err != nil {
		t.Fatal(err)
	}
	run(clone, "git", "commit", "--quiet", "--allow-empty", "--all", "--message", "the script as it is here")
	run(clone, "git", "tag", "services/claims/v77.0.0")
	run(clone, "git", "tag", "services/parties/v77.0.0")
	versions := func() [2]string {
		return [2]string{
			run(clone, "deploy/tools/version", "claims"), run(clone, "deploy/tools/version", "parties"),
		}
	}
	for _, change := range []struct {
		file            string
		claims, parties string
	}{
		{"README.md", "v77.0.0", "v77.0.0"},
		{"services/claims/README.md", "v77.0.0", "v77.0.0"},
		{"services/claims/more_test.go", "v77.0.0", "v77.0.0"},
		{"contracts/conformance/more.go", "v77.0.0", "v77.0.0"},
		{"contracts/released/more.json", "v77.0.0", "v77.0.0"},
		{"services/claims/more.go", "v77.0.0-1-g", "v77.0.0"},
		{"pkg/more/more.go", "v77.0.0-2-g", "v77.0.0-1-g"},
	} {
		file := filepath.Join(clone, change.file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("changed"), 0o600); err != nil {
			t.Fatal(err)
		}
		run(clone, "git", "add", change.file)
		run(clone, "git", "commit", "--quiet", "--message", "a change")
		now := versions()
		for i, want := range []string{change.claims, change.parties} {
			got := now[i]
			if moved := strings.HasSuffix(want, "-g"); moved && !strings.HasPrefix(got, want) ||
				!moved && got != want {
				t.Errorf("after a change of %s the version is %q, want %q", change.file, got, want)
			}
		}
	}
}
