package kubernetes_test

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/proof/crosstest/acceptance"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/wait"
)

// instant is a time of the API of Kubernetes.
type instant = time.Time

// deployments are the names of the Deployments of the exchange: of the services and of the gateway.
var deployments = append(internalapi.Services(), internalapi.Gateway)

// replicas is how many pods each has.
const replicas = 2

// exchange is the whole exchange on a cluster.
type exchange struct {
	*cluster
	base   string
	keys   string // the folder of the keys of its tokens
	signer *auth.Signer
}

// setting returns a setting of the environment, or what it is without one.
func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// image returns the name and the tag of one of the exchange's own images.
func image(name string) (repository, tag string) {
	return setting("IMAGE_PREFIX", "insurance-exchange/") + name, setting("IMAGE_TAG", "local")
}

// ownImages returns the images that are built here and that the nodes need.
func (c *cluster) ownImages() (all []string) {
	names := append([]string{"local"}, deployments...)
	if c.standins {
		names = append(names, "documentdb", "kafka")
	}
	for _, name := range names {
		repository, tag := image(name)
		all = append(all, repository+":"+tag)
	}
	return all
}

// applyExchange applies an overlay in a namespace of the test's own, which is deleted at the end, and waits until all
// replicas of all Deployments are ready.
func applyExchange(t *testing.T, c *cluster) *exchange {
	t.Helper()
	x := &exchange{cluster: c, keys: t.TempDir()}
	x.endWithTest(t)
	c.do(t, "apply", "--kustomize", c.overlay(t))
	x.makeSecrets(t)
	x.awaitReady(t)
	x.readKeys(t)
	x.openDoor(t)
	return x
}

// endWithTest has the namespace deleted at the end of the test, after what the cluster knows about a failure was
// logged.
func (x *exchange) endWithTest(t *testing.T) {
	t.Cleanup(func() {
		if t.Failed() {
			x.tell(t)
		}
		if _, err := x.try("delete", "namespace", x.namespace, "--wait=false"); err != nil {
			t.Error(err)
		}
	})
}

// overlay writes a kustomization of the test's own, over the one for stand-ins or the one with MongoDB and Kafka, and
// returns its folder.
func (c *cluster) overlay(t *testing.T) string {
	t.Helper()
	over := "dev"
	if c.standins {
		over = "test"
	}
	var text strings.Builder
	text.WriteString("images:\n")
	for _, name := range append([]string{"local", "documentdb", "kafka"}, deployments...) {
		repository, tag := image(name)
		fmt.Fprintf(&text, "  - {name: insurance-exchange/%s, newName: %q, newTag: %q}\n", name, repository, tag)
	}
	// Where there is only one of a kind, a roll under load would prove nothing.
	fmt.Fprintf(&text, `patches:
  - target: {kind: HorizontalPodAutoscaler}
    patch: |
      - {op: add, path: /spec/minReplicas, value: %d}
`, replicas)
	if c.standins {
		text.WriteString(c.database())
	}
	return c.writeKustomization(t, over, text.String())
}

