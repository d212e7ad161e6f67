package policy

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// servicesSelect requires that each Service selects the pods of one workload and names their ports, and that each
// program has a Service of its name.
func (c *check) servicesSelect() {
	for _, s := range c.Services {
		var behind []workload
		for _, w := range c.workloads() {
			if len(s.Spec.Selector) > 0 && selects(&metav1.LabelSelector{MatchLabels: s.Spec.Selector}, w.pod.Labels) {
				behind = append(behind, w)
			}
		}
		if len(behind) != 1 {
			c.add("Service "+s.Name, "it selects the pods of %d workloads; it must be one", len(behind))
			continue
		}
		for _, port := range s.Spec.Ports {
			number := c.portNumber(behind[0], port.TargetPort.String())
			switch {
			case number == "":
				c.add("Service "+s.Name, "its port %s goes to %q, which is not the name of a port of %s", port.Name,
					port.TargetPort.String(), behind[0])
			case s.Spec.ClusterIP == corev1.ClusterIPNone && number != fmt.Sprint(port.Port):
				c.add("Service "+s.Name, "its name stands for the addresses of pods, so its port %d must be theirs, %s",
					port.Port, number)
			}
		}
	}
	for _, w := range c.running() {
		if !slices.ContainsFunc(c.Services, func(s *corev1.Service) bool { return s.Name == w.name }) {
			c.add(w.String(), "it has no Service of its name")
		}
	}
}

// ingresses requires TLS for all hosts of each Ingress, documented Secrets, and Services that exist.
func (c *check) ingresses() {
	for _, i := range c.Ingresses {
		object := "Ingress " + i.Name
		var secured []string
		for _, tls := range i.Spec.TLS {
			secured = append(secured, tls.Hosts...)
			for _, key := range []string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey} {
				if !c.secrets[SecretKey{tls.SecretName, key}] {
					c.add(object, "the Secret %s with the key %s is not in the table of README.md", tls.SecretName, key)
				}
			}
		}
		for _, rule := range i.Spec.Rules {
			if rule.Host == "" || !slices.Contains(secured, rule.Host) {
				c.add(object, "the host %q has no TLS; add it to spec.tls", rule.Host)
			}
			if rule.HTTP == nil {
				continue
			}
			for _, path := range rule.HTTP.Paths {
				to := path.Backend.Service
				found := to != nil && slices.ContainsFunc(c.Services, func(s *corev1.Service) bool {
					return s.Name == to.Name && slices.ContainsFunc(s.Spec.Ports, func(p corev1.ServicePort) bool {
						return to.Port.Name != "" && p.Name == to.Port.Name ||
							to.Port.Number != 0 && p.Port == to.Port.Number
					})
				})
				if !found {
					c.add(object, "the path %s goes to no port of a Service", path.Path)
				}
			}
		}
	}
}

// jobs requires that the image "local" is run with commands and flags that it has.
func (c *check) jobs() {
	for _, w := range c.workloads() {
		p, ok := c.program(w)
		if !ok || p.Name != localProgram {
			continue
		}
		args := w.container().Args
		if len(args) == 0 || p.flags[args[0]] == nil {
			c.add(w.String(), "its image has no command %q", args)
			continue
		}
		if err := p.flags[args[0]]().Parse(args[1:]); err != nil {
			c.add(w.String(), "the program refuses its arguments: %v", err)
		}
	}
}
