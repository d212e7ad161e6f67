package e2e_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestTheExchangeConforms tries every rule and compares each request and response with the OpenAPI document.
func TestTheExchangeConforms(t *testing.T) {
	t.Parallel()
	t.Run("every rule", func(t *testing.T) {
		wantConforming(t, conformance.Run(t.Context(), tried), len(conformance.Rules()))
	})
	t.Run("every declared refusal was made, and no other", refusalsAsDeclared)
}

// wantConforming fails the test for every rule that failed, and if the report has not that many rules or too many
// were skipped.
func wantConforming(t *testing.T, report conformance.Report, rules int) {
	t.Helper()
	for _, r := range report.Results {
		if r.Outcome == conformance.Failed {
			t.Errorf("%s: %s: %s\n> %s\n< %s", r.Area, r.Rule, r.Why, r.Request, r.Response)
		}
	}
	if skipped := report.Count("", conformance.Skipped); skipped > 20 {
		t.Errorf("%d rules were skipped", skipped)
	}
	if len(report.Results) != rules {
		t.Errorf("%d of %d rules were tried", len(report.Results), rules)
	}
	t.Logf("%d rules in %s", len(report.Results), report.Elapsed)
}

func TestTheCommand(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "report.json")
	both, err := token(trial.Admin + " " + trial.Developer)
	if err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) (stdout string, status int) {
		cmd := exec.CommandContext(t.Context(), commands.Plain().Path("exchange"),
			append([]string{"conformance"}, args...)...)
		output, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(output), cmd.ProcessState.ExitCode()
	}
	if _, status := command(whole.Base, "--token", both, "--only", "syntax,access", "-o", "json", "--out", file,
		"--patience", trial.Patience.String(), "--timeout", trial.Patience.String()); status != 0 {
		t.Errorf("a run without failure ends with %d", status)
	}
	text, status := command(whole.Base, "--token", "none", "--only", "receipts")
	if status == 0 || !strings.Contains(text, "failed   receipts: ") || !strings.Contains(text, "\n         < 401 ") {
		t.Errorf("a run with a token that is none ends with %d and says\n%s", status, text)
	}
	list, status := command("--list", "--only", "lists")
	if status != 0 || strings.Count(list, "\n") != count("lists") {
		t.Errorf("--list ends with %d and says\n%s", status, list)
	}
	for _, wrong := range [][]string{
		{}, {"ftp://example", "--token", "x"}, {whole.Base}, {whole.Base, "--token", "x", "--only", "boats"},
		{whole.Base, "--token", "x", "-o", "pdf"}, {whole.Base, "--token", "x", "--parallel", "-1"},
		{whole.Base, "--token", "x", "--matching", "("}, {whole.Base, "--token", "x", "--matching", "no such rule"},
	} {
		if _, status := command(wrong...); status == 0 {
			t.Errorf("%v ends with 0", wrong)
		}
	}
}

// count returns the number of rules of some areas.
func count(areas ...string) (n int) {
	for _, r := range conformance.Rules() {
		if slices.Contains(areas, r.Area) {
			n++
		}
	}
	return n
}
