package policy_test

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"insurance.example/exchange/deploy/kubernetes/policy"
)

// brokenAvailability breaks what keeps a program available, and the Services that find it.
func brokenAvailability() []breakage {
	return []breakage{
		{claims, func(m *policy.Manifests) {
			set := &appsv1.StatefulSet{ObjectMeta: m.Deployments[0].ObjectMeta}
			set.Spec.Template = m.Deployments[0].Spec.Template
			m.Sets, m.Deployments = append(m.Sets, set), nil
		}, "StatefulSet claims", "runs as a Deployment"},
		{claims, on("claims", func(d *appsv1.Deployment) {
			d.Spec.Replicas = pointer(int32(3))
		}), ofClaims, "it has a number of replicas"},
		{claims, on("claims", func(d *appsv1.Deployment) {
			d.Spec.Strategy.RollingUpdate = nil
		}), ofClaims, "rollingUpdate.maxUnavailable: 0"},
		{claims, on("claims", func(d *appsv1.Deployment) {
			d.Spec.Selector.MatchLabels["app.kubernetes.io/name"] = "other"
		}), ofClaims, "does not select its own pods"},
		{claims, func(m *policy.Manifests) { m.Autoscalers = nil }, ofClaims, "it has 0 HorizontalPodAutoscalers"},
		{claims, func(m *policy.Manifests) {
			m.Autoscalers[0].Spec.ScaleTargetRef.Name = "other"
		}, ofClaims, "it has 0 HorizontalPodAutoscalers"},
		{claims, func(m *policy.Manifests) {
			m.Autoscalers[0].Spec.MinReplicas = nil
		}, ofClaims, "it may run as one replica"},
		{claims, func(m *policy.Manifests) {
			m.Autoscalers[0].Spec.MaxReplicas = 2
		}, ofClaims, "its autoscaler has no room"},
		{claims, func(m *policy.Manifests) { m.Autoscalers[0].Spec.Metrics = nil }, ofClaims, "no metric to go by"},
		{prod, func(m *policy.Manifests) {
			m.Autoscalers[0].Spec.MinReplicas = pointer(int32(1))
		}, "Deployment parties", "it may run as one replica"},
		{claims, func(m *policy.Manifests) { m.Budgets = nil }, ofClaims, "it has 0 PodDisruptionBudgets"},
		{claims, func(m *policy.Manifests) {
			m.Budgets[0].Spec.Selector = nil
		}, ofClaims, "it has 0 PodDisruptionBudgets"},
		{claims, func(m *policy.Manifests) {
			m.Budgets[0].Spec.MaxUnavailable = pointer(intstr.FromInt32(0))
		}, ofClaims, "never lets a node be emptied; set"},
		{claims, func(m *policy.Manifests) {
			m.Budgets[0].Spec.MaxUnavailable, m.Budgets[0].Spec.MinAvailable = nil, pointer(intstr.FromInt32(2))
		}, ofClaims, "never lets a node be emptied with 2 replicas"},
		{prod, func(m *policy.Manifests) { m.Ingresses[0].Spec.TLS[0].Hosts = nil }, "Ingress gateway", "has no TLS"},
	}
}
