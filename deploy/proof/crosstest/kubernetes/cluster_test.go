package kubernetes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/crosstest/database"
	"insurance.example/exchange/deploy/proof/standins/documentdb"
	"insurance.example/exchange/deploy/proof/standins/kubernetes"
)

// cluster is a Kubernetes cluster, with a namespace of the test's own.
type cluster struct {
	kubectl   []string // the command with the arguments that name the cluster
	namespace string
	// standins says that MongoDB and Kafka are replaced.
	standins bool
	// local is true if its node is this machine. Then pods reach servers of this machine at the address of the node.
	local bool
	// kept is the data of what stands in for MongoDB.
	kept documentdb.Config
}

// openCluster connects to the cluster that KUBERNETES says: the current one of kubectl's configuration, or one that
// stands in for it, which is started. Without a cluster the test fails.
func openCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{namespace: fmt.Sprintf("exchange-test-%d", os.Getpid())}
	switch kind := os.Getenv("CROSSTEST_MONGO"); kind {
	case "":
	case "standin":
		c.standins = true
	default:
		t.Fatalf("CROSSTEST_MONGO is %q; it is empty for the images mongo:8 and apache/kafka, or standin", kind)
	}
	cluster := os.Getenv("KUBERNETES")
	c.standins = c.standins || cluster == "" // no image can be pulled to the node of a cluster that the test starts
	if c.standins {
		c.kept = database.Keep(t, c.namespace)
	}
	switch cluster {
	case "current":
		c.kubectl = []string{"kubectl"}
	case "":
		started, err := kubernetes.Config{}.Start(t.Context())
		if err != nil {
			t.Fatalf("%v; KUBERNETES=current takes the cluster that kubectl is configured for", err)
		}
		t.Cleanup(func() {
			if err := started.Close(); err != nil {
				t.Error(err)
			}
		})
		if err := started.LoadImages(t.Context(), ownImages()...); err != nil {
			t.Fatal(err)
		}
		c.local = true
		c.kubectl = []string{filepath.Join(started.Programs(), "kubectl"), "--kubeconfig", started.Kubeconfig()}
	default:
		t.Fatalf("KUBERNETES is %q; it is empty for a cluster that the test starts, or current for that of kubectl",
			cluster)
	}
	if _, err := c.try("get", "nodes"); err != nil {
		t.Fatalf("no cluster responds: %v", err)
	}
	return c
}

// do runs kubectl in the namespace and returns its output. If it fails, the test ends.
func (c *cluster) do(t *testing.T, args ...string) string {
	t.Helper()
	output, err := c.try(args...)
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// try runs kubectl in the namespace and returns its output. If it fails, the error says why.
func (c *cluster) try(args ...string) (string, error) {
	all := append(append([]string{}, c.kubectl[1:]...), "--namespace", c.namespace, "--request-timeout=60s")
	output, err := exec.CommandContext(context.Background(), c.kubectl[0], append(all, args...)...).Output()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		err = fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(ended.Stderr)))
	}
	return string(output), err
}

// read reads objects into a value.
func (c *cluster) read(t *testing.T, into any, args ...string) {
	t.Helper()
	output := c.do(t, append([]string{"get", "--output=json"}, args...)...)
	if err := json.Unmarshal([]byte(output), into); err != nil {
		t.Fatal(err)
	}
}

// nodeAddress returns the address of a node.
func (c *cluster) nodeAddress(t *testing.T) string {
	t.Helper()
	address := c.do(t, "get", "nodes",
		`--output=jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}`)
	address, _, _ = strings.Cut(address, " ")
	return address
}

// pod is a pod, as far as the tests look at it.
type pod struct {
	Metadata struct {
		Name              string
		CreationTimestamp instant
		DeletionTimestamp *instant
	}
	Spec struct {
		NodeName string
	}
	Status struct {
		Conditions []struct {
			Type, Status       string
			LastTransitionTime instant
		}
		ContainerStatuses []struct {
			RestartCount int
			State        struct {
				Waiting *struct{ Reason string }
			}
		}
	}
}

// readySince returns since when the pod is ready, or nil if it is not, or is ending.
func (p pod) readySince() *instant {
	for _, condition := range p.Status.Conditions {
		if condition.Type == "Ready" && condition.Status == "True" && p.Metadata.DeletionTimestamp == nil {
			return &condition.LastTransitionTime
		}
	}
	return nil
}

// pods returns the pods that a selector of labels selects.
func (c *cluster) pods(t *testing.T, selector string) []pod {
	t.Helper()
	var list struct{ Items []pod }
	c.read(t, &list, "pods", "--selector="+selector)
	return list.Items
}
