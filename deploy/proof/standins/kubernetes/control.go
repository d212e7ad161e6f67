package kubernetes

import (
	"context"
	"path/filepath"
)

// Where the parts listen that others have to find: on the node's own address in the network of the pods, which only
// this machine and its pods reach, or on the loopback interface.
const (
	nodeName    = "node1"
	nodeAddress = "10.244.0.1"
	podRange    = "10.244.0.0/24"
	podRanges   = "10.244.0.0/16"
	services    = "10.96.0.0/16"
	apiService  = "10.96.0.1"
	apiAddress  = nodeAddress + ":6443"
	storeClient = "http://127.0.0.1:12379"
	storePeer   = "http://127.0.0.1:12380"
)

func (c *Cluster) program(name string) string { return filepath.Join(c.programs, name) }

// startControl starts etcd, the apiserver, the controllers and the scheduler.
func (c *Cluster) startControl(ctx context.Context) error {
	// What a power cut would lose is lost anyway: the state goes with the cluster.
	if err := c.launch("etcd", "etcd", "--data-dir", c.path("etcd"), "--unsafe-no-fsync",
		"--listen-client-urls", storeClient,
		"--advertise-client-urls", storeClient, "--listen-peer-urls", storePeer,
		"--initial-advertise-peer-urls", storePeer,
		"--initial-cluster", "default="+storePeer); err != nil {
		return err
	}
	if err := c.launch("apiserver", c.program("kube-apiserver"), "--etcd-servers="+storeClient,
		"--bind-address="+nodeAddress, "--secure-port=6443", "--client-ca-file=ca.crt",
		"--tls-cert-file=apiserver.crt", "--tls-private-key-file=apiserver.key",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=accounts.key", "--service-account-signing-key-file=accounts.key",
		"--kubelet-client-certificate=admin.crt", "--kubelet-client-key=admin.key",
		"--kubelet-preferred-address-types=InternalIP", // nobody resolves the name of the node
		"--service-cluster-ip-range="+
			services, "--authorization-mode=Node,RBAC", "--allow-privileged=true"); err != nil {
		return err
	}
	if err := c.await(ctx, "the apiserver", func() error {
		_, err := c.kubectl(ctx, "get", "--raw", "/readyz")
		return err
	}); err != nil {
		return err
	}
	if err := c.launch("controllers", c.program("kube-controller-manager"), "--kubeconfig="+c.Kubeconfig(),
		"--bind-address=127.0.0.1",
		"--leader-elect=false", "--service-account-private-key-file=accounts.key", "--root-ca-file=ca.crt",
		"--allocate-node-cidrs=true", "--cluster-cidr="+podRanges); err != nil {
		return err
	}
	return c.launch("scheduler", c.program("kube-scheduler"), "--kubeconfig="+c.Kubeconfig(),
		"--bind-address=127.0.0.1",
		"--leader-elect=false")
}

// startNode starts the kubelet, kube-proxy and the name server, and waits until the node takes pods.
func (c *Cluster) startNode(ctx context.Context) error {
	if err := c.launch("kubelet", c.program("kubelet"), "--config="+c.path("kubelet.yaml"),
		"--kubeconfig="+c.Kubeconfig(),
		"--hostname-override="+nodeName, "--node-ip="+nodeAddress, "--root-dir="+c.path("kubelet"),
		"--cert-dir="+c.path("keys", "kubelet"),
	); err != nil {
		return err
	}
	// Zero leaves the kernel's limits of connections as they are.
	if err := c.launch("proxy", c.program("kube-proxy"), "--kubeconfig="+c.Kubeconfig(),
		"--hostname-override="+nodeName,
		"--cluster-cidr="+podRanges, "--proxy-mode=iptables", "--conntrack-max-per-core=0",
		"--conntrack-tcp-timeout-established=0s", "--conntrack-tcp-timeout-close-wait=0s"); err != nil {
		return err
	}
	if err := c.launch("names", c.program("coredns"), "-conf", c.path("Corefile")); err != nil {
		return err
	}
	if err := c.await(ctx, "the node", func() error {
		_, err := c.kubectl(ctx, "wait", "--for=condition=Ready", "node/"+nodeName, "--timeout=5s")
		return err
	}); err != nil {
		return err
	}
	// A pod is refused until the account of its namespace is there.
	return c.await(ctx, "the first account", func() error {
		_, err := c.kubectl(ctx, "get", "serviceaccount", "default")
		return err
	})
}
