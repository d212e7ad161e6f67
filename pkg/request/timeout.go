package request

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// TimeoutHeader carries the time that is left for a request, in milliseconds. Unlike a deadline it does not depend on
// the clocks of both processes.
const TimeoutHeader = IdentityPrefix + "Timeout"

// WriteTimeout sets TimeoutHeader to the time until the deadline of ctx. Without a deadline it does nothing.
func WriteTimeout(ctx context.Context, header http.Header) {
	if deadline, ok := ctx.Deadline(); ok {
		left := max(time.Until(deadline).Milliseconds(), 1)
		header[TimeoutHeader] = []string{strconv.FormatInt(left, 10)}
	}
}

// ReadTimeout returns the time in TimeoutHeader, but no more than longest, which is also the result without the header.
func ReadTimeout(header http.Header, longest time.Duration) time.Duration {
	values := header[TimeoutHeader]
	if len(values) == 0 {
		return longest
	}
	left, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil || left <= 0 || left >= longest.Milliseconds() {
		return longest
	}
	return time.Duration(left) * time.Millisecond
}
