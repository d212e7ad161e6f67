// Package trial runs the shipped commands and calls them as a client of the interface does, for the tests of the whole.
//
// Its files, in the order in which a test meets them:
//
//	main.go          the body of a TestMain: builds the commands, and ends what was started
//	commands.go      builds the commands, or takes those that `make test` has built
//	race_on.go       builds them with the race detector, as the test has it
//	race_off.go      builds them without it
//	exchange.go      starts an exchange in one process
//	apart.go         starts an exchange of separate processes
//	balancer.go      balances connections over the replicas of a process
//	between.go       stands between a process and those that it calls
//	address.go       addresses that no client gets meanwhile
//	volumes.go       gives processes certificates and credentials, and exchanges them while they run
//	process.go       starts, stops and kills a command
//	output.go        collects what a command writes
//	client.go        sends requests
//	response.go      checks every response against the rules of all responses
//	record.go        reads members of records
//	list.go          reads a list, page by page
//	poll.go          waits for a condition, and sends requests at the same moment
//	findings.go      reads the output of `exchange check`
package trial
