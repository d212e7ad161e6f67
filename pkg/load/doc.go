// Package load protects a process from more work than it can do: it has requests wait until they can be worked on, by
// turns over accounts, such as organisations, and over the callers of each (Gate, Limiter), holds refusals back
// (Holder), and bounds how much memory requests may take together (Budget).
//
// Only package process knows it: the rest sees a request whose body may fail, and a request.Account.
//
// A request costs at most ten times its body and one page of a mebibyte. That is counted here, at the door, and nowhere
// below it: what reads for a request reads pages of a mebibyte, or one record.
//
// A request waits twice, for as long as overload-latency says together: in front of the gate until it is read, and
// behind it, as soon as its caller is known, until the limiter of its service has a slot for it. At both places it is
// the next one of its caller that waits for a turn, so that who asks for more waits for longer, and nobody else does.
// Nothing waits for memory while it holds some. What could not be worked on in time is refused, and what too many wait
// for is refused to the caller with the most.
//
// How many requests may be in work follows from how long they take. While some wait, the number falls as long as those
// in work take longer than they should, and rises as long as they do not. While none waits it returns to where it
// began.
//
// A library of adaptive limits (failsafe-go has one) would leave most of it: turns over callers, slots that slow
// clients do not hold, the gate, and the budget of bytes with a share for each caller.
//
// Its files, in the order in which a request meets them:
//
//	gate.go     when a connection of HTTP/1 is read again; the bell, by which the next ones that wait follow
//	door.go     lets a request in; its slot, which is free while the body is awaited and ends as the response begins
//	limiter.go  when a request may be in work, and which are refused
//	queue.go    the order of those that wait, at the gate and for a slot
//	shares.go   who shares what can be in work, and whose share is used up
//	holder.go   holds refusals back
//	budget.go   takes the memory of a request and of its body from that of the process
//	metrics.go  exports what is in work, waits and is refused
package load
