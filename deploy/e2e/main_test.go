package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/deploy/e2e/trial"
)

// commands are the shipped commands, and whole an exchange in one process that the tests share. It has a reporting
// window of 30 days, and no receiptType for refunds.
var (
	commands *trial.Commands
	whole    *trial.Exchange
	// tried is the shared exchange as the conformance suite tries it: each request and its response are held against the
	// OpenAPI document, and against what holds for every response.
	tried conformance.Options
)

func TestMain(m *testing.M) {
	status, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func run(m *testing.M) (status int, err error) {
	if commands, err = trial.Build(); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, commands.Remove()) }()
	data, err := os.MkdirTemp("", "exchange-data-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	if whole, err = commands.RunInOne(data, "EXCHANGE_REPORTING_WINDOW=720h"); err != nil {
		return 1, err
	}
	tried = conformance.Options{
		Base: whole.Base, Patience: trial.Patience, Timeout: trial.Patience,
		Transport: trial.Checked(&http.Transport{MaxIdleConnsPerHost: 128}),
	}
	for scope, to := range map[string]*string{trial.Admin: &tried.AdminToken, trial.Developer: &tried.DeveloperToken} {
		if *to, err = token(scope); err != nil {
			return 1, errors.Join(err, whole.Close())
		}
	}
	status = m.Run()
	if status != 0 {
		fmt.Fprint(os.Stderr, whole.Logs())
	}
	return status, whole.Close()
}

// token returns a token that the shipped command issues.
func token(scope string) (string, error) {
	output, err := exec.Command(commands.Path("exchange"), "token", "--data", whole.Data, "--scope", scope).Output()
	return strings.TrimSpace(string(output)), err
}

// caller returns a client of the shared exchange that may read and write.
func caller(t testing.TB) *trial.Client {
	t.Helper()
	return client(t, whole, "tester", trial.Developer, trial.Admin)
}

func client(t testing.TB, e *trial.Exchange, subject string, scopes ...string) *trial.Client {
	t.Helper()
	c, err := e.Client(subject, scopes...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// owned sees to it that an exchange of the test's own does not outlive it, and that its log is shown if the test fails.
func owned(t testing.TB, e *trial.Exchange, err error) {
	t.Helper()
	if e != nil {
		t.Cleanup(func() {
			if err := e.Abandon(); err != nil {
				t.Error(err)
			}
			if t.Failed() {
				t.Log(e.Logs())
			}
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}
