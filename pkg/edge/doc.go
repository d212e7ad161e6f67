// Package edge is what lies between a listener and the handler of a process: bounds on connections, TLS, bounds on slow
// clients, and problem documents in place of the plain text with which net/http refuses what it cannot read. net/http
// reads every request; nothing here parses one.
//
// A kept library would leave all of it: the hooks of net/http end before its own refusals, and golang.org/x/net/netutil
// has a listener with a bound that keeps further clients waiting without a response.
//
// Its files, in the order in which a connection and its requests meet them:
//
//	server.go      composes the rest into a Server
//	bound.go       accepts connections up to a greatest number and refuses those beyond it
//	room.go        who has a place: idle connections lose theirs as it fills, and no address gets the last ones
//	pace.go        who takes back requests of HTTP/2 is read in turn with others that do
//	handshake.go   shakes hands (TLS), each connection in its own goroutine and time
//	connection.go  refuses a length that is stated in two ways; problem documents for the refusals of net/http
//	progress.go    ends requests of slow clients, and closes connections while the process stops
//
// Most tests are those of package process (edge_*_test.go, admin_test.go): they go through a process that serves.
package edge
