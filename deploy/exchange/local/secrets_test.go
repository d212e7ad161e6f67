package local_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/exchange/local"
	"insurance.example/exchange/pkg/process"
)

// TestSecretsAreMadeOnce makes the secrets of a folder twice and reads them as the processes do.
func TestSecretsAreMadeOnce(t *testing.T) {
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "secrets")
	var first string
	for _, time := range []string{"first", "second"} {
		command := local.SecretsCommand([]string{"EXCHANGE_DATA=" + data})
		command.SetArgs([]string{"--credential-file", file})
		if err := command.Execute(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if first != "" && string(text) != first {
			t.Errorf("the %s time, the credential is another", time)
		}
		first = string(text)
	}
	if token, err := local.IssueToken(data); err != nil || token == "" {
		t.Errorf("token %q, error %v", token, err)
	}
	if about, err := os.Stat(file); err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", about.Mode(), err)
	}
	program := process.Program{Name: "claims", Run: func(_ context.Context, p *process.Process) error {
		_, err := p.Credentials()
		return err
	}}
	if status := program.Execute(t.Context(), []string{"--credential-file", file}, nil, os.Stdout,
		os.Stderr); status != 0 || len(first) < 32 {
		t.Errorf("status %d, %d characters", status, len(first))
	}
	for want, args := range map[string][]string{
		"credential-file": {}, "no such file": {"--credential-file", filepath.Join(data, "absent", "file")},
	} {
		command := local.SecretsCommand([]string{"EXCHANGE_DATA=" + data})
		command.SilenceErrors, command.SilenceUsage = true, true
		command.SetArgs(args)
		if err := command.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v", args, err)
		}
	}
}
