package policy

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// availability checks what keeps a Deployment available through rolls, drained nodes and the loss of a replica.
func (c *check) availability(w workload) {
	i := slices.IndexFunc(c.Deployments, func(d *appsv1.Deployment) bool {
		return w.kind == "Deployment" && d.Name == w.name
	})
	if i < 0 {
		c.add(w.String(), "a program of the exchange runs as a Deployment")
		return
	}
	d := c.Deployments[i]
	if d.Spec.Replicas != nil {
		c.add(w.String(),
			"it has a number of replicas, which every apply would set again; leave that to its autoscaler")
	}
	if roll := d.Spec.Strategy.RollingUpdate; roll == nil || roll.MaxUnavailable == nil ||
		*roll.MaxUnavailable != intstr.FromInt32(0) {
		c.add(w.String(), "a roll may take pods away before others are ready; set rollingUpdate.maxUnavailable: 0")
	}
	if !selects(d.Spec.Selector, w.pod.Labels) {
		c.add(w.String(), "its selector does not select its own pods")
	}
	least := c.autoscaler(w)
	c.budget(w, least)
}

// autoscaler returns the least number of replicas.
func (c *check) autoscaler(w workload) int32 {
	var own []*autoscalingv2.HorizontalPodAutoscaler
	for _, a := range c.Autoscalers {
		if ref := a.Spec.ScaleTargetRef; ref.Kind == "Deployment" && ref.Name == w.name && ref.APIVersion == "apps/v1" {
			own = append(own, a)
		}
	}
	if len(own) != 1 {
		c.add(w.String(), "it has %d HorizontalPodAutoscalers; one is needed", len(own))
		return 1
	}
	least := int32(1)
	if own[0].Spec.MinReplicas != nil {
		least = *own[0].Spec.MinReplicas
	}
	if least < 2 {
		c.rule(w, ruleReplicas, "it may run as one replica, which takes it away when it is lost", "set minReplicas: 2")
	}
	if own[0].Spec.MaxReplicas <= least {
		c.add(w.String(), "its autoscaler has no room: maxReplicas is %d, and minReplicas %d",
			own[0].Spec.MaxReplicas, least)
	}
	if len(own[0].Spec.Metrics) == 0 {
		c.add(w.String(), "its autoscaler has no metric to go by")
	}
	return least
}

// budget requires a PodDisruptionBudget that lets nodes be drained, whatever the number of replicas.
func (c *check) budget(w workload, least int32) {
	number := 0
	for _, b := range c.Budgets {
		if !selects(b.Spec.Selector, w.pod.Labels) {
			continue
		}
		number++
		switch available, unavailable := b.Spec.MinAvailable, b.Spec.MaxUnavailable; {
		case unavailable != nil && (unavailable.Type != intstr.Int || unavailable.IntVal < 1):
			c.add(w.String(), "its PodDisruptionBudget never lets a node be emptied; set maxUnavailable: 1")
		case unavailable == nil && (available == nil || available.Type != intstr.Int || available.IntVal >= least):
			c.add(w.String(),
				"its PodDisruptionBudget never lets a node be emptied with %d replicas; set maxUnavailable: 1", least)
		}
	}
	if number != 1 {
		c.add(w.String(), "it has %d PodDisruptionBudgets; one is needed", number)
	}
}

// selects reports whether a selector selects pods with the labels. A nil selector selects none.
func selects(selector *metav1.LabelSelector, of map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(of))
}
