package kubernetes

import (
	"os"
	"strings"
)

// pauseImage is the image of the process that holds a pod's network.
const pauseImage = "insurance.example/standins/pause:1"

// settings are the files that the parts read. STATE is the folder of the cluster.
var settings = map[string]string{
	"admin.conf": `apiVersion: v1
kind: Config
clusters: [{name: standin, cluster: {server: "https://` + apiAddress + `", certificate-authority: STATE/keys/ca.crt}}]
users: [{name: admin, user: {client-certificate: STATE/keys/admin.crt, client-key: STATE/keys/admin.key}}]
contexts: [{name: standin, context: {cluster: standin, user: admin}}]
current-context: standin
`,
	// Containers may not ask for a lower OOM score where the machine lets no process have one. The names of networks
	// are kept in the state, so that nothing of a pod is left elsewhere.
	"containerd.toml": `version = 2
root = "STATE/containerd/root"
state = "STATE/containerd/state"
[grpc]
  address = "STATE/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "STATE/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "` + pauseImage + `"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "STATE/networks"
`,
	"networks/10-bridge.conflist": `{"cniVersion": "0.4.0", "name": "bridge", "plugins": [
 {"type": "bridge", "bridge": "` + bridge + `", "isGateway": true, "hairpinMode": true,
  "ipam": {"type": "host-local", "dataDir": "STATE/addresses", "ranges": [[{"subnet": "` + podRange + `"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
 {"type": "portmap", "capabilities": {"portMappings": true}}]}
`,
	// No image is removed to make room: none could be pulled again.
	// Secrets and ConfigMaps reach the pods at the next of the kubelet's rounds: every minute as released, here sooner.
	"kubelet.yaml": `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: STATE/keys/ca.crt}}
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
containerRuntimeEndpoint: unix://STATE/containerd.sock
podLogsDir: STATE/pods
volumePluginDir: STATE/kubelet/plugins
clusterDNS: [` + nodeAddress + `]
clusterDomain: cluster.local
syncFrequency: 10s
imageGCHighThresholdPercent: 100
serializeImagePulls: false
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
`,
	"Corefile": `. {
    bind ` + nodeAddress + `
    kubernetes cluster.local {
        kubeconfig STATE/admin.conf
    }
    errors
}
`,
}

// writeSettings writes the files that the parts read.
func (c *Cluster) writeSettings() error {
	for name, text := range settings {
		if err := os.WriteFile(c.path(name), []byte(strings.ReplaceAll(text, "STATE", c.state)), 0o600); err != nil {
			return err
		}
	}
	return nil
}
