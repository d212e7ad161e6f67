// Package allinone runs the whole exchange in one process: the gateway, the services, and a broker that speaks the
// protocol of Kafka. It keeps its data in the files of one folder.
//
// The files:
//
//	services.go  the services, in the order in which they start
//	run.go       the program: its settings, and how it starts
//	groups.go    its settings as --help has them
//	records.go   where the records are: files, or MongoDB
//	siblings.go  other processes that have the same records
//	console.go   what the console has only here: links that sign in, and the command that fills an exchange
//	link.go      what follows these links
//	demo.go      --demo: a year that is made at the start, and links for two people
//	welcome.go   what a person reads first
package allinone