// writeKustomization writes a kustomization over an overlay of the tree, in the namespace of the test, and returns
// its folder.
func (c *cluster) writeKustomization(t *testing.T, overlay, text string) string {
	t.Helper()
	root, err := filepath.Abs("../../../kubernetes/overlays/" + overlay)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	relative, err := filepath.Rel(folder, root) // kustomize takes no other path
	if err != nil {
		t.Fatal(err)
	}
	text = fmt.Sprintf(
		"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: %s\nresources: [%q]\n%s",
		c.namespace, relative, text)
	if err := os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// database returns the patch by which what stands in for MongoDB finds PostgreSQL on this machine, with the data of
// the test.
func (c *cluster) database() string {
	return fmt.Sprintf(`  - target: {kind: Deployment, name: mongodb}
    patch: |
      - {op: replace, path: /spec/template/spec/volumes/0/hostPath/path, value: %q}
      - {op: replace, path: /spec/template/spec/containers/0/args,
         value: [-addr, ":27017", -dir, /documentdb, -keep, %q]}
`, c.kept.Dir, c.kept.Keep)
}

// awaitReady waits until each Deployment has all its replicas, of its newest revision, ready, and no pods that are
// ending.
func (x *exchange) awaitReady(t *testing.T) {
	t.Helper()
	for _, name := range deployments {
		x.do(t, "rollout", "status", "deployment/"+name, "--timeout="+wait.Longest.String())
		wait.Until(t, func() error {
			ready, all := 0, x.pods(t, "app.kubernetes.io/name="+name)
			for _, p := range all {
				if p.readySince() != nil {
					ready++
				}
			}
			if ready < replicas || ready != len(all) {
				return fmt.Errorf("%d of %d pods of %s are ready", ready, len(all), name)
			}
			return nil
		})
	}
}

// makeSecrets makes the Secrets for which the pods wait, as an operator does.
func (x *exchange) makeSecrets(t *testing.T) {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), root+"/deploy/kubernetes/secrets", x.namespace).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
}

// readKeys reads the keys of local tokens, which are among the Secrets.
func (x *exchange) readKeys(t *testing.T) {
	t.Helper()
	var secret struct{ Data map[string]string }
	x.read(t, &secret, "secret", "exchange-token-keys")
	for name, encoded := range secret.Data {
		content, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(x.keys, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if x.signer, err = auth.OpenSigner(x.keys); err != nil {
		t.Fatal(err)
	}
}

// openDoor makes the gateway reachable from here, by a Service with a port of the nodes, as a load balancer would
// use, and waits until every service responds through it.
func (x *exchange) openDoor(t *testing.T) {
	t.Helper()
	x.do(t, "expose", "deployment", "gateway", "--name=outside", "--type=NodePort", "--port=8080", "--target-port=8080")
	var service struct {
		Spec struct{ Ports []struct{ NodePort int } }
	}
	x.read(t, &service, "service", "outside")
	x.base = fmt.Sprintf("http://%s:%d", x.nodeAddress(t), service.Spec.Ports[0].NodePort)
	token := acceptance.Token(t, x.signer, "std.developer")
	port := firstOwnPort
	for _, resource := range []string{"personal", "policyWording", "vehicle", "claim", "receipt"} {
		wait.Until(t, func() error {
			port++
			return x.canRead(t, port, "/"+resource, token)
		})
	}
}

// firstOwnPort is below the ports from which connections usually come, and those of nodes are not among the thousands
// that follow.
const firstOwnPort = 20_000

// canRead fails unless a path can be read: a service may be ready before its name is known everywhere.
//
// The connection comes from a port of this machine that nothing else uses. A connection that is tried before the node
// forwards its port to the Service is refused, and the kernel remembers for two minutes where packets from the same
// port to the same place went: a later connection from that port would be refused as well.
func (x *exchange) canRead(t *testing.T, port int, path, token string) error {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, x.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{Port: port}}
	client := http.Client{
		Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}, Timeout: time.Minute,
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the port of the Service outside cannot be reached from here: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: status %d", path, response.StatusCode)
	}
	return nil
}

// tell logs what the cluster knows about a failure.
func (x *exchange) tell(t *testing.T) {
	for _, args := range [][]string{
		{"get", "pods,deployments,jobs", "--output=wide"}, {"get", "events", "--sort-by=.lastTimestamp"},
		{"logs", "--selector=app.kubernetes.io/part-of=insurance-exchange", "--prefix", "--tail=15",
			"--max-log-requests=30"},
	} {
		output, err := x.try(args...)
		lines := strings.Split(strings.TrimSpace(output), "\n")
		t.Logf("%v: %v\n%s", args, err, strings.Join(lines[max(0, len(lines)-150):], "\n"))
	}
}
