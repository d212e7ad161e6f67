package policy

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"insurance.example/exchange/contracts/internalapi"
)

// SecretKey is a key of a Secret.
type SecretKey struct{ Secret, Key string }

// Documented holds the keys of Secrets in the documentation.
type Documented map[SecretKey]bool

// tableRow is a row of the documentation's table: the name of a Secret, and a key in it.
var tableRow = regexp.MustCompile("(?m)^\\| `([a-zA-Z0-9.-]+)` \\| `([A-Za-z0-9._-]+)` \\|")

// Placeholders in the names of Secrets in the table. A row with anyProcess is meant for each process of the exchange,
// and a row with anyService for each service that keeps records.
const (
	anyProcess = "PROGRAM"
	anyService = "SERVICE"
)

// ReadDocumented reads the section "Secrets" of the documentation. Its table has a row for each key.
func ReadDocumented(path string) (Documented, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, section, ok := strings.Cut(string(text), "\n## Secrets\n")
	if !ok {
		return nil, fmt.Errorf("%s has no section Secrets", path)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	documented := Documented{}
	for _, row := range tableRow.FindAllStringSubmatch(section, -1) {
		for _, name := range named(row[1]) {
			documented[SecretKey{name, row[2]}] = true
		}
	}
	return documented, nil
}

// named returns the names of Secrets that one in the table stands for.
func named(name string) (names []string) {
	for _, p := range internalapi.Processes() {
		if !p.Storeless || !strings.Contains(name, anyService) {
			names = append(names, strings.NewReplacer(anyProcess, p.Name, anyService, p.Name).Replace(name))
		}
	}
	return names
}

// Unused returns the documented keys that no manifest names, as findings.
func (d Documented) Unused(all []*Manifests) []Finding {
	used := map[SecretKey]bool{}
	for _, m := range all {
		for _, key := range m.secretKeys() {
			used[key] = true
		}
	}
	var findings []Finding
	for key := range d {
		if !used[key] {
			findings = append(findings, Finding{"Secret " + key.Secret,
				fmt.Sprintf("the documentation has its key %s, which no manifest names", key.Key)})
		}
	}
	return findings
}

// secretKeys returns the keys of Secrets that the manifests name. A Secret that is taken with all keys has the key "*".
func (m *Manifests) secretKeys() []SecretKey {
	var keys []SecretKey
	for _, w := range m.workloads() {
		keys = append(keys, secretKeys(w.pod.Spec)...)
	}
	for _, i := range m.Ingresses {
		for _, tls := range i.Spec.TLS {
			keys = append(keys, SecretKey{tls.SecretName, corev1.TLSCertKey},
				SecretKey{tls.SecretName, corev1.TLSPrivateKeyKey})
		}
	}
	return keys
}

func secretKeys(spec corev1.PodSpec) []SecretKey {
	var keys []SecretKey
	for _, container := range spec.Containers {
		for _, from := range container.EnvFrom {
			if from.SecretRef != nil {
				keys = append(keys, SecretKey{from.SecretRef.Name, "*"})
			}
		}
		for _, variable := range container.Env {
			if from := variable.ValueFrom; from != nil && from.SecretKeyRef != nil {
				keys = append(keys, SecretKey{from.SecretKeyRef.Name, from.SecretKeyRef.Key})
			}
		}
	}
	for _, volume := range spec.Volumes {
		if volume.Secret == nil {
			continue
		}
		if len(volume.Secret.Items) == 0 {
			keys = append(keys, SecretKey{volume.Secret.SecretName, "*"})
		}
		for _, item := range volume.Secret.Items {
			keys = append(keys, SecretKey{volume.Secret.SecretName, item.Key})
		}
	}
	return keys
}

// secretsOf requires that a pod names only documented Secrets, key by key.
func (c *check) secretsOf(w workload) {
	for _, key := range secretKeys(w.pod.Spec) {
		switch {
		case key.Key == "*":
			c.add(w.String(), "it takes all keys of the Secret %s; name those that it needs (items)", key.Secret)
		case !c.secrets[key]:
			c.add(w.String(), "the Secret %s with the key %s is not in the table of README.md", key.Secret, key.Key)
		}
	}
}
