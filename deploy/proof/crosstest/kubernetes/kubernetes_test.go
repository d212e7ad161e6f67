// Package kubernetes_test runs the whole exchange on a Kubernetes cluster, with two replicas of each service and of
// the gateway, and does under load what happens to a cluster: rolls, evictions, deletions, a rotation, a release that
// does not start.
//
// The cluster is that of kubectl's configuration, or one that the command in TEST_CLUSTER starts. MongoDB and Kafka are
// in it, or servers that stand in for them.
package kubernetes_test

import (
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/crosstest/acceptance"
	"insurance.example/exchange/deploy/proof/crosstest/load"
)

// alone are the Deployments that are rolled alone, and of which a pod is killed: those that others wait for, or that
// all requests pass. The others are rolled together with them, and each alone by make test-long, without Kubernetes.
var alone = []string{"coverage", "premium", "gateway"}

func TestExchangeOnKubernetes(t *testing.T) {
	r := &report{began: time.Now()}
	c := openCluster(t)
	r.note("cluster ready", time.Since(r.began))
	if c.local {
		for _, overlay := range []string{"prod", "prod-tls"} {
			began := time.Now()
			t.Run(overlay, func(t *testing.T) { tryProduction(t, c, overlay) })
			r.note("stories run in "+overlay, time.Since(began))
		}
	}
	applied := time.Now()
	x := applyExchange(t, c)
	r.note("exchange ready", time.Since(applied))
	t.Run("conformance", func(t *testing.T) {
		r.conforming = acceptance.Conform(t, x.base, acceptance.Token(t, x.signer, "std.admin"),
			acceptance.Token(t, x.signer, "std.developer"))
	})
	t.Run("stories", func(t *testing.T) { acceptance.TellStories(t, x.base, x.keys) })

	// Four callers, one with each pause. With more, the pods of a cluster on two cores start slower, and the test waits
	// for that most of the time.
	l := load.Start(t, x.base, acceptance.Token(t, x.signer, "std.admin", "std.developer"), 4)
	defer func() { r.write(t, l) }()
	l.Strict.Store(true)
	for _, name := range alone {
		r.phase(t, l, "roll of "+name, func(t *testing.T) { x.roll(t, name) })
	}
	r.phase(t, l, "roll of all at once", func(t *testing.T) { x.roll(t, deployments...) })
	r.phase(t, l, "pods deleted at random", x.deletePods)
	r.phase(t, l, "node drained", x.drain)
	r.phase(t, l, "credential rotated", x.rotateCredential)
	r.phase(t, l, "image that is not there", func(t *testing.T) { x.breakImage(t, l, "gateway", "no-such-release") })
	r.phase(t, l, "image that does not start", func(t *testing.T) { x.breakImage(t, l, "claims", "") })
	l.Strict.Store(false)
	r.phase(t, l, "pods killed", func(t *testing.T) { x.killPods(t, l) })
	l.Stop()
	l.Check(t)
	r.lost, r.doubled = l.Compare(t)
}
