package client_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// shell runs a command line in bash, as a person types it.
func (s *shell) shell(t *testing.T, line string, environ ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := s.typed(t, line, environ...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// typed returns bash with a command line, to be run in the folder of the shell.
func (s *shell) typed(t *testing.T, line string, environ ...string) *exec.Cmd {
	t.Helper()
	bin := s.path("bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.client, bin+"/exchange"); err != nil && !errors.Is(err, os.ErrExist) {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-c", line)
	cmd.Dir = s.folder
	cmd.Env = append([]string{trial.NoPause,
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + s.folder, "EXCHANGE_URL=" + s.url, "EXCHANGE_DATA=" + s.Data,
	}, environ...)
	return cmd
}

// endless are the examples of commands that go on until Ctrl-C.
var endless = regexp.MustCompile(`--follow|exchange listen`)

// wantUntilInterrupted fails the test unless a command line writes something while records are created, and ends with
// the status of Ctrl-C when it is interrupted.
func (s *shell) wantUntilInterrupted(t *testing.T, line string) {
	t.Helper()
	written := s.path("written")
	file, err := os.Create(written)
	if err != nil {
		t.Fatal(err)
	}
	cmd := s.typed(t, "exec "+line)
	cmd.Stdout, cmd.Stderr = file, file
	if err := errors.Join(cmd.Start(), file.Close()); err != nil {
		t.Fatal(err)
	}
	_, redirected, _ := strings.Cut(line, ">> ")
	wait.Until(t, func() error {
		s.run(t, "create", "vehicle", "--body", `{"plateNumber":"EX 3"}`).want(t, 0)
		text, err := os.ReadFile(written)
		if redirected != "" {
			var more []byte
			more, err = os.ReadFile(s.path(redirected))
			text = append(text, more...)
		}
		if err == nil && len(text) == 0 {
			err = errors.New("nothing was written")
		}
		return err
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		text, _ := os.ReadFile(written)
		t.Errorf("after Ctrl-C: %v, want exit status 130\n%s", err, text)
	}
}

// examples returns the examples in the help of a command. An example of several lines is one string.
func (s *shell) examples(t *testing.T, command ...string) []string {
	t.Helper()
	help := s.run(t, append(command, "--help")...).want(t, 0).stdout
	_, rest, has := strings.Cut(help, "Examples:\n")
	if !has {
		return nil
	}
	text, _, _ := strings.Cut(rest, "\n\n")
	var all []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// records returns the seeded records of a resource.
func (s *shell) records(t *testing.T, resource string) []trial.Record {
	t.Helper()
	var all []trial.Record
	for _, line := range s.run(t, "list", resource, "--all", "-o", "json").want(t, 0).lines() {
		var record trial.Record
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	return all
}

// fixtures writes the files that the examples name, about a policy.
func (s *shell) fixtures(t *testing.T, policy trial.Record) {
	t.Helper()
	for name, content := range map[string]any{
		"policy.json": policy.Without("id", "policyNumber", "status"),
		"notification.json": trial.Record{
			"policyNumber": policy["policyNumber"], "lossDate": policy["inceptionDate"], "claimType": "other",
			"lossCause": policy["perils"].([]any)[0],
		},
		"vehicle.json": trial.Record{"plateNumber": "EX 9", "vin": "V9"},
		"product.json": s.records(t, "product")[0],
		"may.ndjson": trial.Record{
			"policyNumber": policy["policyNumber"], "receiptType": "other", "paymentAmount": 5,
			"premiumPaymentMethod": "cash",
		},
	} {
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		s.write(t, name, string(text)+"\n")
	}
	s.write(t, "fleet.csv", "plateNumber,vin\nEX 1,V1\nEX 2,V2\n")
	s.write(t, "password", "secret\n")
	s.run(t, "export", "vehicle", "--out", "fleet.xlsx").want(t, 0)
}

var onRecord = regexp.MustCompile(`exchange (get|put|action) (\w+) \$ID`)

// noServer is what names the server of an example that is not there.
var noServer = regexp.MustCompile(`(db|router)-0`)

var named = regexp.MustCompile(`(?m)^  ([\w-]+) +[A-Z]`)

// commands returns the arguments that name each command, first none: the program itself.
func (s *shell) commands(t *testing.T) [][]string {
	t.Helper()
	all := [][]string{nil}
	for _, match := range named.FindAllStringSubmatch(s.run(t, "--help").want(t, 0).stdout, -1) {
		all = append(all, match[1:])
	}
	return all
}

// TestHelpFits reads the help of every command: no line is longer than 120 columns, and exchange run, which has the
// most settings by far, has each of them under a heading.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for _, command := range append(s.commands(t), []string{"run", "health"}) {
		help := s.run(t, append(command, "--help")...).want(t, 0).stdout
		for line := range strings.Lines(help) {
			if columns := len([]rune(strings.TrimSuffix(line, "\n"))); columns > 120 {
				t.Errorf("exchange %s --help has a line of %d columns: %s", strings.Join(command, " "), columns, line)
			}
		}
	}
	var all, under []string // the settings of exchange run, and those under a heading other than Flags
	heading := ""
	for line := range strings.Lines(s.run(t, "run", "--help").want(t, 0).stdout) {
		if title, is := strings.CutSuffix(line, ":\n"); is {
			heading = title
		}
		if flag := regexp.MustCompile(`^ +(?:-\w, )?--([\w-]+)`).FindStringSubmatch(line); flag != nil {
			all = append(all, flag[1])
			if heading != "Flags" {
				under = append(under, flag[1])
			}
		}
	}
	if missing := len(all) - len(under); missing != 2 || len(all) < 80 || !slices.Contains(under, "addr") {
		t.Errorf("of the %d settings of exchange run, all but --help and --version have a heading; those with one: %q",
			len(all), under)
	}
}

// TestHelpExamples runs every example in the help of every command, with a seeded exchange that has a test clock. Those
// about MongoDB find no server.
func TestHelpExamples(t *testing.T) {
	t.Parallel()
	s := newShell(t, "EXCHANGE_TEST_CLOCK=2026-01-05T09:00:00Z")
	s.run(t, "seed", "--size", "21").want(t, 0)
	policies := slices.DeleteFunc(s.records(t, "motorCoverage"), func(r trial.Record) bool {
		return r.Text("status") != "in force"
	})
	s.fixtures(t, policies[0])
	used := map[string]bool{}
	idFor := func(resource string) string {
		for _, record := range s.records(t, resource) {
			status := record.Text("status") + record.Text("claimStatus")
			id := record.Text("id")
			if used[id] || record["reverses"] != nil || !slices.Contains([]string{"", "open", "in force"}, status) {
				continue
			}
			// there is only one product, and its examples change nothing that other examples need
			used[id] = resource != "product"
			return id
		}
		t.Fatalf("there is no %s left", resource)
		return ""
	}
	tried := 0
	// An example imports what it has exported, which has no names of its own until the rules of conformance give some.
	all := s.commands(t)
	slices.SortStableFunc(all, func(a, b []string) int {
		return cmp.Compare(slices.Index(b, "import"), slices.Index(a, "import"))
	})
	for _, command := range all {
		for _, example := range s.examples(t, command...) {
			tried++
			t.Run(strings.Join(command, "")+"/"+example, func(t *testing.T) {
				if example == "exchange run" {
					s.wantRun(t)
					return
				}
				if endless.MatchString(example) {
					s.wantUntilInterrupted(t, example)
					return
				}
				environ := []string{"POLICY=" + policies[0].Text("policyNumber")}
				if on := onRecord.FindStringSubmatch(example); on != nil {
					environ = append(environ, "ID="+idFor(on[2]))
				}
				ran := s.shell(t, strings.ReplaceAll(example, "http://127.0.0.1:8080", s.url), environ...)
				if !strings.Contains(example, "mongodb://") {
					ran.want(t, 0)
				} else if ran.want(t, 3); !noServer.MatchString(ran.stderr) { // there is no such server here
					t.Errorf("the server that is not there is not named: %s", ran.stderr)
				}
			})
		}
	}
	if tried < 40 {
		t.Errorf("%d examples were found, want at least 40: is the help of another form?", tried)
	}
}

// wantRun fails the test unless `exchange run` listens, and ends with status 0 once it is asked to.
func (s *shell) wantRun(t *testing.T) {
	t.Helper()
	another, err := commands.Plain().RunInOne(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := another.Close(); err != nil {
		t.Fatal(err)
	}
}
