package request

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/problem"
)

// The headers by which the gateway, and services among themselves, say for whom they ask and that they may. The gateway
// drops every header that begins with IdentityPrefix from requests that come from outside.
const (
	IdentityPrefix   = "X-Exchange-"
	CallerHeader     = IdentityPrefix + "Caller"
	ScopesHeader     = IdentityPrefix + "Scopes"
	CredentialHeader = IdentityPrefix + "Credential"
)

// shortestSecret is the length in bytes below which a shared secret is refused.
const shortestSecret = 16

// Credentials are the secrets that the gateway and the services share. The first is the one sent; all are accepted, so
// that a new one can be rolled out before the old one goes. The zero value accepts nothing.
type Credentials struct {
	send   string
	accept [][sha256.Size]byte
}

// NewCredentials makes credentials of secrets of at least 16 bytes. Its errors show none of them.
func NewCredentials(secrets []string) (Credentials, error) {
	if len(secrets) == 0 {
		return Credentials{}, errors.New("no shared secret is given")
	}
	c := Credentials{send: secrets[0]}
	for i, secret := range secrets {
		if len(secret) < shortestSecret {
			return Credentials{}, fmt.Errorf("shared secret %d is shorter than %d characters", i+1, shortestSecret)
		}
		if strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return Credentials{}, fmt.Errorf("shared secret %d has characters that are no visible ASCII", i+1)
		}
		c.accept = append(c.accept, sha256.Sum256([]byte(secret)))
	}
	return c, nil
}

// accepts compares in constant time; hashing first hides the length as well.
func (c Credentials) accepts(secret string) bool {
	given, accepted := sha256.Sum256([]byte(secret)), 0
	for i := range c.accept {
		accepted |= subtle.ConstantTimeCompare(given[:], c.accept[i][:])
	}
	return accepted == 1
}

// Identify writes the caller and the credential into the headers of a request to a service.
func (c Credentials) Identify(header http.Header, caller Caller) {
	header[CredentialHeader] = []string{c.send}
	// A subject is any text; a header is not.
	header[CallerHeader] = []string{url.PathEscape(caller.Subject)}
	header[ScopesHeader] = []string{strings.Join(caller.Scopes, " ")}
}

// RequireGateway lets only requests with one of the credentials pass and puts their caller into the context; anyone
// else gets 401. The gateway has checked the scope.
func RequireGateway(credentials Credentials) gin.HandlerFunc {
	return func(c *gin.Context) {
		header := c.Request.Header
		if !credentials.accepts(header.Get(CredentialHeader)) {
			problem.Write(c.Writer, problem.New(problem.Unauthorized, "Only the gateway may call this service.").
				WithHeader("WWW-Authenticate", `Bearer realm="exchange"`))
			c.Abort()
			return
		}
		subject, err := url.PathUnescape(header.Get(CallerHeader))
		if err != nil {
			problem.Write(c.Writer, problem.New(problem.BadHeader, CallerHeader+" is malformed.").Because(err))
			c.Abort()
			return
		}
		caller := Caller{Subject: subject, Scopes: strings.Fields(header.Get(ScopesHeader))}
		c.Request = c.Request.WithContext(WithCaller(c.Request.Context(), caller))
	}
}
