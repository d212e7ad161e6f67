package conformance_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/deploy/e2e/trial"
)

// whole is the exchange in one process that the tests share, as it is shipped.
var whole struct {
	command string // the file of the command exchange
	data    string
	tried   conformance.Options
}

func TestMain(m *testing.M) {
	status, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

var listens = regexp.MustCompile(`listens on (http://\S+)`)

func run(m *testing.M) (status int, err error) {
	folder, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	whole.command, whole.data = filepath.Join(folder, "exchange"), filepath.Join(folder, "data")
	build := exec.Command("go", "build", "-o", whole.command, "insurance.example/exchange/deploy/exchange")
	if output, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("building the exchange: %w\n%s", err, output)
	}
	process, err := trial.Start(whole.command, nil, "run", "--addr", "127.0.0.1:0", "--data", whole.data)
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, process.Stop()) }()
	if whole.tried.Base, err = process.Find(process.Stdout, listens); err != nil {
		return 1, err
	}
	if whole.tried.AdminToken, err = token("std.admin"); err != nil {
		return 1, err
	}
	if whole.tried.DeveloperToken, err = token("std.developer"); err != nil {
		return 1, err
	}
	if status = m.Run(); status != 0 {
		fmt.Fprintln(os.Stderr, process.Stderr)
	}
	return status, nil
}

// token answers a token that the shipped command issues.
func token(scope string) (string, error) {
	output, err := exec.Command(whole.command, "token", "--data", whole.data, "--scope", scope).Output()
	return string(bytes.TrimSpace(output)), err
}
