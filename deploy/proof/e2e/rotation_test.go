package e2e_test

import (
	"fmt"
	"net/http"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/secret/certificatetest"
	"insurance.example/exchange/pkg/wait"
)

// apart are the processes of an exchange that know each other.
var apart = trial.Processes()

// TestRollOfTheCredentialLosesNoRequest exchanges the shared secret of the processes under load, each process by
// itself: the new secret is added everywhere, then sent everywhere, and then the old one is dropped everywhere.
func TestRollOfTheCredentialLosesNoRequest(t *testing.T) {
	t.Parallel()
	const newer = "the-next-secret-of-the-tests"
	volumes := trial.NewVolumes(t, t.TempDir())
	for _, process := range apart {
		volumes.WriteSecrets(process, trial.Credential)
	}
	e, err := commands.RunComposed(t.TempDir(), trial.Composition{CredentialFile: volumes.CredentialFile})
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	l := startLoad(t, policy(t, c).Text("policyNumber"), c, client(t, e, "another", trial.Developer, trial.Admin))
	l.await()
	for step, secrets := range [][]string{{trial.Credential, newer}, {newer, trial.Credential}, {newer}} {
		for _, process := range apart {
			volumes.WriteSecrets(process, secrets...)
			awaitReading(t, e, process, step+1, "credential-file")
			l.await()
		}
	}
	l.end()
	t.Logf("%d requests", l.sent.Load())
	for service, resource := range written {
		direct := c.At(e.URL(service))
		direct.Get(t, "/"+resource, "X-Exchange-Credential", trial.Credential).Want(t, http.StatusUnauthorized)
		direct.Get(t, "/"+resource, "X-Exchange-Credential", newer).Want(t, http.StatusOK)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// awaitReading waits until a process has read the files of settings again for the given time.
func awaitReading(t *testing.T, e *trial.Exchange, process string, times int, settings ...string) {
	t.Helper()
	for _, setting := range settings {
		wait.Until(t, func() error {
			if n := e.Logged(process, `"msg":"a changed file was read again","setting":"`+setting+`"`); n != times {
				return fmt.Errorf("%s has read the files of %s again %d times, want %d", process, setting, n, times)
			}
			return nil
		})
	}
}

// The settings of files that a process reads again together.
const (
	servedPair = "tls-certificate and tls-key"
	shownPair  = "peer-certificate and peer-key"
)

// authoritiesOf returns the settings of files with authorities that a process has.
func authoritiesOf(process string) []string {
	if process == "gateway" {
		return []string{"peer-ca"}
	}
	return []string{"tls-client-ca", "peer-ca"}
}

// TestRollOfCertificatesLosesNoRequest exchanges the certificates of the processes under load, and then the
// authority that signs them, each process by itself: the new authority is trusted everywhere, then it signs
// everywhere, and then the old one is dropped everywhere.
func TestRollOfCertificatesLosesNoRequest(t *testing.T) {
	t.Parallel()
	older, newer := certificatetest.NewAuthority(t), certificatetest.NewAuthority(t)
	volumes := trial.NewVolumes(t, t.TempDir(), older, newer)
	for _, process := range apart {
		volumes.Issue(process, older)
	}
	e, err := commands.RunComposed(t.TempDir(), trial.Composition{Volumes: volumes})
	trial.EndWith(t, e, err)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	l := startLoad(t, policy(t, c).Text("policyNumber"), c, c.Through(twoProtocols(volumes)))
	l.await()

	volumes.Break("coverage", older)
	for _, setting := range []string{servedPair, shownPair} {
		wait.Until(t, func() error {
			if e.Logged("coverage",
				`"msg":"a changed file cannot be used; what it held before stays in use","setting":"`+
					setting+`"`) != 1 {
				return fmt.Errorf("coverage does not say that the files of %s cannot be used", setting)
			}
			return nil
		})
	}
	l.await()
	for _, process := range apart {
		volumes.Issue(process, older)
		awaitReading(t, e, process, 1, servedPair, shownPair)
		l.await()
	}

	former := volumes.Pair("gateway")
	for _, process := range apart {
		volumes.Trust(process, older, newer)
		awaitReading(t, e, process, 1, authoritiesOf(process)...)
	}
	// A caller that keeps its connection and does not renew its certificate.
	keeping := volumes.Transport(former)
	keeping.IdleConnTimeout = 0
	late := c.At(e.URL("parties")).Through(keeping)
	late.Get(t, "/personal").Want(t, http.StatusOK)
	for _, process := range apart {
		volumes.Issue(process, newer, older)
		awaitReading(t, e, process, 2, servedPair, shownPair)
		l.await()
	}
	late.Get(t, "/personal").Want(t, http.StatusOK)
	for _, process := range apart {
		volumes.Trust(process, newer)
		awaitReading(t, e, process, 3, authoritiesOf(process)...)
		l.await()
	}
	l.end()
	t.Logf("%d requests", l.sent.Load())
	late.Get(t, "/personal").Want(t, http.StatusUnauthorized)
	wantNoHandshake(t, "with a certificate of the former authority", late, "/personal")
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
