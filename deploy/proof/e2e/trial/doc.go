// Package trial runs the shipped commands and calls them as a client of the interface does, for the tests of the whole.
//
// Its files, in the order in which a test meets them:
//
//   - main.go is the body of a TestMain: it builds the commands, and ends what was started.
//   - commands.go builds the commands, or takes those that `make test` has built.
//   - exchange.go starts an exchange in one process; apart.go starts one of separate processes.
//   - volumes.go gives processes certificates and credentials, and exchanges them while they run.
//   - process.go starts, stops and kills a command; output.go collects what it writes.
//   - client.go sends requests; response.go checks every response against the rules of all responses.
//   - record.go reads members of records.
//   - poll.go waits for a condition, and sends requests at the same moment.
//   - findings.go reads the output of `exchange check`.
//   - race_on.go and race_off.go build commands with the race detector if the test has it.
package trial
