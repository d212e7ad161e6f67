// Package acceptance tries an exchange that runs somewhere from outside: against the rules of the interface, and by its
// stories.
package acceptance

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/pkg/wait"
)

// Conform tries every rule of the interface through the gateway at base. It fails the test for each rule that fails,
// and returns how many passed.
func Conform(t *testing.T, base, adminToken, developerToken string) (passed int) {
	t.Helper()
	result := conformance.Run(t.Context(), conformance.Options{
		Base: base, AdminToken: adminToken, DeveloperToken: developerToken, Patience: wait.Longest,
	})
	for _, rule := range result.Results {
		if rule.Outcome == conformance.Failed {
			t.Errorf("%s: %s: %s %s\n%s\n%s", rule.Area, rule.Rule, rule.Outcome, rule.Why, rule.Request, rule.Response)
		}
	}
	if passed = result.Count("", conformance.Passed); passed == 0 {
		t.Error("no rule was tried")
	}
	return passed
}

// storyPassed is a line of go test about a story.
var storyPassed = regexp.MustCompile(`(?m)^--- PASS: TestStory`)

// TellStories runs the stories of the tests of the whole against the gateway at base. keys is the folder with the
// keys of the tokens that it accepts.
func TellStories(t *testing.T, base, keys string) {
	t.Helper()
	command := exec.Command("go", "test", "-count=1", "-run", "^TestStory", "-v",
		"insurance.example/exchange/deploy/proof/e2e")
	command.Env = append(os.Environ(), "EXCHANGE_UNDER_TEST="+base, "EXCHANGE_UNDER_TEST_KEYS="+keys)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if ran := storyPassed.Find(output); ran == nil {
		t.Fatalf("no story was run:\n%s", output)
	}
}
