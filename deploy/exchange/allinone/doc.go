// Package allinone runs the whole exchange in one process: the gateway and the services. It keeps its data in one
// folder.
//
// The files:
//
//	services.go  the services, in the order in which they start
//	run.go       the program: its settings, and how it starts
//	groups.go    its settings as --help has them
//	records.go   where the records are: one file, or MongoDB
//	join.go      folders with a file for each service, which get that one
//	console.go   what the console has only here: links that sign in, and the command that fills an exchange
//	link.go      what follows these links
//	demo.go      --demo: a year that is made at the start, and links for two people
//	welcome.go   what a person reads first
package allinone
