package allinone

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"insurance.example/exchange/gateway/console"
	"insurance.example/exchange/pkg/problem"
)

const (
	signInPath = console.Path + "/sign-in"
	seedPath   = console.SeedPath
	// linkLifetime is how long a link can be followed to the records of an exchange.
	linkLifetime = time.Minute
	// mostCode bounds what is read of a code.
	mostCode = 256
)

// links are links that sign a person in, once. The code of one is in the fragment, which a browser sends to nobody; the
// page sends it in the body of a request, and gets a token in the response. They are safe for concurrent use.
type links struct {
	issue func(subject string) (token string, err error)
	now   func() time.Time

	mu   sync.Mutex
	open []link
}

// link is a link that nobody has followed yet.
type link struct {
	code, subject string
	until         time.Time
}

// newLinks returns no link yet. issue returns the token of the person to whom one leads.
func newLinks(issue func(subject string) (token string, err error), now func() time.Time) *links {
	return &links{issue: issue, now: now}
}

// URL makes a link to the console of the exchange at a URL, for a person. It can be followed once, for some time from
// now.
func (l *links) URL(base, subject string, lifetime time.Duration) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	made := link{code: rand.Text(), subject: subject, until: l.now().Add(lifetime)}
	l.open = append(l.open, made)
	return base + console.Path + "#sign-in=" + made.code
}

// Methods returns the method by which the page asks for the token.
func (*links) Methods() []string { return []string{http.MethodPost} }

// ServeHTTP exchanges the code in the body for a token.
func (l *links) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refused := fromHere(r); refused != nil {
		problem.Write(w, refused)
		return
	}
	code, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostCode))
	subject, is := "", false
	if err == nil {
		subject, is = l.use(string(code))
	}
	if !is {
		problem.Write(w, problem.New(problem.NotFound,
			"This link has been used, or is too old. exchange token prints a token to sign in with."))
		return
	}
	token, err := l.issue(subject)
	if err != nil {
		problem.Write(w, problem.Outage(err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string]string{"token": token}) // a page that went away has no use for it
}

// use returns the person of the link that has the code, if it can still be followed. It can be followed once.
func (l *links) use(code string) (subject string, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, of := range l.open {
		if subtle.ConstantTimeCompare([]byte(code), []byte(of.code)) == 1 && !l.now().After(of.until) {
			l.open = slices.Delete(l.open, i, i+1)
			return of.subject, true
		}
	}
	return "", false
}

// fromHere refuses a request that does not come from a page of this exchange on this machine.
func fromHere(r *http.Request) *problem.Error {
	from, _, err := net.SplitHostPort(r.RemoteAddr)
	here := err == nil && loopback(from) && loopback(hostOf(r.Host)) &&
		r.Header.Get("Forwarded") == "" && r.Header.Get("X-Forwarded-For") == ""
	switch origin := r.Header.Get("Origin"); {
	case !here:
		return problem.New(problem.NotFound, "Only a browser on the machine of the exchange can do this.")
	case origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host:
		return problem.New(problem.NotFound, "Only the console can do this.")
	}
	return nil
}

// hostOf returns the name in a header Host.
func hostOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return hostPort
}

// loopback reports whether a name or address is one of this machine itself.
func loopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	// A browser that is given the address of a listener on all addresses reaches it at this machine.
	return host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// seed is the handler that fills the exchange.
type seed func(ctx context.Context, token string) error

// Methods returns the method by which the page asks for it.
func (seed) Methods() []string { return []string{http.MethodPost} }

func (s seed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refused := fromHere(r); refused != nil {
		problem.Write(w, refused)
		return
	}
	token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !is {
		problem.Write(w, problem.New(problem.Unauthorized, "The request has no bearer token."))
		return
	}
	if err := s(r.Context(), token); err != nil {
		problem.Write(w, problem.New(problem.Unavailable, "The book is not whole: "+err.Error()).
			WithHeader("Retry-After", "1"))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
