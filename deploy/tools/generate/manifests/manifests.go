// Package manifests derives from the list of processes what manifests say of each of them: which run, which calls
// which, who logs in to MongoDB, which release, and which the alerts watch; and from the alerts an object of
// Kubernetes. What else a process needs (its sizes, its own settings) is written by hand in its base.
package manifests

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/contracts/internalapi"
)

//go:embed templates
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join}).ParseFS(files,
	"templates/*"))

// process is what the templates know of a process.
type process struct {
	internalapi.Process
	// Callers are the processes that call it.
	Callers []string
	// Kafka reports whether it sends or receives messages.
	Kafka bool
	// Release is the version of its last release, without the v.
	Release string
}

// Gateway reports whether callers from outside reach the process.
func (p process) Gateway() bool { return p.Name == internalapi.Gateway }

// Folder returns the folder of the process in the repository.
func (p process) Folder() string {
	if p.Gateway() {
		return p.Name
	}
	return "services/" + p.Name
}

// Files reports whether the process writes files of its own, for which its container has a volume in the compose file:
// what it is sent, or the book.
func (p process) Files() bool { return p.Name == "desk" || p.Name == "book" }

// Peers returns the setting peer of the process, for a scheme.
func (p process) Peers(scheme string) string {
	var peers []string
	for _, name := range p.Calls {
		peers = append(peers, name+"="+scheme+"://"+name+":8080")
	}
	return strings.Join(peers, ",")
}

// Write writes the generated files and parts of files of a repository.
func Write(repository string) error {
	all, err := processes(repository)
	if err != nil {
		return err
	}
	for _, p := range all {
		base := filepath.Join(repository, "deploy", "kubernetes", "base", p.Name)
		if err := whole(filepath.Join(base, "program.yaml"), "program.yaml", p); err != nil {
			return err
		}
		if len(p.Calls) == 0 {
			continue
		}
		if err := whole(filepath.Join(base, "peers.env"), "peers.env", p); err != nil {
			return err
		}
	}
	for path, name := range map[string]string{
		"deploy/kubernetes/base/kustomization.yaml":                        "bases.yaml",
		"deploy/kubernetes/components/mongodb/programs/kustomization.yaml": "mongodb.yaml",
		"deploy/kubernetes/components/tls/programs/kustomization.yaml":     "tls.yaml",
	} {
		if err := whole(filepath.Join(repository, path), name, all); err != nil {
			return err
		}
	}
	rules, err := alerts(repository, all)
	if err != nil {
		return err
	}
	if err := whole(filepath.Join(repository, "deploy/kubernetes/components/monitoring/rules.yaml"), "rules.yaml",
		rules); err != nil {
		return err
	}
	for path, parts := range map[string][]string{
		"docker-compose.yml": {"compose-peers", "compose-services", "compose-gateway", "compose-passwords",
			"compose-users", "compose-volumes"},
		"deploy/kubernetes/overlays/dev/mongodb.yaml":        {"dev-mounts", "dev-volumes"},
		"deploy/docker/standins.yml":                         {"standins-services"},
		"deploy/kubernetes/overlays/prod/kustomization.yaml": {"images"},
	} {
		for _, name := range parts {
			if err := part(filepath.Join(repository, path), name, all); err != nil {
				return err
			}
		}
	}
	return nil
}

// processes returns the processes in the order in which they start.
func processes(repository string) ([]process, error) {
	var all []process
	for _, p := range internalapi.Processes() {
		one := process{Process: p}
		for _, other := range internalapi.Processes() {
			if slices.Contains(other.Calls, p.Name) {
				one.Callers = append(one.Callers, other.Name)
			}
		}
		if last := len(one.Callers) - 1; last > 0 { // the gateway, which calls all of them
			one.Callers = append(one.Callers[last:], one.Callers[:last]...)
		}
		one.Kafka = slices.ContainsFunc(events.Contracts(), func(c events.Contract) bool { return c.Service == p.Name })
		text, err := os.ReadFile(filepath.Join(repository, one.Folder(), "RELEASE"))
		if err != nil {
			return nil, err
		}
		version, _, _ := strings.Cut(string(text), " ")
		one.Release = strings.TrimPrefix(version, "v")
		all = append(all, one)
	}
	return all, nil
}

// everyProcess is a matcher of an alert that names three processes or more, and is to name all of them.
var everyProcess = regexp.MustCompile(`(job|deployment)=~"(exchange\|)?(?:[a-z]+\|){2,}[a-z]+"`)

// alerts names all processes in the alerts, and returns the alerts as a part of an object of Kubernetes.
func alerts(repository string, all []process) (string, error) {
	path := filepath.Join(repository, "deploy/monitoring/alerts.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if !everyProcess.Match(text) {
		return "", fmt.Errorf("%s has no expression like job=~\"parties|products|coverage\"", path)
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	text = everyProcess.ReplaceAll(text, []byte(`$1=~"${2}`+strings.Join(names, "|")+`"`))
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return "", err
	}
	_, groups, found := strings.Cut(string(text), "\ngroups:\n")
	if !found {
		return "", fmt.Errorf("%s has no line \"groups:\"", path)
	}
	return "  " + strings.ReplaceAll(strings.TrimSpace("groups:\n"+groups), "\n", "\n  "), nil
}

// whole writes a file.
func whole(path, name string, of any) error {
	text, err := filled(name, of)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// part replaces what a file has between the line "# begin NAME" and the line "# end NAME".
func part(path, name string, of any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, began := bytes.Cut(text, []byte("# begin "+name+"\n"))
	old, after, ended := bytes.Cut(rest, []byte("# end "+name+"\n"))
	if !began || !ended {
		return fmt.Errorf("%s has no lines \"# begin %s\" and \"# end %s\"", path, name, name)
	}
	indent := old[bytes.LastIndexByte(old, '\n')+1:]
	filling, err := filled(name, of)
	if err != nil {
		return err
	}
	filling = fmt.Appendf(nil, "%s# begin %s\n%s%s# end %s\n%s", before, name, filling, indent, name, after)
	return os.WriteFile(path, filling, 0o644)
}

// filled returns a template filled in.
func filled(name string, of any) ([]byte, error) {
	var text bytes.Buffer
	err := templates.ExecuteTemplate(&text, name, of)
	return text.Bytes(), err
}
