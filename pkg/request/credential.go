package request

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/problem"
)

// The headers in which the gateway and the services name the caller to a service, with their credential. The gateway
// removes every header that begins with IdentityPrefix from requests that come from outside.
const (
	IdentityPrefix   = "X-Exchange-"
	CallerHeader     = IdentityPrefix + "Caller"
	ScopesHeader     = IdentityPrefix + "Scopes"
	ClientHeader     = IdentityPrefix + "Client"
	CredentialHeader = IdentityPrefix + "Credential"
)

const (
	// shortestSecret is the least length of a shared secret, in bytes.
	shortestSecret = 16
	// mostSecrets bounds the work of comparing a secret with all that are accepted.
	mostSecrets = 16
)

// Credentials holds the secrets that the gateway and the services share. The first one is sent. All of them are
// accepted, so that a new secret can be rolled out before the old one is removed. Copies share the secrets, which
// Replace exchanges while requests run. The zero value accepts nothing and sends nothing.
type Credentials struct{ held *atomic.Pointer[secrets] }

type secrets struct {
	send   string
	accept [][sha256.Size]byte
}

// NewCredentials returns credentials of secrets. It fails if there is none or more than 16, or if one is shorter than
// 16 bytes or holds other characters than visible ASCII. Its errors do not show the secrets.
func NewCredentials(all []string) (Credentials, error) {
	if len(all) == 0 {
		return Credentials{}, errors.New("no shared secret is given")
	}
	if len(all) > mostSecrets {
		return Credentials{}, fmt.Errorf("there are %d shared secrets, more than %d", len(all), mostSecrets)
	}
	next := &secrets{send: all[0]}
	for i, secret := range all {
		if len(secret) < shortestSecret {
			return Credentials{}, fmt.Errorf("shared secret %d is shorter than %d characters", i+1, shortestSecret)
		}
		if strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return Credentials{}, fmt.Errorf("shared secret %d has other characters than visible ASCII", i+1)
		}
		next.accept = append(next.accept, sha256.Sum256([]byte(secret)))
	}
	c := Credentials{held: &atomic.Pointer[secrets]{}}
	c.held.Store(next)
	return c, nil
}

// Replace exchanges the secrets for those of others, in all copies of c. Neither may be the zero value.
func (c Credentials) Replace(others Credentials) { c.held.Store(others.held.Load()) }

// accepts reports whether a secret is accepted. It compares in constant time, and hashes first to hide the length as
// well.
func (c Credentials) accepts(secret string) bool {
	if c.held == nil {
		return false
	}
	given, accepted := sha256.Sum256([]byte(secret)), 0
	for _, one := range c.held.Load().accept {
		accepted |= subtle.ConstantTimeCompare(given[:], one[:])
	}
	return accepted == 1
}

// Identify sets the headers that name the caller, and the credential that proves that the request comes from the
// exchange.
func (c Credentials) Identify(header http.Header, caller Caller) {
	delete(header, CredentialHeader)
	if c.held != nil {
		header[CredentialHeader] = []string{c.held.Load().send}
	}
	// A subject may hold characters that a header must not.
	header[CallerHeader] = []string{url.PathEscape(caller.Subject)}
	header[ScopesHeader] = []string{strings.Join(caller.Scopes, " ")}
	if caller.Client != "" {
		header[ClientHeader] = []string{url.PathEscape(caller.Client)}
	}
}

// Given reports whether there are secrets: it is false for the zero value.
func (c Credentials) Given() bool { return c.held != nil }

// Refused returns the error for a service that does not take this process for one of the exchange (401). It names the
// settings that mend it.
func (c Credentials) Refused(service string) error {
	if c.Given() {
		return fmt.Errorf("%s does not accept the credential of this process: the first secret of credential-file "+
			"(or credential) must be "+
			"one of those that %[1]s has", service)
	}
	return fmt.Errorf("%s does not accept the certificate of this process: the file of peer-certificate must bear "+
		"one of the names in "+
		"tls-client-names of %[1]s, and be signed by an authority in its tls-client-ca", service)
}

// Trust decides whether a request comes from within the exchange. The zero value trusts no request.
type Trust struct {
	// Credentials are accepted in a header of the request.
	Credentials Credentials
	// Certificate returns nil if a process of the exchange has made the connection. A nil function trusts no
	// connection.
	Certificate func(*tls.ConnectionState) error
}

// trusts returns nil if a request comes from within the exchange, else why it is not trusted.
func (t Trust) trusts(r *http.Request) error {
	if t.Credentials.accepts(r.Header.Get(CredentialHeader)) {
		return nil
	}
	if t.Certificate == nil {
		return errNoCredential
	}
	return t.Certificate(r.TLS)
}

var errNoCredential = errors.New("the credential is missing or not accepted")

// RequireGateway returns a handler that puts the caller of a request into its context. It refuses a request from
// outside the exchange with 401. It does not check scopes: the gateway has done so. If the context already carries a
// caller, the request comes from this process and needs no proof.
func RequireGateway(trust Trust) gin.HandlerFunc {
	return func(c *gin.Context) {
		if caller, carried := callerFrom(c.Request.Context()); carried {
			charge(c, caller.Subject)
			return
		}
		header := c.Request.Header
		if err := trust.trusts(c.Request); err != nil {
			refuse(c, problem.New(problem.Unauthorized, "Only the gateway may call this service.").
				WithHeader("WWW-Authenticate", `Bearer realm="exchange"`).Because(err))
			return
		}
		subject, err := url.PathUnescape(header.Get(CallerHeader))
		if err != nil {
			refuse(c, problem.New(problem.BadHeader, CallerHeader+" is malformed.").Because(err))
			return
		}
		client, err := url.PathUnescape(header.Get(ClientHeader))
		if err != nil {
			refuse(c, problem.New(problem.BadHeader, ClientHeader+" is malformed.").Because(err))
			return
		}
		caller := Caller{
			Subject: subject, Client: client, Scopes: strings.Fields(header.Get(ScopesHeader)),
			Organisation: organisation.Sole(),
		}
		c.Request = c.Request.WithContext(WithCaller(c.Request.Context(), caller))
		charge(c, subject)
	}
}

// charge says in whose name the request takes memory, and refuses it if it gets none.
func charge(c *gin.Context, subject string) {
	if err := Charge(c.Request.Context(), subject); err != nil {
		refuse(c, problem.From(err))
	}
}

// refuse responds with a problem and stops the handlers that would follow.
func refuse(c *gin.Context, p *problem.Error) {
	_ = c.Error(p)
	problem.Write(c.Writer, p)
	c.Abort()
}
