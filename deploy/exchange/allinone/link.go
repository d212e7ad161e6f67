package allinone

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"insurance.example/exchange/deploy/exchange/local"
	"insurance.example/exchange/gateway/console"
	"insurance.example/exchange/pkg/problem"
)

const (
	signInPath = console.Path + "/sign-in"
	seedPath   = console.SeedPath
	// mostCode bounds what is read of a code.
	mostCode = 256
)

// links are the links that sign a person in, once. The code of one is in the fragment, which a browser sends to nobody;
// the page sends it in the body of a request, and gets a token in the response. They are safe for concurrent use.
type links struct {
	data  string
	issue func(subject string) (token string, err error)
	now   func() time.Time
}

// Methods returns the method by which the page asks for the token.
func (links) Methods() []string { return []string{http.MethodPost} }

// ServeHTTP exchanges the code in the body for a token.
func (l links) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refused := fromHere(r); refused != nil {
		problem.Write(w, refused)
		return
	}
	code, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostCode))
	subject, is := "", false
	if err == nil {
		subject, is = local.FollowLink(l.data, string(code), l.now())
	}
	if !is {
		problem.Write(w, problem.New(problem.NotFound,
			"This link has been used, or is too old. exchange link prints another one."))
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
