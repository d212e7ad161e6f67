// Package peer calls other services of the exchange, over HTTP or, if they run in the same process, in memory.
//
// A call passes on the id and the trace context of the request that it is part of, its caller, and the time that is
// left for it. Reads are retried. A peer that keeps failing is not called for a moment. Whatever keeps a peer from
// responding is reported as problem.Outage, never as an internal error.
//
// failsafe-go repeats and has the circuit breaker. A library that balances among addresses (httplb) would take names.go
// and replicas.go. It would leave what decides here: whether a replica can have received a request, so that it may be
// sent to another one; replicas that are silent; the time that is left; and services of the same process.
//
// Its files, in the order in which a call meets them:
//
//	client.go       the client of one service: builds a request, sends it and reads the response
//	resilience.go   repeating, and the circuit breaker, by failsafe-go; exports its state and what the calls took
//	reach.go        where the replicas of a service are
//	transport.go    leads to the replicas in other processes
//	names.go        looks up the addresses of the replicas
//	replicas.go     chooses a replica
//	content.go      keeps the body of a request, so that it can be sent to another replica
//	attempt.go      sends a request to one replica; says whether the replica can have received it
//	silence.go      gives up soon on a replica that has not responded to several requests, as a frozen one
//	connections.go  keeps connections, and sees what was written to them
//	memory.go       calls a service of the same process
package peer
