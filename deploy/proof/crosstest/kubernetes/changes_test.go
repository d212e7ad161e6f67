package kubernetes_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/crosstest/load"
	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/wait"
)

// ours selects the pods of the exchange's Deployments.
var ours = "app.kubernetes.io/name in (" + strings.Join(deployments, ",") + ")"

// roll replaces all pods of Deployments, as a release does.
func (x *exchange) roll(t *testing.T, names ...string) {
	x.do(t, append([]string{"rollout", "restart", "deployment"}, names...)...)
	x.awaitReady(t)
}

// deletions is how many pods are deleted at random.
const deletions = 4

// deletePods deletes pods at random. Each time the others are ready before.
func (x *exchange) deletePods(t *testing.T) {
	random := rand.New(rand.NewPCG(chance.Seed(t), 0))
	for range deletions {
		all := x.pods(t, ours)
		x.do(t, "delete", "pod", all[random.IntN(len(all))].Metadata.Name, "--wait=false")
		x.awaitReady(t)
	}
}

// drain moves the pods off a node, as an upgrade of the node does. Of each Deployment one pod goes; where no other
// node takes its successor, the next one is refused until the node is back.
func (x *exchange) drain(t *testing.T) {
	var nodes struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	x.read(t, &nodes, "nodes")
	before := x.pods(t, ours)
	node := before[0].Spec.NodeName
	x.do(t, "cordon", node)
	uncordon := func() { x.do(t, "uncordon", node) }
	defer uncordon()

	var left []string
	on := 0
	for _, p := range before {
		if p.Spec.NodeName != node {
			continue
		}
		on++
		if !x.evict(t, p.Metadata.Name) {
			left = append(left, p.Metadata.Name)
		}
	}
	if len(nodes.Items) == 1 {
		if want := len(before) - len(deployments); len(left) != want {
			t.Errorf("%d of %d evictions were refused, not %d: one pod of each Deployment may go", len(left), on, want)
		}
		uncordon()
	}
	for _, name := range left {
		wait.Until(t, func() error {
			if !x.evict(t, name) {
				return fmt.Errorf("the eviction of %s is refused", name)
			}
			return nil
		})
	}
	x.awaitReady(t)
}

// evict asks for the eviction of a pod. It reports whether the PodDisruptionBudget allows it.
func (x *exchange) evict(t *testing.T, name string) (allowed bool) {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"apiVersion": "policy/v1", "kind": "Eviction",
		"metadata": map[string]string{"name": name, "namespace": x.namespace},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "eviction.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = x.try("create", "--raw", fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/eviction", x.namespace, name),
		"--filename", file)
	if err != nil && !strings.Contains(err.Error(), "disruption budget") {
		t.Fatal(err)
	}
	return err == nil
}

// The Secret of the credential, and what a process logs when it has read a changed file.
const (
	credentialSecret, credentialKey = "exchange-credential", "secrets"
	readAgain                       = "a changed file was read again"
)

// rotateCredential replaces the shared secret in three steps. Each step ends when all processes have read it.
func (x *exchange) rotateCredential(t *testing.T) {
	var secret struct{ Data map[string]string }
	x.read(t, &secret, "secret", credentialSecret)
	content, err := base64.StdEncoding.DecodeString(secret.Data[credentialKey])
	if err != nil {
		t.Fatal(err)
	}
	before, after := strings.TrimSpace(string(content)), fmt.Sprintf("a-new-secret-%d-%d", rand.Uint64(), rand.Uint64())
	for step, lines := range []string{before + "\n" + after, after + "\n" + before, after} {
		patch, err := json.Marshal(map[string]any{"stringData": map[string]string{credentialKey: lines + "\n"}})
		if err != nil {
			t.Fatal(err)
		}
		x.do(t, "patch", "secret", credentialSecret, "--patch", string(patch))
		for _, p := range x.pods(t, ours) {
			wait.Until(t, func() error {
				said := x.do(t, "logs", p.Metadata.Name)
				if times := strings.Count(said, readAgain); times <= step {
					return fmt.Errorf("%s has read the credential again %d times, and not after step %d",
						p.Metadata.Name, times, step+1)
				}
				return nil
			})
		}
	}
}

// breakImage rolls a Deployment to an image that makes no pod ready: one with a tag that does not exist, or without a
// tag a program that is another one. The old pods go on, and taking it back makes all right.
func (x *exchange) breakImage(t *testing.T, l *load.Load, name, tag string) {
	repository, _ := image(name)
	if tag == "" {
		repository, tag = image("local")
	}
	before := map[string]bool{}
	for _, p := range x.pods(t, "app.kubernetes.io/name="+name) {
		before[p.Metadata.Name] = true
	}
	x.do(t, "set", "image", "deployment/"+name, "program="+repository+":"+tag)
	wait.Until(t, func() error {
		for _, p := range x.pods(t, "app.kubernetes.io/name="+name) {
			if !before[p.Metadata.Name] && p.hasFailed() {
				return nil
			}
		}
		return fmt.Errorf("no pod of %s has failed to start", name)
	})
	l.GoOn(t, 200)
	ready := 0
	for _, p := range x.pods(t, "app.kubernetes.io/name="+name) {
		if before[p.Metadata.Name] && p.readySince() != nil {
			ready++
		}
	}
	if ready != len(before) {
		t.Errorf("%d of %d pods of the release before are ready", ready, len(before))
	}
	x.do(t, "rollout", "undo", "deployment/"+name)
	x.awaitReady(t)
}

// hasFailed reports whether the pod's image cannot be had, or its program has ended more than once.
func (p pod) hasFailed() bool {
	for _, container := range p.Status.ContainerStatuses {
		if container.State.Waiting != nil {
			switch container.State.Waiting.Reason {
			case "ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "CrashLoopBackOff":
				return true
			}
		}
		if container.RestartCount > 1 {
			return true
		}
	}
	return false
}

// killPods ends a pod of some Deployments without grace, as the loss of a node does. Requests that it had fail, and
// nothing that was acknowledged is lost.
func (x *exchange) killPods(t *testing.T, l *load.Load) {
	for _, name := range alone {
		// Connections with the gateway may break with it.
		l.Entrance.Store(name == "gateway")
		x.do(t, "delete", "pod", x.pods(t, "app.kubernetes.io/name="+name)[0].Metadata.Name,
			"--grace-period=0", "--force")
		l.Recovered(t)
		x.awaitReady(t)
	}
	l.Recovered(t)
	l.Entrance.Store(false)
}
