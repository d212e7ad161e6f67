package policy_test

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"insurance.example/exchange/deploy/kubernetes/policy"
)

// brokenNetwork breaks the rules about who may call whom.
func brokenNetwork() []breakage {
	return []breakage{
		{claims, func(m *policy.Manifests) { m.Policies = nil }, ofClaims, "no NetworkPolicy selects it"},
		{claims, guarded("claims", func(s *networkingv1.NetworkPolicySpec) {
			s.PolicyTypes = nil
		}), "NetworkPolicy claims", "say what it is for"},
		{claims, guarded("claims", func(s *networkingv1.NetworkPolicySpec) {
			s.PolicyTypes = s.PolicyTypes[:1]
		}), ofClaims, "leave one direction open"},
		{claims, guarded("claims", func(s *networkingv1.NetworkPolicySpec) {
			s.Ingress[0].Ports[0].Port = pointer(intstr.FromString("http"))
		}), "NetworkPolicy claims", "give each port as a number"},
		// Only claims and premium reach the lookup of policies.
		{"base/coverage", guarded("coverage", func(s *networkingv1.NetworkPolicySpec) {
			also(s.Ingress[0].From, "parties")
		}),
			"Deployment coverage", "lets it be called by parties on the port 8080, which nothing needs"},
		{"base/coverage", guarded("coverage", func(s *networkingv1.NetworkPolicySpec) { s.Ingress[0].From = nil }),
			"Deployment coverage", "lets it be called by products on the port 8080"},
		{claims, guarded("claims", func(s *networkingv1.NetworkPolicySpec) {
			s.Ingress[0].Ports = nil
		}), ofClaims, "lets it be called by gateway on the port 9090"},
		{claims, guarded("claims", func(s *networkingv1.NetworkPolicySpec) {
			s.Ingress = s.Ingress[1:]
		}), ofClaims, "does not let it be called by gateway on the port 8080"},
		{claims, guarded("claims", func(s *networkingv1.NetworkPolicySpec) { s.Ingress = s.Ingress[:1] }), ofClaims,
			"does not let it be called from the namespace monitoring on the port 9090"},
		{claims, guarded("claims", func(s *networkingv1.NetworkPolicySpec) {
			s.Egress = s.Egress[1:]
		}), ofClaims, "does not let it call coverage on the port 8080"},
		// Only premium reaches the brokers.
		{claims, guarded("claims", func(s *networkingv1.NetworkPolicySpec) {
			s.Egress = append(s.Egress, toPods("kafka", 9092))
		}), ofClaims,
			"lets it call kafka on the port 9092, which nothing needs"},
		{gateway, guarded("gateway", func(s *networkingv1.NetworkPolicySpec) {
			s.Egress = append(s.Egress, toPods("mongodb", 27017))
		}),
			"Deployment gateway", "lets it call mongodb on the port 27017"},
		{claims, guarded("claims", func(s *networkingv1.NetworkPolicySpec) { s.Egress = s.Egress[:2] }), ofClaims,
			"does not let it call the namespace kube-system on the port 53"},
		{prod, guarded("database", func(s *networkingv1.NetworkPolicySpec) {
			s.Egress = nil
		}), ofClaims, "does not let it call addresses outside of the cluster on the port 27017"},
		{prod, guarded("database", func(s *networkingv1.NetworkPolicySpec) {
			s.Egress[0].Ports = nil
		}), ofClaims, "outside of the cluster on the port 443, which nothing needs"},
		{prod, guarded("brokers", func(s *networkingv1.NetworkPolicySpec) {
			s.PodSelector = metav1.LabelSelector{}
		}), ofClaims,
			"lets it call addresses outside of the cluster on the port 9093"},
		{prod, guarded("issuer", func(s *networkingv1.NetworkPolicySpec) { s.Egress = nil }), "Deployment gateway",
			"does not let it call addresses outside of the cluster on the port 443"},
		// Receivers of webhooks.
		{"base/feed", guarded("feed", func(s *networkingv1.NetworkPolicySpec) { s.Egress = s.Egress[:3] }),
			"Deployment feed", "does not let it call addresses outside of the cluster on the port 443"},
	}
}

// also adds a name to those that the first peer selects.
func also(peers []networkingv1.NetworkPolicyPeer, name string) {
	names := &peers[0].PodSelector.MatchExpressions[0]
	names.Values = append(names.Values, name)
}

// toPods returns a rule that lets connections out to the pods of a name.
func toPods(name string, port int32) networkingv1.NetworkPolicyEgressRule {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": name}}
	return networkingv1.NetworkPolicyEgressRule{
		To:    []networkingv1.NetworkPolicyPeer{{PodSelector: selector}},
		Ports: []networkingv1.NetworkPolicyPort{{Port: pointer(intstr.FromInt32(port))}},
	}
}
