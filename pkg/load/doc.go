// Package load protects a process from more work than it can do: it bounds how many requests are in work (Limiter), how
// much memory they have taken (Budget), and how many large ones are worked on at a time (Turns).
//
// Only package process knows it: the rest sees a request whose body may fail, a docstore.Gate and a request.Account.
//
// What does not fit is refused at once: nothing waits for memory while it holds some. Only large requests wait, for a
// turn and for a bounded time.
//
// How many requests may be in work follows from how long they take. While some are refused, the number falls as long as
// those in work take longer than they should, and rises as long as they do not. While none is refused it returns to
// where it began: an exchange that is asked for less than it can serve refuses nothing.
//
// A library of adaptive limits (failsafe-go has one) would leave most of it: classes, of which lists are refused first,
// slots that slow clients do not hold, and the budget of bytes with a share for each caller.
//
// Its files, in the order in which a request meets them:
//
//   - door.go lets a request in, admits it to a service, and ends its slot and its turn when the response begins. It
//     takes the memory for a body as it arrives, and has a large one wait for its turn.
//   - limiter.go decides whether one more request may be in work, and gives it a slot, which is free while the body is
//     awaited.
//   - budget.go takes the memory that a request needs from that of the process, and gives it to the stores as a gate.
//   - turn.go has large requests wait for each other.
//   - metrics.go exports what is in work.
package load
