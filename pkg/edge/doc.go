// Package edge is what lies between a listener and the handler of a process: a bound on connections, bounds on slow
// clients, and problem documents in place of the plain text with which net/http refuses what it cannot read. net/http
// reads every request and shakes hands (TLS); nothing here looks at what comes.
//
// The hooks of net/http end before its own refusals. golang.org/x/net/netutil has a listener with a bound that keeps
// further clients waiting; here they are told why.
//
// Its files, in the order in which a connection and its requests meet them:
//
//	server.go      composes the rest into a Server
//	connection.go  accepts connections up to a greatest number, and marks those beyond it, which are refused
//	refusal.go     problem documents for the refusals of net/http
//	progress.go    ends requests of slow clients, and closes connections while the process stops
//
// Its tests are those of package process (edge_*_test.go, admin_test.go): they go through a process that serves.
package edge
