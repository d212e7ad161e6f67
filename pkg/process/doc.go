// Package process has what every process of the exchange needs: settings, log, metrics, health, the handling of
// requests, and an orderly start and stop.
//
// A service is a Definition. Main runs one service as a command. Process.Start runs several in one process.
//
// Its libraries are cobra and pflag for commands, gin for routes, the client of Prometheus for metrics and tint for the
// log. A library that starts and stops components in order, such as fx, would take the loops and closers of process.go.
//
// Its files, in the order in which a start and then a request meet them, after package edge:
//
//	program.go         a command: reads settings, runs a process and returns an exit status
//	usage.go           what its --help shows of its flags
//	signals.go         ends the command: the first signal in good order, the second at once
//	settings.go        the settings of every process
//	store.go           the settings of the store
//	build.go           the version of the program
//	log.go             its log, and where its audit log goes
//	memory.go          how much memory the process may use; its connections and garbage collector follow from that
//	umask_unix.go      makes the files of the process private
//	umask_other.go     the same where files have no modes: nothing
//	process.go         the process: its loops, readiness checks, and what it closes at the end
//	secure.go          reads certificates, and follows their files
//	credential.go      reads the shared secrets, and follows their file
//	definition.go      a service, and what it is given when it starts
//	serve.go           listens, serves until the end, and stops in order
//	pages_linux.go     gives back the memory that only the start needed
//	pages_other.go     the same on other systems: nothing
//	health.go          whether the process is ready
//	health_command.go  the command that asks for it
//	admin.go           serves health and metrics
//	engine.go          the router: id and limits of a request, its admission by package load, the response to a panic
//	observe.go         what is kept of a request: its log line, span, metrics and audit line
package process
