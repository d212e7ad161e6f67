package kubernetes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/deploy/proof/crosstest/acceptance"
	"insurance.example/exchange/pkg/wait"
)

// tryProduction applies an overlay for production as deploy/kubernetes/production.md describes, changing only addresses
// and images, and runs the stories through the gateway's Service.
func tryProduction(t *testing.T, c *cluster, overlay string) {
	own := *c
	own.namespace += "-" + overlay
	o := startOutside(t, own.nodeAddress(t))
	x := &exchange{cluster: &own, keys: o.keys, signer: o.signer}
	x.endWithTest(t)
	x.do(t, "create", "namespace", x.namespace)
	x.createSecrets(t, o)
	x.do(t, "apply", "--kustomize", x.productionOverlay(t, overlay, o))
	for _, name := range deployments {
		x.do(t, "rollout", "status", "deployment/"+name, "--timeout="+wait.Longest.String())
	}
	x.openDoor(t)
	acceptance.TellStories(t, x.base, x.keys)
	// The rows of the stories are right without Kafka as well, some seconds later.
	const flows = `"premium kafka":"ok"`
	wait.Until(t, func() error {
		if health := x.do(t, "exec", "deployment/premium", "--", "/command",
			"health"); !strings.Contains(health, flows) {
			return fmt.Errorf("premium says of its health: %s", health)
		}
		return nil
	})
}

// createSecrets makes the Secrets that the overlays for production name.
func (x *exchange) createSecrets(t *testing.T, o *outside) {
	t.Helper()
	create := func(name string, keys map[string]string) {
		folder := t.TempDir()
		args := []string{"create", "secret", "generic", name}
		for key, content := range keys {
			file := filepath.Join(folder, key)
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, "--from-file="+key+"="+file)
		}
		x.do(t, args...)
	}
	authority := o.authority.PEM
	create(credentialSecret, map[string]string{credentialKey: uuid.NewString() + "\n"})
	for name, password := range o.passwords {
		create("exchange-mongodb-"+name, map[string]string{"password": password + "\n", "ca.crt": authority})
	}
	create("exchange-kafka", map[string]string{"password": o.kafkaPassword + "\n", "ca.crt": authority})
	for _, name := range deployments {
		certificate, key := o.authority.Issue(name)
		create("exchange-tls-"+name, map[string]string{"tls.crt": certificate, "tls.key": key, "ca.crt": authority})
	}
}

// productionOverlay writes a kustomization over one for production, and returns its folder.
func (x *exchange) productionOverlay(t *testing.T, overlay string, o *outside) string {
	t.Helper()
	var images strings.Builder
	for _, name := range deployments {
		repository, tag := image(name)
		fmt.Fprintf(&images, "  - {name: registry.example.com/insurance-exchange/%s, newName: %q, newTag: %q}\n", name,
			repository, tag)
	}
	return x.writeKustomization(t, overlay, fmt.Sprintf(`images:
%spatches:
  - target: {kind: ConfigMap, labelSelector: insurance-exchange/store=mongodb}
    patch: |
      - {op: replace, path: /data/EXCHANGE_STORE, value: "mongodb://%s/?authSource=admin"}
  - target: {kind: ConfigMap, name: premium}
    patch: |
      - {op: replace, path: /data/EXCHANGE_BROKERS, value: %q}
  - target: {kind: ConfigMap, name: gateway}
    patch: |
      - {op: replace, path: /data/EXCHANGE_JWKS_URL, value: %q}
      - {op: replace, path: /data/EXCHANGE_JWT_ISSUER, value: %q}
`, images.String(), o.mongodb, strings.Join(o.brokers, ","), o.keySet, acceptance.Issuer))
}
