// Package policy checks the manifests of deploy/kubernetes against rules: what a pod may do, which settings a program
// has, and which programs may call which. Where possible, it takes what is expected from the programs themselves: their
// settings, their ports, and the services that they call.
//
// Render makes the objects of a folder as kubectl apply -k does. Check returns what is wrong with them.
//
// kubeconform fetches the schemas that it compares with, which the check of a clone cannot do everywhere; decoding into
// the types of the API finds the same fields. The rules are ten, which no library knows:
//
//  1. no pod runs as root, writes to its root file system, or has rights that it does not need
//  2. each has requests and limits, and the collector knows the limit of memory
//  3. each has three probes, and those of a program ask what it serves
//  4. an image is the same tomorrow
//  5. a program outlives the loss of a replica, a roll and an emptied node
//  6. its settings are known to it and accepted, and its ports are those of its container
//  7. it has the time to stop that its settings let it take
//  8. it has the addresses of exactly the services that it calls, and knows its callers
//  9. its NetworkPolicies let through exactly these calls
//  10. a secret is a documented file, of one service if it opens a database, and no variable; each host has TLS
//
// Its files, in the order in which a manifest meets them:
//
//	render.go        renders a folder and decodes its objects strictly
//	policy.go        runs the rules and collects the findings
//	programs.go      the programs that should be there
//	workloads.go     finds what makes pods
//	pods.go          rules 1 to 4
//	availability.go  rule 5
//	settings.go      rules 6 to 8
//	network.go       rule 9
//	login.go         the user and the password of MongoDB
//	secrets.go       rule 10
package policy
