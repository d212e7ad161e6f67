package policy

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// place is one end of a connection: a pod of the same namespace by its labels, a pod of another namespace, or an
// address outside the cluster.
type place struct {
	says      string
	labels    map[string]string
	namespace string
	outside   bool
}

// Labels that identify pods, and the namespaces of other programs.
const (
	nameLabel       = "app.kubernetes.io/name"
	partLabel       = "app.kubernetes.io/part-of"
	componentLabel  = "app.kubernetes.io/component"
	namespaceLabel  = "kubernetes.io/metadata.name"
	dnsNamespace    = "kube-system"
	metricNamespace = "monitoring"
	mongoName       = "mongodb"
	kafkaName       = "kafka"
	mongoPort       = "27017"
	kafkaPort       = "9092"
	namePort        = "53"
	// nodeNames is the address of the DNS cache on each node, where there is one.
	nodeNames = "169.254.20.10/32"
)

// pods returns the pods of the programs, and of MongoDB and Kafka, whether the manifests have them or not: what a
// policy permits does not depend on which pods exist.
func (c *check) pods() map[string]place {
	pods := map[string]place{}
	for name, p := range c.programs {
		labels := map[string]string{nameLabel: name, partLabel: ours}
		if p.service() {
			labels[componentLabel] = "service"
		}
		pods[name] = place{says: name, labels: labels}
	}
	for _, name := range []string{mongoName, kafkaName} {
		pods[name] = place{says: name, labels: map[string]string{nameLabel: name}}
	}
	return pods
}

// network requires that a program may reach exactly what it calls, and that exactly its callers may reach it.
func (c *check) network(w workload) {
	p, _ := c.program(w)
	flags, ok := c.resolved(w)
	if !ok {
		return
	}
	policies := c.policiesOf(w)
	if len(policies) == 0 {
		c.add(w.String(), "no NetworkPolicy selects it, so everybody may call it")
		return
	}
	requests, admin := c.portNumber(w, requestPort), c.portNumber(w, adminPort)
	ports := []string{requests, admin, mongoPort, kafkaPort, namePort, "80", "443", "1"}
	for _, policy := range policies {
		for _, port := range portsOf(policy) {
			if port.Port != nil {
				ports = append(ports, port.Port.String())
			}
		}
	}
	needs := outsidePorts(flags)
	ports = slices.Compact(slices.Sorted(slices.Values(append(ports, needs...))))
	expect := func(got, want bool, format string, args ...any) {
		said := fmt.Sprintf(format, args...)
		switch {
		case want && !got:
			c.add(w.String(), "its NetworkPolicy does not let it %s", said)
		case got && !want:
			c.add(w.String(), "its NetworkPolicy lets it %s, which nothing needs", said)
		}
	}
	door := p.Name == "gateway"
	for _, name := range slices.Sorted(maps.Keys(c.pods())) {
		other := c.pods()[name]
		for _, port := range ports {
			calls := slices.Contains(p.Peers, name) && port == requests ||
				p.service() && name == mongoName && port == mongoPort ||
				p.aggregates() && name == kafkaName && port == kafkaPort
			expect(leaves(policies, other, port), calls, "call %s on the port %s", name, port)
			called := door && port == requests || slices.Contains(c.programs[name].Peers, p.Name) && port == requests
			expect(enters(policies, other, port), called, "be called by %s on the port %s", name, port)
		}
	}
	for _, namespace := range []string{dnsNamespace, metricNamespace, "another"} {
		other := place{says: namespace, namespace: namespace}
		for _, port := range ports {
			expect(leaves(policies, other, port), namespace == dnsNamespace && port == namePort,
				"call the namespace %s on the port %s", namespace, port)
			expect(enters(policies, other, port), door && port == requests ||
				namespace == metricNamespace && port == admin,
				"be called from the namespace %s on the port %s", namespace, port)
		}
	}
	outside := place{outside: true}
	for _, port := range ports {
		expect(leaves(policies, outside, port), slices.Contains(needs, port),
			"call addresses outside of the cluster on the port %s", port)
	}
}

