package policy

import (
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// workload is an object that makes pods.
type workload struct {
	kind, name string
	pod        *corev1.PodTemplateSpec
	// ends is true if its pods end by themselves, and so have no probes.
	ends bool
}

func (w workload) String() string { return w.kind + " " + w.name }

// container returns the only container; another rule requires that there is one.
func (w workload) container() *corev1.Container {
	if len(w.pod.Spec.Containers) == 0 {
		return &corev1.Container{}
	}
	return &w.pod.Spec.Containers[0]
}

// workloads returns all of them.
func (m *Manifests) workloads() []workload {
	var all []workload
	for _, d := range m.Deployments {
		all = append(all, workload{"Deployment", d.Name, &d.Spec.Template, false})
	}
	for _, s := range m.Sets {
		all = append(all, workload{"StatefulSet", s.Name, &s.Spec.Template, false})
	}
	for _, j := range m.Jobs {
		all = append(all, workload{"Job", j.Name, &j.Spec.Template, true})
	}
	for _, j := range m.CronJobs {
		all = append(all, workload{"CronJob", j.Name, &j.Spec.JobTemplate.Spec.Template, true})
	}
	return all
}

// ours is the folder of the exchange's images, whatever the registry.
const ours = "insurance-exchange"

// program returns the program that a workload runs; false if it is not ours.
func (c *check) program(w workload) (Program, bool) {
	name, _, _ := strings.Cut(w.container().Image, "@")
	if i := strings.LastIndex(name, ":"); i > strings.LastIndex(name, "/") {
		name = name[:i]
	}
	if path.Base(path.Dir(name)) != ours {
		return Program{}, false
	}
	p, ok := c.programs[path.Base(name)]
	return p, ok
}

// running returns the workloads of the services and the gateway.
func (c *check) running() []workload {
	var all []workload
	for _, w := range c.workloads() {
		if _, ok := c.program(w); ok {
			all = append(all, w)
		}
	}
	return all
}
