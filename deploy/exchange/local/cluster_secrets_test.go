package local_test

import (
	"encoding/json"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/exchange/local"
)

// secret is a Secret as the API of Kubernetes receives it.
type secret struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Data             map[string][]byte
}

// clusterAPI is the part of the API of Kubernetes that creates Secrets, with the environment and the folder that a
// pod gets.
type clusterAPI struct {
	environ []string
	account string
	secrets map[string]secret
	// refuse is the status of each response, if it is not 0.
	refuse int
}

func startCluster(t *testing.T) *clusterAPI {
	t.Helper()
	c := &clusterAPI{account: t.TempDir(), secrets: map[string]secret{}}
	server := httptest.NewTLSServer(c)
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	c.environ = []string{"KUBERNETES_SERVICE_HOST=" + host, "KUBERNETES_SERVICE_PORT=" + port}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, text := range map[string]string{"token": "of-the-pod\n", "namespace": "exchange",
		"ca.crt": string(authority)} {
		if err := os.WriteFile(filepath.Join(c.account, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *clusterAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	respond := func(status int, reason string) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]string{"reason": reason, "message": "because of " + reason})
	}
	var s secret
	switch {
	case c.refuse != 0:
		respond(c.refuse, "Forbidden")
	case r.Header.Get("Authorization") != "Bearer of-the-pod":
		respond(http.StatusUnauthorized, "Unauthorized")
	case r.Method != http.MethodPost || r.URL.Path != "/api/v1/namespaces/exchange/secrets":
		respond(http.StatusNotFound, "NotFound")
	case json.NewDecoder(r.Body).Decode(&s) != nil || s.APIVersion != "v1" || s.Kind != "Secret":
		respond(http.StatusBadRequest, "BadRequest")
	case c.secrets[s.Metadata.Name].Kind != "":
		respond(http.StatusConflict, "AlreadyExists")
	default:
		c.secrets[s.Metadata.Name] = s
		respond(http.StatusCreated, "")
	}
}

// create runs the command in the pod.
func (c *clusterAPI) create() (printed string, err error) {
	var out strings.Builder
	command := local.SecretsCommand(c.environ)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetOut(&out)
	command.SetArgs([]string{"--kubernetes", "--service-account", c.account})
	err = command.Execute()
	return out.String(), err
}

// TestSecretsOfACluster makes the Secrets twice. The keys, in a folder, issue tokens without being written again: a
// mounted Secret cannot be written to.
func TestSecretsOfACluster(t *testing.T) {
	cluster := startCluster(t)
	printed, err := cluster.create()
	// Those that all share, and those of the users of MongoDB: of each service, and of the one who makes them.
	secrets := 2 + len(internalapi.Stored()) + 1
	if err != nil || strings.Count(printed, "created") != secrets {
		t.Fatalf("printed %q, error %v", printed, err)
	}
	passwords := map[string]bool{}
	for _, name := range append(internalapi.Stored(), "server") {
		password := string(cluster.secrets["exchange-mongodb-"+name].Data["password"])
		if len(password) < 32 || passwords[password] {
			t.Errorf("the password of %s has %d characters, or is another's", name, len(password))
		}
		passwords[password] = true
	}
	if key := string(cluster.secrets["exchange-mongodb-server"].Data["key"]); len(key) < 32 || passwords[key] {
		t.Errorf("the key of the replica set has %d characters, or is a password", len(key))
	}
	credential := string(cluster.secrets["exchange-credential"].Data["secrets"])
	if len(strings.TrimSpace(credential)) < 32 {
		t.Errorf("a credential of %d characters", len(credential))
	}
	if printed, err = cluster.create(); err != nil || strings.Count(printed, "stays") != secrets {
		t.Errorf("the second time: printed %q, error %v", printed, err)
	}
	if again := string(cluster.secrets["exchange-credential"].Data["secrets"]); again != credential {
		t.Error("the second time, the credential is another")
	}

	data := t.TempDir()
	folder := filepath.Join(data, "keys")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range cluster.secrets["exchange-token-keys"].Data {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
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

func TestSecretsOfAClusterNameWhatIsWrong(t *testing.T) {
	for want, spoil := range map[string]func(*clusterAPI){
		"KUBERNETES_SERVICE_HOST":      func(c *clusterAPI) { c.environ = nil },
		"automountServiceAccountToken": func(c *clusterAPI) { c.account = filepath.Join(c.account, "absent") },
		"ca.crt has no certificate": func(c *clusterAPI) {
			_ = os.WriteFile(filepath.Join(c.account, "ca.crt"), nil, 0o600)
		},
		"because of Forbidden": func(c *clusterAPI) { c.refuse = http.StatusForbidden },
		"because of Unauthorized": func(c *clusterAPI) {
			_ = os.WriteFile(filepath.Join(c.account, "token"), nil, 0o600)
		},
	} {
		cluster := startCluster(t)
		spoil(cluster)
		if _, err := cluster.create(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
