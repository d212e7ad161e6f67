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
		{claims, inPod(func(s *corev1.PodSpec) { s.HostNetwork = true }), ofClaims, "it shares the network"},
		{claims, inPod(func(s *corev1.PodSpec) { s.EnableServiceLinks = nil }), ofClaims, "enableServiceLinks"},
		{claims, inPod(func(s *corev1.PodSpec) {
			s.AutomountServiceAccountToken = nil
		}), ofClaims, "it is given a token"},
		{claims, inPod(func(s *corev1.PodSpec) {
			s.SecurityContext.RunAsNonRoot = nil
		}), ofClaims, "it may run as root"},
		{claims, inPod(func(s *corev1.PodSpec) { s.SecurityContext.RunAsUser = nil }), ofClaims, "it may run as root"},
		{claims, inContainer(func(c *corev1.Container) {
			c.SecurityContext.RunAsUser = pointer(int64(0))
		}), ofClaims, "it may run as root"},
		{claims, inContainer(func(c *corev1.Container) {
			c.SecurityContext.ReadOnlyRootFilesystem = nil
		}), ofClaims, "readOnlyRootFilesystem"},
		{claims, inContainer(func(c *corev1.Container) {
			c.SecurityContext.Capabilities = nil
		}), ofClaims, "it keeps or gains rights"},
		{claims, inContainer(func(c *corev1.Container) {
			c.SecurityContext.Capabilities.Add = []corev1.Capability{"NET_BIND_SERVICE"}
		}), ofClaims, "it keeps or gains rights"},
		{claims, inContainer(func(c *corev1.Container) {
			c.SecurityContext.AllowPrivilegeEscalation = nil
		}), ofClaims, "it keeps or gains rights"},
		{claims, inPod(func(s *corev1.PodSpec) {
			s.SecurityContext.SeccompProfile = nil
		}), ofClaims, "every system call"},
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
		{watched, func(m *policy.Manifests) {
			m.Monitors[0].Spec.Selector.MatchLabels["app.kubernetes.io/name"] = "gateway"
		}, "PodMonitor insurance-exchange", "it does not select the pods of Deployment claims"},
		{watched, func(m *policy.Manifests) {
			m.Monitors[0].Spec.JobLabel = ""
		}, "PodMonitor insurance-exchange", `the job of the metrics of Deployment claims is ""`},
		{watched, func(m *policy.Manifests) {
			m.Monitors[0].Spec.PodMetricsEndpoints[0].Port = pointer("http")
		}, "PodMonitor insurance-exchange", `it reads /metrics on the port "http"`},
		{claims, inContainer(func(c *corev1.Container) {
			c.EnvFrom = append(c.EnvFrom, corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{}})
		}), ofClaims, "it takes all keys of the Secret"},
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
			user := &corev1.SecurityContext{RunAsUser: pointer(int64(999)), RunAsNonRoot: pointer(true)}
			d.Spec.Template.Spec.Containers[0].SecurityContext = user
		}), "Deployment mongodb", "the exception from the rule user is not needed"},
		{dev, func(m *policy.Manifests) {
			m.Jobs[0].Spec.Template.Spec.Containers[0].Args = []string{"secret"}
		}, "Job secrets", `no command ["secret"]`},
		{dev, func(m *policy.Manifests) {
			c := &m.CronJobs[0].Spec.JobTemplate.Spec.Template.Spec.Containers[0]
			c.Args = append(c.Args, "--folder")
		}, "CronJob token", "refuses its arguments"},
		{dev, func(m *policy.Manifests) {
			m.CronJobs[0].Spec.JobTemplate.Spec.Template.Spec.AutomountServiceAccountToken = pointer(true)
		}, "CronJob token", "it is given a token"},
	}
}
