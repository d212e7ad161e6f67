package local_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
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
	if token, err := local.IssueToken(data, "", ""); err != nil || token == "" {
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

// TestPasswordsAreMadeOnce makes the secrets of MongoDB's users twice: a folder for each service, in which nothing is
// but its own password, and one for the server.
func TestPasswordsAreMadeOnce(t *testing.T) {
	folder := t.TempDir()
	create := func() map[string]string {
		command := local.SecretsCommand([]string{"EXCHANGE_DATA=" + t.TempDir()})
		command.SetArgs([]string{"--credential-file", filepath.Join(t.TempDir(), "secrets"), "--mongodb", folder})
		if err := command.Execute(); err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		files, err := filepath.Glob(filepath.Join(folder, "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := filepath.Rel(folder, file)
			found[filepath.ToSlash(name)] = string(text)
			if about, err := os.Stat(file); err != nil || about.Mode().Perm() != 0o600 {
				t.Errorf("%s has the mode %v, error %v", name, about.Mode(), err)
			}
		}
		return found
	}
	first, names := create(), []string{"server/password", "server/key"}
	for _, service := range internalapi.Stored() {
		names = append(names, service+"/password")
	}
	seen := map[string]bool{}
	for _, name := range names {
		if len(first[name]) < 32 || seen[first[name]] {
			t.Errorf("%s has %d characters, or is another's", name, len(first[name]))
		}
		seen[first[name]] = true
	}
	if second := create(); len(first) != len(names) || !maps.Equal(first, second) {
		t.Errorf("first %d files, want %d; the second time they are the same: %v", len(first), len(names),
			maps.Equal(first, second))
	}
}
