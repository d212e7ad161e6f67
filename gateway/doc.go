// Package gateway is the entrance of the exchange. It knows the paths of the interface, checks the caller's token and
// scope, and forwards requests to the services, with headers that name the caller.
//
// Its files, in the order in which a request meets them:
//
//	program.go   the settings of a gateway, and its start
//	gateway.go   the handler: request id, token, scope, caller; upstreams
//	table.go     paths and their methods, from the routing table; the scope that each needs
//	origins.go   browsers of other origins (CORS)
//	operator.go  what an operator may send, and its reason
//	rates.go     how many requests an organisation and a caller may send in a second
//	forward.go   sends a request to its service, and the response back
//	keeping.go   what is done before a caller has the response to a renewal
//	metadata.go  where OAuth 2.0 clients get tokens (RFC 9728)
package gateway