// outsidePorts returns the ports of addresses outside the cluster in the settings: those with a domain. Names of
// Services are single words.
func outsidePorts(flags *pflag.FlagSet) []string {
	var ports []string
	note := func(address, usual string) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			host, port = address, usual
		}
		if strings.Contains(host, ".") {
			ports = append(ports, port)
		}
	}
	if store := flags.Lookup("store"); store != nil {
		if u, err := url.Parse(store.Value.String()); err == nil {
			for host := range strings.SplitSeq(u.Host, ",") {
				note(host, mongoPort)
			}
		}
	}
	if brokers := flags.Lookup("brokers"); brokers != nil {
		for broker := range strings.SplitSeq(strings.Trim(brokers.Value.String(), "[]"), ",") {
			note(broker, kafkaPort)
		}
	}
	if flags.Lookup("webhook-private-addresses") != nil {
		ports = append(ports, "443") // receivers are anywhere
	}
	for _, name := range []string{"jwks-url", "trace-endpoint"} {
		if flag := flags.Lookup(name); flag != nil && flag.Changed {
			if u, err := url.Parse(flag.Value.String()); err == nil {
				note(u.Host, map[string]string{"http": "80", "https": "443"}[u.Scheme])
			}
		}
	}
	return ports
}

// policiesOf returns the policies that select a workload. Each must state its policyTypes.
func (c *check) policiesOf(w workload) []*networkingv1.NetworkPolicy {
	var own []*networkingv1.NetworkPolicy
	closed := map[networkingv1.PolicyType]bool{}
	for _, p := range c.Policies {
		if !selects(&p.Spec.PodSelector, w.pod.Labels) {
			continue
		}
		own = append(own, p)
		if len(p.Spec.PolicyTypes) == 0 {
			c.add("NetworkPolicy "+p.Name, "say what it is for with policyTypes")
		}
		for _, t := range p.Spec.PolicyTypes {
			closed[t] = true
		}
		for _, port := range portsOf(p) {
			if port.Port == nil || port.Port.Type != intstr.Int {
				c.add("NetworkPolicy "+p.Name,
					"give each port as a number: not every network plugin looks up names of the other side")
			}
		}
	}
	if len(own) > 0 && (!closed[networkingv1.PolicyTypeIngress] || !closed[networkingv1.PolicyTypeEgress]) {
		c.add(w.String(), "its NetworkPolicies leave one direction open; give both policyTypes")
	}
	return own
}

func portsOf(p *networkingv1.NetworkPolicy) []networkingv1.NetworkPolicyPort {
	var all []networkingv1.NetworkPolicyPort
	for _, rule := range p.Spec.Ingress {
		all = append(all, rule.Ports...)
	}
	for _, rule := range p.Spec.Egress {
		all = append(all, rule.Ports...)
	}
	return all
}

// leaves reports whether a policy permits a connection out to a place and port.
func leaves(policies []*networkingv1.NetworkPolicy, to place, port string) bool {
	return slices.ContainsFunc(policies, func(p *networkingv1.NetworkPolicy) bool {
		return slices.ContainsFunc(p.Spec.Egress, func(rule networkingv1.NetworkPolicyEgressRule) bool {
			return hasPort(rule.Ports, port) && hasPlace(rule.To, to)
		})
	})
}

// enters reports whether a policy permits a connection in from a place to a port.
func enters(policies []*networkingv1.NetworkPolicy, from place, port string) bool {
	return slices.ContainsFunc(policies, func(p *networkingv1.NetworkPolicy) bool {
		return slices.ContainsFunc(p.Spec.Ingress, func(rule networkingv1.NetworkPolicyIngressRule) bool {
			return hasPort(rule.Ports, port) && hasPlace(rule.From, from)
		})
	})
}

func hasPort(ports []networkingv1.NetworkPolicyPort, port string) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		return p.Port == nil || p.Port.String() == port
	})
}

func hasPlace(peers []networkingv1.NetworkPolicyPeer, of place) bool {
	return len(peers) == 0 || slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool {
		switch {
		case peer.IPBlock != nil:
			return of.outside && peer.IPBlock.CIDR != nodeNames
		case of.outside:
			return false
		case peer.NamespaceSelector == nil:
			return of.namespace == "" && selects(peer.PodSelector, of.labels)
		default:
			inside := of.namespace != "" &&
				selects(peer.NamespaceSelector, map[string]string{namespaceLabel: of.namespace})
			return inside && (peer.PodSelector == nil || selects(peer.PodSelector, of.labels))
		}
	})
}
