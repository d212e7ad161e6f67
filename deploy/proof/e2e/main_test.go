package e2e_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/auth"
)

// commands are the shipped commands, and whole an exchange in one process that the tests share. It has a reporting
// window of 30 days, and no receiptType for refunds.
var (
	commands *trial.Commands
	whole    *trial.Exchange
	// tried are the options of the conformance suite for the shared exchange. Each request and response is compared
	// with the OpenAPI document and with the rules of all responses.
	tried conformance.Options
)

// Where the stories run against an exchange elsewhere: its URL, and the folder with the keys of its tokens. Then tests
// that need the commands cannot run.
const (
	elsewhere     = "EXCHANGE_UNDER_TEST"
	elsewhereKeys = "EXCHANGE_UNDER_TEST_KEYS"
)

func TestMain(m *testing.M) {
	if base := os.Getenv(elsewhere); base != "" {
		signer, err := auth.OpenSigner(os.Getenv(elsewhereKeys))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		whole = &trial.Exchange{Base: base, Signer: signer}
		os.Exit(m.Run())
	}
	trial.Main(func(built *trial.Commands) (int, error) {
		commands = built
		return withSharedExchange(m.Run)
	})
}

// withSharedExchange runs the tests while the shared exchange runs, and returns their exit status.
func withSharedExchange(tests func() int) (status int, err error) {
	data, err := os.MkdirTemp("", "exchange-data-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	if whole, err = commands.RunInOne(data, "EXCHANGE_REPORTING_WINDOW=720h",
		"EXCHANGE_WEBHOOK_PRIVATE_ADDRESSES=true"); err != nil {
		return 1, err
	}
	tried = conformance.Options{
		Base: whole.Base, Patience: trial.Patience, Timeout: trial.Patience,
		Transport: trial.Checked(trial.Connections()),
	}
	for scope, to := range map[string]*string{trial.Admin: &tried.AdminToken, trial.Developer: &tried.DeveloperToken} {
		if *to, err = token(scope); err != nil {
			return 1, errors.Join(err, whole.Close())
		}
	}
	status = tests()
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
