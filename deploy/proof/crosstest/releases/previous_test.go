package releases_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// root is the folder of the repository.
var root = filepath.Join("..", "..", "..", "..")

// release is a release of a service or the gateway, as the file RELEASE in its folder says.
type release struct{ version, commit string }

// lastRelease reads what was released last of a process.
func lastRelease(t *testing.T, name string) release {
	t.Helper()
	file := filepath.Join(folderOf(name), "RELEASE")
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(text))
	if len(words) != 2 {
		t.Fatalf("%s must have a version and a commit in one line, and has %q", file, text)
	}
	return release{words[0], words[1]}
}

func folderOf(name string) string {
	if name == "gateway" {
		return name
	}
	return filepath.Join("services", name)
}

// build builds the command of a process from the source of its last release. A clone without the commit of the
// release is a failure.
func build(t *testing.T, name string) *trial.Commands {
	t.Helper()
	last, tree := lastRelease(t, name), t.TempDir()
	if err := extract(last.commit, tree); err != nil {
		t.Fatalf("the last release of %s (%s) cannot be built: %v", name, last.version, err)
	}
	commands, err := trial.BuildFrom(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := commands.Remove(); err != nil {
			t.Error(err)
		}
	})
	return commands
}

// extract writes the files of a commit into a folder.
func extract(commit, folder string) error {
	archive := filepath.Join(folder, "source.tar")
	if output, err := inRoot("git", "archive", "--output", archive, commit); err != nil {
		return fmt.Errorf("git archive %s: %w\n%sif this clone has a part of the history only, fetch the rest "+
			"with: git fetch --unshallow", commit, err, output)
	}
	if output, err := exec.Command("tar", "-xf", archive, "-C", folder).CombinedOutput(); err != nil {
		return fmt.Errorf("tar: %w\n%s", err, output)
	}
	return nil
}

// inRoot runs a command in the folder of the repository and returns what it writes.
func inRoot(name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir = root
	output, err := command.CombinedOutput()
	return string(output), err
}
