// Package releases_test runs the last release of each service and of the gateway together with the others of today,
// as it is when a team releases its service alone, and when it takes a release back.
package releases_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestEachProcessOfTheLastRelease rolls each process back to its last release and forward again, with the other
// processes of today. Each time the process reads and changes the records that the other release has written, and the
// stories and the rules of the interface must pass.
func TestEachProcessOfTheLastRelease(t *testing.T) {
	today, err := trial.Build()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := today.Remove(); err != nil {
			t.Error(err)
		}
	}()
	x := start(t, today)
	for _, name := range trial.Processes() {
		t.Run(name, func(t *testing.T) { x.rollBackAndForward(t, name, build(t, name)) })
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// rollBackAndForward rolls one process to its last release and to that of today again.
func (x *exchange) rollBackAndForward(t *testing.T, name string, last *trial.Commands) {
	x.fill(t)
	written := x.records(t, name)
	t.Run("back", func(t *testing.T) {
		x.roll(t, name, last)
		x.change(t, written)
		x.tellStories(t)
		x.conform(t, name)
		// The records of the examples are made from the document that the gateway serves, and its last release has
		// another example of a policy.
		if name != internalapi.Gateway {
			x.fill(t)
		}
		written = x.records(t, name)
	})
	t.Run("forward", func(t *testing.T) {
		x.roll(t, name, x.commands)
		x.change(t, written)
		x.tellStories(t)
		x.conform(t, "")
	})
}

// exchange is an exchange as separate processes.
type exchange struct {
	*trial.Exchange
	*trial.Client
	commands *trial.Commands
	// stories is the compiled test package deploy/proof/e2e, which runs the stories; keys is the folder with the keys
	// of tokens.
	stories, keys string
	// books is how many books were written into the exchange.
	books int
}

func start(t *testing.T, commands *trial.Commands) *exchange {
	t.Helper()
	data := t.TempDir()
	e, err := commands.RunApart(data, nil)
	trial.EndWith(t, e, err)
	client, err := e.Client("tester", trial.Developer, trial.Admin)
	if err != nil {
		t.Fatal(err)
	}
	x := &exchange{
		Exchange: e, Client: client, commands: commands,
		stories: filepath.Join(t.TempDir(), "stories"), keys: filepath.Join(data, "keys"),
	}
	if output, err := exec.Command("go", "test", "-c", "-o", x.stories, "insurance.example/exchange/deploy/proof/e2e").
		CombinedOutput(); err != nil {
		t.Fatalf("building the stories: %v\n%s", err, output)
	}
	return x
}

// roll ends a process and starts it again from other commands.
func (x *exchange) roll(t *testing.T, name string, to *trial.Commands) {
	t.Helper()
	if err := x.Stop(name); err != nil {
		t.Fatal(err)
	}
	if err := x.RestartFrom(name, to); err != nil {
		t.Fatal(err)
	}
}

// storyPassed is a line of a test about a story.
var storyPassed = regexp.MustCompile(`(?m)^--- PASS: TestStory`)

// tellStories runs the stories of the tests of the whole against the gateway.
func (x *exchange) tellStories(t *testing.T) {
	t.Helper()
	command := exec.Command(x.stories, "-test.run", "^TestStory", "-test.v")
	command.Dir = filepath.Join(root, "deploy", "proof", "e2e")
	command.Env = append(os.Environ(), "EXCHANGE_UNDER_TEST="+x.Base, "EXCHANGE_UNDER_TEST_KEYS="+x.keys)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if !storyPassed.Match(output) {
		t.Fatalf("no story ran:\n%s", output)
	}
}

// conform tries every rule of the interface. old is the process that is of the last release, or "": the rules that it
// is known to lack may fail.
func (x *exchange) conform(t *testing.T, old string) {
	t.Helper()
	options := conformance.Options{Base: x.Base, Patience: trial.Patience, Timeout: trial.Patience}
	if old != "" {
		options.Patience = time.Minute // a rule that the last release lacks would wait for all of it
	}
	for scope, to := range map[string]*string{trial.Admin: &options.AdminToken,
		trial.Developer: &options.DeveloperToken} {
		token, err := x.Signer.Issue(grant(scope))
		if err != nil {
			t.Fatal(err)
		}
		*to = token
	}
	lacks := lacking(t, old)
	report := conformance.Run(t.Context(), options)
	for _, r := range report.Results {
		why, known := lacks[r.Area+": "+r.Rule]
		delete(lacks, r.Area+": "+r.Rule)
		switch {
		case known && r.Outcome == conformance.Passed:
			t.Errorf("%s: %s: the last release of %s holds to it, and is said to lack it", r.Area, r.Rule, old)
		case known:
			t.Logf("%s: %s: not yet in the last release of %s: %s", r.Area, r.Rule, old, why)
		case r.Outcome == conformance.Failed:
			t.Errorf("%s: %s: %s\n> %s\n< %s", r.Area, r.Rule, r.Why, r.Request, r.Response)
		}
	}
	for rule := range lacks {
		t.Errorf("there is no rule %q, which the last release of %s is said to lack", rule, old)
	}
	if report.Count("", conformance.Passed) == 0 {
		t.Error("no rule was tried")
	}
	t.Logf("%d rules in %s", len(report.Results), report.Elapsed)
}
