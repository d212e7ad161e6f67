// Package peer calls other services of the exchange, over HTTP or, if they run in the same process, in memory.
//
// A call passes on the id and the trace context of the request that it is part of, its caller, and the time that is
// left for it. A service has one address, behind which the platform balances. Dial errors and reads are repeated. A
// peer that keeps failing is not called for a moment. Whatever keeps a peer from responding is reported as
// problem.Outage, never as an internal error.
//
// Its files, in the order in which a call meets them:
//
//	client.go      the client of one service: builds a request, sends it and reads the response
//	resilience.go  repeating, and the circuit breaker, by failsafe-go; exports its state, and has the times of calls
//	transport.go   the connections to a service in other processes, which are renewed every half minute
//	memory.go      calls a service of the same process
package peer
