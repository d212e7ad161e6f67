package kubernetes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/crosstest/database"
	"insurance.example/exchange/deploy/proof/standins/documentdb"
)

// cluster is a Kubernetes cluster, with a namespace of the test's own.
type cluster struct {
	namespace string
	// standins says that MongoDB and Kafka are replaced.
	standins bool
	// local is true if its node is this machine. Then pods reach servers of this machine at the address of the node.
	local bool
	// kept is the data of what stands in for MongoDB.
	kept documentdb.Config
}

// root is the folder of the repository.
const root = "../../../.."

// openCluster connects to the cluster that the command in TEST_CLUSTER starts, or to that of kubectl's
// configuration. Without a cluster the test fails.
func openCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{namespace: fmt.Sprintf("exchange-test-%d", os.Getpid())}
	switch kind := os.Getenv("CROSSTEST_MONGO"); kind {
	case "":
	case "standin":
		c.standins = true
		c.kept = database.Keep(t, c.namespace)
	default:
		t.Fatalf("CROSSTEST_MONGO is %q; it is empty for the images mongo:8 and apache/kafka, or standin", kind)
	}
	if command := os.Getenv("TEST_CLUSTER"); command != "" {
		t.Cleanup(func() {
			if _, err := ask(command, "stop"); err != nil {
				t.Error(err)
			}
		})
		kubeconfig, err := ask(command, "start")
		if err == nil {
			_, err = ask(command, append([]string{"load"}, c.ownImages()...)...)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("KUBECONFIG", kubeconfig)
	}
	if _, err := c.try("get", "nodes"); err != nil {
		t.Fatalf("no cluster responds: %v; have kubectl know a cluster, install kind, or set TEST_CLUSTER to a "+
			"command that starts one (deploy/kubernetes/README.md)", err)
	}
	c.local = isLocal(t, c.nodeAddress(t))
	return c
}

// ask runs the command in TEST_CLUSTER and returns the last line that it prints. What it says meanwhile is in the
// error if it fails.
func ask(command string, args ...string) (string, error) {
	run := exec.Command("sh", append([]string{"-c", command + ` "$@"`, "sh"}, args...)...)
	run.Dir = root
	var said strings.Builder
	run.Stderr = &said
	output, err := run.Output()
	if err != nil {
		return "", fmt.Errorf("TEST_CLUSTER: %s %s: %w: %s", command, args[0], err, strings.TrimSpace(said.String()))
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[len(lines)-1], nil
}

// isLocal reports whether an address is one of this machine.
func isLocal(t *testing.T, address string) bool {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(all, func(a net.Addr) bool {
		ip, _, err := net.ParseCIDR(a.String())
		return err == nil && ip.String() == address
	})
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
	all := append([]string{"--namespace", c.namespace, "--request-timeout=60s"}, args...)
	output, err := exec.CommandContext(context.Background(), "kubectl", all...).Output()
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
