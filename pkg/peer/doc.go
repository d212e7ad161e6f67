// Package peer calls other services of the exchange, over HTTP or, if they run in the same process, in memory.
//
// A call passes on the id and the trace context of the request that it is part of, its caller, and the time that is
// left for it. Reads are retried. A peer that keeps failing is not called for a moment. Whatever keeps a peer from
// responding is reported as problem.Outage, never as an internal error.
//
// Its files, in the order in which a call meets them:
//
//   - client.go is the client of one service: it builds a request, sends it and reads the response.
//   - resilience.go decides about repeating and about the circuit breaker; failsafe-go does both.
//   - reach.go and transport.go lead to the replicas of a service in other processes.
//   - names.go looks up the addresses of the replicas, and replicas.go chooses one.
//   - content.go keeps the body of a request, so that it can be sent to another replica.
//   - attempt.go sends a request to one replica, and says whether the replica can have received it.
//   - silence.go gives up soon on a replica that has not responded to several requests, such as one that is frozen.
//   - connections.go keeps connections, and sees what was written to them.
//   - memory.go calls a service of the same process.
//   - metrics.go exports what the calls took.
package peer
