package request

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// TimeoutHeader carries what is left of a request's time, in milliseconds. A length of time holds where clocks differ.
const TimeoutHeader = IdentityPrefix + "Timeout"

// WriteTimeout sets TimeoutHeader to what is left until the deadline of ctx; not where there is none.
func WriteTimeout(ctx context.Context, header http.Header) {
	if deadline, ok := ctx.Deadline(); ok {
		left := max(time.Until(deadline).Milliseconds(), 1)
		header[TimeoutHeader] = []string{strconv.FormatInt(left, 10)}
	}
}

// ReadTimeout returns the shorter of the longest time a request may take and the time its headers leave it.
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
