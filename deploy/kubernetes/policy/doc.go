// Package policy checks the manifests of deploy/kubernetes against rules: what a pod may do, which settings a program
// has, who may call whom. Where possible, it takes what is expected from the programs themselves: their settings, their
// ports, and the services that they call.
//
// Render makes the objects of a folder as kubectl apply -k does. Check returns what is wrong with them.
package policy
