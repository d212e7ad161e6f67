package policy

import (
	"fmt"
	"os"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"insurance.example/exchange/contracts/internalapi"
)

// Documented is the table of Secrets in the documentation, with a row for each key. The name of a Secret has a
// placeholder where each process of the exchange (PROGRAM), or each service that keeps records (SERVICE), has its own.
type Documented string

// ReadDocumented reads the section "Secrets" of the documentation.
func ReadDocumented(path string) (Documented, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	_, section, ok := strings.Cut(string(text), "\n## Secrets\n")
	if !ok {
		return "", fmt.Errorf("%s has no section Secrets", path)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return Documented(section), nil
}

// has reports whether the table has a key of a Secret.
func (d Documented) has(secret, key string) bool {
	names := []string{secret}
	for _, p := range internalapi.Processes() {
		if own, ok := strings.CutSuffix(secret, p.Name); ok {
			names = append(names, own+"PROGRAM", own+"SERVICE")
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(string(d), fmt.Sprintf("| `%s` | `%s` |", name, key))
	})
}

// secretsOf requires that Secrets are files and no variables, which every child and every dump of the process shows,
// and that a pod names only documented ones, key by key.
func (c *check) secretsOf(w workload) {
	for _, from := range w.container().EnvFrom {
		if from.SecretRef != nil {
			c.add(w.String(), "its environment has the Secret %s; mount it as a file", from.SecretRef.Name)
		}
	}
	for _, variable := range w.container().Env {
		if variable.ValueFrom != nil && variable.ValueFrom.SecretKeyRef != nil {
			c.add(w.String(), "the variable %s has a Secret; mount it as a file", variable.Name)
		}
	}
	for _, volume := range w.pod.Spec.Volumes {
		if volume.Secret == nil {
			continue
		}
		if len(volume.Secret.Items) == 0 {
			c.add(w.String(), "it takes all keys of the Secret %s; name those that it needs (items)",
				volume.Secret.SecretName)
		}
		for _, item := range volume.Secret.Items {
			if !c.secrets.has(volume.Secret.SecretName, item.Key) {
				c.add(w.String(), "the Secret %s with the key %s is not in the table of README.md",
					volume.Secret.SecretName, item.Key)
			}
		}
	}
}

// ingresses requires TLS for all hosts of each Ingress, with documented Secrets.
func (c *check) ingresses() {
	for _, i := range c.Ingresses {
		var secured []string
		for _, tls := range i.Spec.TLS {
			secured = append(secured, tls.Hosts...)
			for _, key := range []string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey} {
				if !c.secrets.has(tls.SecretName, key) {
					c.add("Ingress "+i.Name, "the Secret %s with the key %s is not in the table of README.md",
						tls.SecretName, key)
				}
			}
		}
		for _, rule := range i.Spec.Rules {
			if rule.Host == "" || !slices.Contains(secured, rule.Host) {
				c.add("Ingress "+i.Name, "the host %q has no TLS; add it to spec.tls", rule.Host)
			}
		}
	}
}
