// Package process has what every process of the exchange needs: settings, log, metrics, health, the handling of
// requests, and an orderly start and stop.
//
// A service is a Definition. Main runs one service as a command. Process.Start runs several in one process.
//
// Its libraries are cobra and pflag for commands, gin for routes, the client of Prometheus for metrics and tint for the
// log. A library that starts and stops components in order, such as fx, would take the loops and closers of process.go.
//
// Its files, in the order in which a start meets them:
//
//   - program.go is a command: it reads settings, runs a process and returns an exit status.
//   - signals.go ends the command: the first signal in good order, the second at once.
//   - settings.go declares the settings of every process, store.go those of the store.
//   - build.go is the version of the program, and log.go its log.
//   - memory.go is how much memory the process may use, and what follows for connections and the garbage collector.
//   - umask_unix.go makes the files of the process private, where the system has file modes (else umask_other.go).
//   - process.go is the process: its loops, readiness checks, and what it closes at the end.
//   - secure.go and credential.go read certificates and shared secrets, and follow their files.
//   - definition.go is a service and what it is given when it starts.
//   - serve.go listens, serves until the end, and stops in order.
//   - pages_linux.go gives back the memory that only the start needed (else pages_other.go).
//   - health.go and health_command.go report whether the process is ready; admin.go serves that, and the metrics.
//
// And in the order in which a request meets them, after package edge:
//
//   - engine.go makes the router, and has package load admit requests.
//   - observe.go gives a request its id, its limits, its line in the log, its span and the response to a panic.
//   - metrics.go counts and times it.
//   - audit.go writes down whose request it was and which record it was about.
package process
