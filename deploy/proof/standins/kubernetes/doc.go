// Package kubernetes runs a Kubernetes cluster of one node, for tests on machines that can pull no images: the
// apiserver, the controllers, the scheduler, the kubelet and kube-proxy as they are released, with CoreDNS, built
// from the module registry, on Debian's etcd, containerd, runc and CNI plugins. Deployments, Services, names, probes,
// evictions and rolls work as they do elsewhere.
//
// It has no controller of NetworkPolicies (they are accepted, and hold nothing back), no load balancers, no storage
// classes and no metrics of pods. Services and pods can be reached from the machine itself. It needs root, and Debian
// for what it installs where that is missing. A machine can run one at a time.
//
// Its files, in the order in which a start meets them:
//
//	cluster.go        starts the parts in their order and ends them
//	install.go        installs what is missing from Debian's packages
//	build.go          builds the rest, once
//	certificates.go   the keys of the parts
//	settings.go       their settings
//	component.go      runs one part
//	containers.go     containerd
//	control.go        the control plane and the node
//	network.go        the bridge of the pods
//	image.go          the image that every pod needs
//	remains_linux.go  removes what a cluster has left whose process was killed
//	remains_other.go  the same on other systems: an error
package kubernetes
