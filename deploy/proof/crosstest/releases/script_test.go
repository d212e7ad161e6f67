package releases_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestReleasing releases a service in a clone of the repository, and asks for releases that are none.
func TestReleasing(t *testing.T) {
	clone := filepath.Join(t.TempDir(), "clone")
	if output, err := inRoot("git", "clone", "--quiet", "--shared", "--no-tags", ".", clone); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	run := func(name string, args ...string) (string, error) {
		command := exec.Command(name, args...)
		command.Dir = clone
		command.Env = append(os.Environ(), "GIT_AUTHOR_NAME=tester", "GIT_AUTHOR_EMAIL=tester@example.invalid",
			"GIT_COMMITTER_NAME=tester", "GIT_COMMITTER_EMAIL=tester@example.invalid")
		output, err := command.CombinedOutput()
		return strings.TrimSpace(string(output)), err
	}
	must := func(name string, args ...string) string {
		t.Helper()
		output, err := run(name, args...)
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, output)
		}
		return output
	}
	const file = "services/claims/RELEASE"
	last := lastRelease(t, "claims")
	for _, wrong := range []string{"", "1.2.3", "v1.2", "v0.0.1", last.version} {
		if output, err := run("deploy/tools/release", "claims", wrong); err == nil {
			t.Errorf("%q is taken for a version after %s:\n%s", wrong, last.version, output)
		}
	}
	if err := os.WriteFile(filepath.Join(clone, "unfinished"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := run("deploy/tools/release", "claims", "v77.0.0"); err == nil {
		t.Errorf("what is not committed is released:\n%s", output)
	}
	if err := os.Remove(filepath.Join(clone, "unfinished")); err != nil {
		t.Fatal(err)
	}

	// What the last releases lack.
	const lacks = "deploy/proof/crosstest/releases/lacking_test.go"
	list := func(names ...string) string {
		text := ""
		for _, name := range names {
			text += "\n\t\"" + name + "\": {\n\t\t`area: a rule`,\n\t},"
		}
		if text != "" {
			text += "\n"
		}
		return "package releases_test\n\nvar knownToLack = map[string][]string{" + text + "}\n"
	}
	wantLacking := func(names ...string) {
		t.Helper()
		if text, err := os.ReadFile(filepath.Join(clone, lacks)); err != nil || string(text) != list(names...) {
			t.Errorf("%v lack something, and the list is (%v)\n%s", names, err, text)
		}
	}
	three := []byte(list("parties", "claims", "gateway"))
	if err := os.WriteFile(filepath.Join(clone, lacks), three, 0o600); err != nil {
		t.Fatal(err)
	}
	must("git", "commit", "--quiet", "--all", "--message", "a list")

	head := must("git", "rev-parse", "HEAD")
	if version := must("deploy/tools/version", "claims"); !strings.HasPrefix(version, last.version) {
		t.Errorf("without tags the version is %q; the last release is %s", version, last.version)
	}
	must("deploy/tools/release", "claims", "v77.0.0")
	if tagged := must("git", "rev-parse", "services/claims/v77.0.0^{commit}"); tagged != head {
		t.Errorf("the tag is on %s, not on %s", tagged, head)
	}
	if text, err := os.ReadFile(filepath.Join(clone, file)); err != nil || string(text) != "v77.0.0 "+head+"\n" {
		t.Errorf("%s has %q (%v)", file, text, err)
	}
	if version := must("deploy/tools/version", "claims"); version != "v77.0.0" {
		t.Errorf("with the commit that notes the release the version is %q", version)
	}
	if images := must("cat", "deploy/kubernetes/overlays/prod/kustomization.yaml"); !strings.Contains(images,
		"insurance-exchange/claims, newTag: 77.0.0}") || strings.Count(images, "77.0.0") != 1 {
		t.Errorf("the manifests name\n%s", images)
	}
	wantLacking("parties", "gateway")
	must("deploy/tools/release", "all", "v78.0.0")
	wantLacking()
	for _, name := range trial.Processes() {
		if tagged := must("git", "rev-parse", folderOf(name)+"/v78.0.0^{commit}"); tagged != must("git", "rev-parse",
			"HEAD~1") {
			t.Errorf("the tag of %s is on %s", name, tagged)
		}
	}
	must("git", "checkout", "--quiet", "services/claims/v77.0.0")
	if version := must("deploy/tools/version", "claims"); version != "v77.0.0" {
		t.Errorf("the version of the release is %q", version)
	}
	if version := must("deploy/tools/version", "parties"); !strings.HasPrefix(version,
		lastRelease(t, "parties").version) {
		t.Errorf("the release of claims made the version of parties %q", version)
	}
}

// TestACloneWithoutTheRelease checks that a clone without the commit of a release is told how to fetch it.
func TestACloneWithoutTheRelease(t *testing.T) {
	err := extract("0000000000000000000000000000000000000001", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "git fetch --unshallow") {
		t.Errorf("a commit that is not there: %v", err)
	}
}
