package auth

import (
	"log/slog"
	"strings"
	"sync"
	"time"

	"insurance.example/exchange/pkg/problem"
)

// foreign says in the log that tokens come from another issuer than the one that is set, though their key is known. The
// caller of a request is not told the values. It is safe for concurrent use.
type foreign struct {
	log *slog.Logger
	// want is the issuer that is set.
	want string

	mu   sync.Mutex
	next time.Time // when it may be said again
}

// saidEvery is the least time between two lines of the log about issuers, whatever callers send.
const saidEvery = time.Minute

// says says so of a token with an issuer, unless something was said a short time ago.
func (f *foreign) says(issuer string) {
	f.mu.Lock()
	now := time.Now()
	soon := now.Before(f.next)
	if !soon {
		f.next = now.Add(saidEvery)
	}
	f.mu.Unlock()
	if soon {
		return
	}
	message := "a token from another issuer than jwt-issuer is refused, though its key is known"
	if strings.TrimRight(issuer, "/") == strings.TrimRight(f.want, "/") {
		message += "; the two differ by a slash at the end alone, so set jwt-issuer to the iss of the token"
	}
	f.log.Warn(message, "iss", problem.Short(issuer), "jwt-issuer", f.want)
}
