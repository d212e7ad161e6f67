package policy

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Finding is one fault in the manifests.
type Finding struct {
	// Object is the kind and the name of the object.
	Object string
	// Message says what is wrong, and how to mend it.
	Message string
}

func (f Finding) String() string { return f.Object + ": " + f.Message }

// check is the work on the manifests of one folder.
type check struct {
	*Manifests
	programs map[string]Program
	secrets  Documented
	findings []Finding
	// excused holds the exceptions that were used.
	excused map[exception]bool
}

// Check returns what is wrong with the manifests of a folder, sorted. secrets are the Secrets in the documentation.
func Check(m *Manifests, programs map[string]Program, secrets Documented) []Finding {
	c := &check{Manifests: m, programs: programs, secrets: secrets, excused: map[exception]bool{}}
	for _, w := range c.workloads() {
		c.pod(w)
		c.image(w)
		c.secretsOf(w)
	}
	for _, w := range c.running() {
		c.settings(w)
		c.availability(w)
		c.network(w)
	}
	c.ingresses()
	for _, e := range exceptions {
		if path.Base(m.Folder) == e.overlay && !c.excused[e] {
			c.add(e.workload, "the exception from the rule %s is not needed any more: remove it from package policy",
				e.rule)
		}
	}
	slices.SortFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(c.findings)
}

func (c *check) add(object, message string, args ...any) {
	c.findings = append(c.findings, Finding{object, fmt.Sprintf(message, args...)})
}

// anyProgram is the workload of an exception for the Deployments of all programs.
const anyProgram = "Deployment of a program"

// exception exempts a workload of an overlay from a rule.
type exception struct{ overlay, workload, rule string }

// The rules that have exceptions.
const (
	ruleRestricted = "restricted"
	ruleRoot       = "read-only root"
	ruleReplicas   = "replicas"
	ruleLogin      = "login"
)

// exceptions are all exceptions: servers of others, in development and in tests.
var exceptions = []exception{
	// Kafka writes its configuration and its log into the folder of its program.
	{"dev", "StatefulSet kafka", ruleRoot},
	// For development, one replica of each program is enough.
	{"dev", anyProgram, ruleReplicas},
	// The stand-in for MongoDB runs PostgreSQL in a folder of its own, for which it must be root.
	{"test", "Deployment mongodb", ruleRestricted},
	{"test", "Deployment mongodb", ruleRoot},
	// It knows no roles for a database, and asks for no login.
	{"test", anyProgram, ruleLogin},
}

// rule adds a finding, unless the workload is exempt from the rule in this overlay.
func (c *check) rule(w workload, rule, message, mending string) {
	names := []string{w.String()}
	if _, ok := c.program(w); ok && w.kind == "Deployment" {
		names = append(names, anyProgram)
	}
	for _, name := range names {
		if e := (exception{path.Base(c.Folder), name, rule}); slices.Contains(exceptions, e) {
			c.excused[e] = true
			return
		}
	}
	c.add(w.String(), "%s; %s", message, mending)
}
