package policy

import (
	"regexp"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	admission "k8s.io/pod-security-admission/policy"
)

// pod checks the rules that every pod has to observe.
func (c *check) pod(w workload) {
	spec := w.pod.Spec
	if len(spec.Containers) != 1 || len(spec.InitContainers) != 0 {
		c.add(w.String(), "it has %d containers and %d that run before; the rules are for one and none",
			len(spec.Containers), len(spec.InitContainers))
	}
	if spec.EnableServiceLinks == nil || *spec.EnableServiceLinks {
		c.add(w.String(), "each Service of the namespace becomes variables; set enableServiceLinks: false")
	}
	if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken {
		c.add(w.String(), "it is given a token for the API of Kubernetes; set automountServiceAccountToken: false")
	}
	container := w.container()
	c.security(w, container.SecurityContext)
	c.resources(w, container)
	if !w.ends {
		c.probes(w, container)
	}
}

// restricted evaluates the strictest of the Pod Security Standards, as the admission of a cluster does.
var restricted = sync.OnceValues(func() (admission.Evaluator, error) {
	return admission.NewEvaluator(admission.DefaultChecks())
})

// security holds a pod to the strictest of the Pod Security Standards, and to a root file system that it cannot write
// to.
func (c *check) security(w workload, own *corev1.SecurityContext) {
	evaluator, err := restricted()
	if err != nil {
		panic("policy: " + err.Error()) // the library's own checks
	}
	strictest := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	result := admission.AggregateCheckResults(evaluator.EvaluatePod(strictest, &w.pod.ObjectMeta, &w.pod.Spec))
	if !result.Allowed {
		c.rule(w, ruleRestricted, "Pod Security does not admit it as restricted", result.ForbiddenDetail())
	}
	if own != nil && own.Capabilities != nil && len(own.Capabilities.Add) > 0 {
		c.add(w.String(), "it gains the rights %v; add no capabilities", own.Capabilities.Add)
	}
	if own == nil || own.ReadOnlyRootFilesystem == nil || !*own.ReadOnlyRootFilesystem {
		c.rule(w, ruleRoot, "it can write to its root file system", "set readOnlyRootFilesystem: true")
	}
}

func (c *check) resources(w workload, container *corev1.Container) {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		request, limit := container.Resources.Requests[name], container.Resources.Limits[name]
		switch {
		case request.IsZero():
			c.add(w.String(), "it has no request of %s; set resources.requests.%[1]s", name)
		case limit.IsZero():
			c.add(w.String(), "it has no limit of %s; set resources.limits.%[1]s", name)
		case limit.Cmp(request) < 0:
			c.add(w.String(), "its limit of %s is below its request", name)
		}
	}
}

func (c *check) probes(w workload, container *corev1.Container) {
	ports := map[string]bool{}
	for _, port := range container.Ports {
		ports[port.Name] = true
	}
	for name, probe := range map[string]*corev1.Probe{
		"startupProbe": container.StartupProbe, "readinessProbe": container.ReadinessProbe,
		"livenessProbe": container.LivenessProbe,
	} {
		if probe == nil {
			c.add(w.String(), "it has no %s", name)
			continue
		}
		port := ""
		switch {
		case probe.HTTPGet != nil:
			port = probe.HTTPGet.Port.String()
		case probe.TCPSocket != nil:
			port = probe.TCPSocket.Port.String()
		case probe.Exec != nil:
			continue
		}
		if !ports[port] {
			c.add(w.String(), "its %s asks the port %q, which is not the name of a port of the container", name, port)
		}
	}
	if _, ok := c.program(w); !ok {
		return
	}
	for name, probe := range map[string]struct {
		of   *corev1.Probe
		path string
	}{
		"startupProbe": {container.StartupProbe, "/livez"}, "livenessProbe": {container.LivenessProbe, "/livez"},
		"readinessProbe": {container.ReadinessProbe, "/readyz"},
	} {
		if probe.of != nil && (probe.of.HTTPGet == nil || probe.of.HTTPGet.Path != probe.path ||
			probe.of.HTTPGet.Port.String() != adminPort) {
			c.add(w.String(), "its %s must be a GET of %s on the port %s", name, probe.path, adminPort)
		}
	}
}

// aDigest is what an image is pinned by.
var aDigest = regexp.MustCompile("^sha256:[0-9a-f]{64}$")

// image requires a tag or a digest that says what is in an image.
func (c *check) image(w workload) {
	image := w.container().Image
	name, digest, pinned := strings.Cut(image, "@")
	tag := ""
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		tag = name[i+1:]
	}
	switch {
	case pinned && !aDigest.MatchString(digest):
		c.add(w.String(), "the image %s has a digest that is none; it is sha256: and 64 hexadecimal digits", image)
	case tag == "" && !pinned || tag == "latest":
		c.add(w.String(), "the image %s may be another one tomorrow; give it a tag other than latest, or a digest",
			image)
	}
}
