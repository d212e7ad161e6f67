package policy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/exchange/local"
)

// kubectlStandIn stands in for the command: a Secret of the namespace "exchange" is a folder in $CLUSTER.
const kubectlStandIn = `#!/bin/sh
set -eu
case "$1 $2 $3 $4" in
"--namespace exchange get secret") [ ! -e "$CLUSTER/$5" ] || echo "secret/$5" ;;
"--namespace exchange create secret")
	[ "$5" = generic ]
	mkdir "$CLUSTER/$6"
	for file; do
		case $file in
		--from-file=*) cp "${file#--from-file=}" "$CLUSTER/$6" ;;
		esac
	done ;;
*) echo "Forbidden: $*" >&2 && exit 1 ;;
esac
`

// makeSecrets runs the script for a namespace. The Secrets become folders in a cluster.
func makeSecrets(t *testing.T, cluster, namespace string) (printed string, err error) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), []byte(kubectlStandIn), 0o700); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "../secrets", namespace)
	command.Env = append(os.Environ(), "CLUSTER="+cluster, "PATH="+folder+":"+os.Getenv("PATH"))
	output, err := command.CombinedOutput()
	return string(output), err
}

// TestSecretsOfACluster makes the Secrets twice. The keys, in a folder, issue tokens without being written again: a
// mounted Secret cannot be written to.
func TestSecretsOfACluster(t *testing.T) {
	cluster := t.TempDir()
	read := func(secret, key string) string {
		content, err := os.ReadFile(filepath.Join(cluster, secret, key))
		if err != nil {
			t.Error(err)
		}
		return string(content)
	}
	printed, err := makeSecrets(t, cluster, "exchange")
	// Those that all share, and those of the users of MongoDB: of each service, and of the one who makes them.
	secrets := 2 + len(internalapi.Stored()) + 1
	if err != nil || strings.Count(printed, "created") != secrets {
		t.Fatalf("printed %q, error %v", printed, err)
	}
	credential := read("exchange-credential", "secrets")
	values := []string{credential, read("exchange-mongodb-server", "key"), read("exchange-mongodb-server", "password")}
	for _, name := range internalapi.Stored() {
		values = append(values, read("exchange-mongodb-"+name, "password"))
	}
	seen := map[string]bool{}
	for i, value := range values {
		if len(strings.TrimSpace(value)) < 32 || seen[value] {
			t.Errorf("the secret %d has %d characters, or is another's", i, len(value))
		}
		seen[value] = true
	}
	if printed, err = makeSecrets(t, cluster, "exchange"); err != nil || strings.Count(printed, "stays") != secrets {
		t.Errorf("the second time: printed %q, error %v", printed, err)
	}
	if again := read("exchange-credential", "secrets"); again != credential {
		t.Error("the second time, the credential is another")
	}

	data := t.TempDir()
	folder := filepath.Join(data, "keys")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(cluster, "exchange-token-keys"))); err != nil {
		t.Fatal(err)
	}
	public := filepath.Join(folder, "jwks.json")
	before, err := os.Stat(public)
	if err != nil {
		t.Fatal(err)
	}
	if token, err := local.IssueToken(data, "", ""); err != nil || token == "" {
		t.Errorf("token %q, error %v", token, err)
	}
	if after, err := os.Stat(public); err != nil || !os.SameFile(before, after) {
		t.Errorf("the public key was written again (error %v)", err)
	}
}

func TestSecretsOfAClusterSayWhatIsWrong(t *testing.T) {
	cluster := t.TempDir()
	if printed, err := makeSecrets(t, cluster, "other"); err == nil || !strings.Contains(printed, "Forbidden") ||
		strings.Contains(printed, "created") {
		t.Errorf("printed %q, error %v", printed, err)
	}
}
