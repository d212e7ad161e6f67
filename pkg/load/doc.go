// Package load protects a process from more work than it can do: who asks for more than its share waits half a second
// and is then refused (Limiter), and how much memory requests take together is bounded (Budget).
//
// Only package process knows it: the rest sees a request whose body may fail, and a request.Account.
//
// A request costs at most ten times its body and one page of a mebibyte. That is counted here, at the door, and nowhere
// below it: what reads for a request reads pages of a mebibyte, or one record. Nothing waits for memory, and what waits
// for a slot has none.
//
// A library of limits (failsafe-go has adaptive ones) would leave most of it: turns over accounts and callers, slots
// that slow clients do not hold, and the budget of bytes with a share for each caller. golang.org/x/sync/semaphore
// bounds bytes, but neither a part of them for each caller, nor lets a request have more than all that is alone.
//
// Its files, in the order in which a request meets them:
//
//	door.go     lets a request in; its slot, which is free while the body is awaited and ends as the response begins
//	limiter.go  when a request may be in work, and which are refused
//	queue.go    the order of those that wait: by turns over accounts, and over the callers of each
//	budget.go   takes the memory of a request and of its body from that of the process
package load
