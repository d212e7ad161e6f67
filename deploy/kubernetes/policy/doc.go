// Package policy checks the manifests of deploy/kubernetes against rules: what a pod may do, which settings a program
// has, and which programs may call which. Where possible, it takes what is expected from the programs themselves: their
// settings, their ports, and the services that they call.
//
// Render makes the objects of a folder as kubectl apply -k does. Check returns what is wrong with them.
//
// kubeconform and the API's own validation check that objects are well-formed; Render does that as well. The rules here
// are those of this project, which no library knows.
//
// Its files, in the order in which a manifest meets them:
//
//	render.go        renders a folder and decodes its objects strictly
//	policy.go        runs the rules and collects the findings
//	programs.go      the programs that should be there
//	workloads.go     finds what makes pods
//	pods.go          what a pod may do
//	availability.go  replicas, probes, disruptions and rolls
//	services.go      the Service of each program
//	network.go       which programs may call which
//	settings.go      the settings that a program gets
//	login.go         the user and the password of MongoDB
//	monitoring.go    the jobs by which the alerts know the programs
//	documented.go    compares the keys of Secrets with their documentation
package policy
