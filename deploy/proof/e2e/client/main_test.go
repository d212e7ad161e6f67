package client_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

var commands *trial.Commands

func TestMain(m *testing.M) {
	trial.Main(func(built *trial.Commands) (int, error) {
		commands = built
		return m.Run(), nil
	})
}

// shell runs the shipped command in a separate folder, as a person does who runs an exchange on the same machine.
type shell struct {
	*trial.Exchange
	folder, url string
	// client is the file of the command that is run.
	client string
}

// newShell runs an exchange for one test, because many tests count the records in it. The exchange also has the
// variables that the client reads, with other values. Neither has the race detector: other tests run the exchange
// with it, and newRacedShell runs the client with it.
func newShell(t *testing.T, settings ...string) *shell {
	t.Helper()
	e, err := commands.Plain().RunInOne(t.TempDir(), append([]string{"EXCHANGE_URL=http://127.0.0.1:9",
		"EXCHANGE_TOKEN=not-for-this-process"}, settings...)...)
	trial.EndWith(t, e, err)
	return &shell{e, t.TempDir(), e.Base, commands.Plain().Path("exchange")}
}

// newRacedShell is newShell with a client that has the race detector, for tests of what the client does in several
// goroutines.
func newRacedShell(t *testing.T) *shell {
	t.Helper()
	s := newShell(t)
	s.client = commands.Path("exchange")
	return s
}

func (s *shell) command(t *testing.T, stdin io.Reader, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.client, args...)
	cmd.Dir, cmd.Stdin = s.folder, stdin
	cmd.Env = []string{
		trial.NoPause, trial.Patient, "PATH=" + os.Getenv("PATH"), "HOME=" + s.folder, "EXCHANGE_URL=" + s.url,
		"EXCHANGE_DATA=" + s.Data,
	}
	return cmd
}

// result is what a command did.
type result struct {
	status         int
	stdout, stderr string
}

func (s *shell) run(t *testing.T, args ...string) result {
	t.Helper()
	return s.pipe(t, "", args...)
}

func (s *shell) pipe(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := s.command(t, strings.NewReader(stdin), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// want ends the test if the status is another, or an output lacks one of the words.
func (r result) want(t *testing.T, status int, words ...string) result {
	t.Helper()
	if r.status != status {
		t.Fatalf("exit status is %d, not %d\nstdout: %s\nstderr: %s", r.status, status, r.stdout, r.stderr)
	}
	for _, word := range words {
		if !strings.Contains(r.stdout+r.stderr, word) {
			t.Fatalf("the output lacks %q\nstdout: %s\nstderr: %s", word, r.stdout, r.stderr)
		}
	}
	return r
}

// lines returns the lines that were written to stdout.
func (r result) lines() []string { return lines(r.stdout) }

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func (s *shell) path(name string) string { return filepath.Join(s.folder, name) }

func (s *shell) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *shell) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
