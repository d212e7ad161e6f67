package policy

import (
	"fmt"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
)

// monitors requires of each PodMonitor that it finds the pods of all programs, reads their metrics, and gives them the
// jobs by which the alerts know them.
func (c *check) monitors() {
	for _, m := range c.Monitors {
		object := "PodMonitor " + m.Name
		for _, w := range c.running() {
			if !selects(&m.Spec.Selector, w.pod.Labels) {
				c.add(object, "it does not select the pods of %s", w)
			}
			if job := w.pod.Labels[m.Spec.JobLabel]; job != w.name {
				c.add(object, "the job of the metrics of %s is %q, and the alerts know the job %s; set jobLabel: "+
					"app.kubernetes.io/name", w, job, w.name)
			}
		}
		for _, endpoint := range m.Spec.PodMetricsEndpoints {
			if port := portOf(endpoint); port != adminPort || endpoint.Path != "/metrics" {
				c.add(object, "it reads %s on the port %q; the metrics are /metrics on the port %s", endpoint.Path,
					port, adminPort)
			}
		}
	}
}

func portOf(endpoint monitoringv1.PodMetricsEndpoint) string {
	if endpoint.Port != nil {
		return *endpoint.Port
	}
	if endpoint.PortNumber != nil {
		return fmt.Sprint(*endpoint.PortNumber)
	}
	return ""
}
