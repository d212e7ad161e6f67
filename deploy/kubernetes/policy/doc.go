// Package policy holds the manifests of deploy/kubernetes to rules: what a pod may do, what the settings of a program
// are, who may call whom. What is expected follows from the programs themselves wherever it can: their settings,
// their ports, the services that they call.
//
// Render makes the objects of a folder as kubectl apply -k does, Check returns what is wrong with them.
package policy
