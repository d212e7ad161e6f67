package policy_test

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"insurance.example/exchange/deploy/kubernetes/policy"
)

// brokenPods breaks the rules about pods, their Secrets and their images.
func brokenPods() []breakage {
	return []breakage{
		{claims, inPod(func(s *corev1.PodSpec) {
			s.Containers = append(s.Containers, s.Containers[0])
		}), ofClaims, "it has 2 containers"},
		{claims, inPod(func(s *corev1.PodSpec) { s.InitContainers = s.Containers }), ofClaims, "1 that run before"},
		{claims, inPod(func(s *corev1.PodSpec) { s.HostNetwork = true }), ofClaims, "host namespaces"},
		{claims, inPod(func(s *corev1.PodSpec) { s.EnableServiceLinks = nil }), ofClaims, "enableServiceLinks"},
		{claims, inPod(func(s *corev1.PodSpec) {
			s.AutomountServiceAccountToken = nil
		}), ofClaims, "it is given a token"},
		{claims, inPod(func(s *corev1.PodSpec) {
			s.SecurityContext.RunAsNonRoot = nil
		}), ofClaims, "runAsNonRoot"},
		{claims, inContainer(func(c *corev1.Container) {
			c.SecurityContext.RunAsUser = pointer(int64(0))
		}), ofClaims, "runAsUser=0"},
		{claims, inContainer(func(c *corev1.Container) {
			c.SecurityContext.ReadOnlyRootFilesystem = nil
		}), ofClaims, "readOnlyRootFilesystem"},
		{claims, inContainer(func(c *corev1.Container) {
			c.SecurityContext.Capabilities = nil
		}), ofClaims, "capabilities"},
		{claims, inContainer(func(c *corev1.Container) {
			c.SecurityContext.Capabilities.Add = []corev1.Capability{"NET_BIND_SERVICE"}
		}), ofClaims, "it gains the rights [NET_BIND_SERVICE]"},
		{claims, inContainer(func(c *corev1.Container) {
			c.SecurityContext.AllowPrivilegeEscalation = nil
		}), ofClaims, "allowPrivilegeEscalation"},
		{claims, inPod(func(s *corev1.PodSpec) {
			s.SecurityContext.SeccompProfile = nil
		}), ofClaims, "seccompProfile"},
		{claims, inContainer(func(c *corev1.Container) {
			delete(c.Resources.Requests, corev1.ResourceCPU)
		}), ofClaims, "no request of cpu"},
		{claims, inContainer(func(c *corev1.Container) {
			delete(c.Resources.Limits, corev1.ResourceMemory)
		}), ofClaims, "no limit of memory"},
		{claims, inContainer(func(c *corev1.Container) {
			c.Resources.Requests[corev1.ResourceMemory] = resource.MustParse("64Gi")
		}), ofClaims, "its limit of memory is below"},
		{claims, inContainer(func(c *corev1.Container) { c.StartupProbe = nil }), ofClaims, "it has no startupProbe"},
		{claims, inContainer(func(c *corev1.Container) {
			c.ReadinessProbe = nil
		}), ofClaims, "it has no readinessProbe"},
		{claims, inContainer(func(c *corev1.Container) { c.LivenessProbe = nil }), ofClaims, "it has no livenessProbe"},
		{claims, inContainer(func(c *corev1.Container) {
			c.ReadinessProbe.HTTPGet.Port = intstr.FromString("other")
		}), ofClaims, `asks the port "other"`},
		{claims, inContainer(func(c *corev1.Container) {
			c.LivenessProbe.HTTPGet.Path = "/readyz"
		}), ofClaims, "must be a GET of /livez"},
		{claims, inContainer(func(c *corev1.Container) {
			c.ReadinessProbe.HTTPGet.Port = intstr.FromString("http")
		}), ofClaims, "on the port admin"},
		{claims, inContainer(func(c *corev1.Container) {
			c.Image = "insurance-exchange/claims:latest"
		}), ofClaims, "other than latest"},
		{claims, inContainer(func(c *corev1.Container) {
			c.Image = "registry.example.com:5000/insurance-exchange/claims"
		}), ofClaims, "other than latest"},
		{claims, inContainer(func(c *corev1.Container) {
			c.Image = "insurance-exchange/claims:1.0.0@sha256:0123"
		}), ofClaims, "a digest that is none"},
		{claims, inContainer(func(c *corev1.Container) {
			c.EnvFrom = append(c.EnvFrom, corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{}})
		}), ofClaims, "its environment has the Secret"},
		{claims, inContainer(func(c *corev1.Container) {
			from := &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "secret"}}
			c.Env = append(c.Env, corev1.EnvVar{Name: "EXCHANGE_CREDENTIAL", ValueFrom: from})
		}), ofClaims, "the variable EXCHANGE_CREDENTIAL has a Secret"},
		{claims, inPod(func(s *corev1.PodSpec) {
			s.Volumes[0].Secret.Items = nil
		}), ofClaims, "it takes all keys of the Secret exchange-credential"},
		{claims, inPod(func(s *corev1.PodSpec) {
			s.Volumes[0].Secret.Items[0].Key = "password"
		}), ofClaims, "the Secret exchange-credential with the key password is not in"},
		{prod, func(m *policy.Manifests) {
			m.Ingresses[0].Spec.TLS[0].SecretName = "other"
		}, "Ingress gateway", "the Secret other with the key tls.crt is not in"},
		{test, on("mongodb", func(d *appsv1.Deployment) {
			user := &corev1.SecurityContext{ReadOnlyRootFilesystem: pointer(true)}
			d.Spec.Template.Spec.Containers[0].SecurityContext = user
		}), "Deployment mongodb", "the exception from the rule read-only root is not needed"},
	}
}
