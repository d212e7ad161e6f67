package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/e2e/trial"
)

// TestCredentialIsRotated exchanges the shared secret of seven processes under load, each process by itself: the new secret is
// added everywhere, then sent everywhere, and then the old one is dropped everywhere.
func TestCredentialIsRotated(t *testing.T) {
	t.Parallel()
	const newer = "the-next-secret-of-the-tests"
	volumes, data := t.TempDir(), t.TempDir()
	file := func(process string) string { return filepath.Join(volumes, process, "credential") }
	write := func(process string, secrets ...string) {
		publish(t, filepath.Join(volumes, process), map[string]string{"credential": strings.Join(secrets, "\n") + "\n"})
	}
	for _, process := range []string{"parties", "products", "coverage", "claims", "premium", "gateway"} {
		write(process, trial.Credential)
	}
	e, err := commands.RunComposed(data, trial.Composition{CredentialFile: file})
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	l := startLoad(t, policy(t, c).Text("policyNumber"), c, client(t, e, "another", trial.Developer, trial.Admin))
	l.await()
	for step, secrets := range [][]string{{trial.Credential, newer}, {newer, trial.Credential}, {newer}} {
		for _, process := range e.Processes() {
			write(process, secrets...)
			trial.Eventually(t, func() error {
				if n := e.Logged(process, `"msg":"a changed file was read again","setting":"credential-file"`); n != step+1 {
					return fmt.Errorf("%s has read its file again %d times in step %d", process, n, step+1)
				}
				return nil
			})
			l.await()
		}
	}
	l.end()
	t.Logf("%d requests", l.sent.Load())
	for process, path := range map[string]string{
		"parties": "/personal", "products": "/product", "coverage": "/vehicle", "claims": "/claim", "premium": "/receipt",
	} {
		direct := c.At("http://" + e.Address(process))
		direct.Get(t, path, "X-Exchange-Credential", trial.Credential).Want(t, http.StatusUnauthorized)
		direct.Get(t, path, "X-Exchange-Credential", newer).Want(t, http.StatusOK)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// publish writes files into a folder as Kubernetes does with those of a Secret: they are links into a folder that is a link, which
// is exchanged, so that all files change at once.
func publish(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	version, err := os.MkdirTemp(folder, "..")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(version, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			continue
		}
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	next := filepath.Join(folder, "..next")
	if err := os.Symlink(filepath.Base(version), next); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(folder, "..data")); err != nil {
		t.Fatal(err)
	}
}
