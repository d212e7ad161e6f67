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
	issuerHeader     = IdentityPrefix + "Issuer"
	ScopesHeader     = IdentityPrefix + "Scopes"
	clientHeader     = IdentityPrefix + "Client"
	CredentialHeader = IdentityPrefix + "Credential"
	// reasonHeader has the reason of an operator.
	reasonHeader = IdentityPrefix + "Reason"
	// OrganisationHeader has the name of the organisation that the caller acts for, theExchange or operatorKey.
	// Requests of an exchange that organisations do not share have none.
	OrganisationHeader = IdentityPrefix + "Organisation"
	// KeepsHeader is a header of the response of a service to the gateway. It has the access list that a policy is to
	// get before the caller has the response.
	KeepsHeader = IdentityPrefix + "Keeps"
)

// theExchange is what OrganisationHeader has for the exchange itself. No organisation can have it as its name.
const theExchange = "*"

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
		header[clientHeader] = []string{url.PathEscape(caller.Client)}
	}
	if caller.Issuer != "" {
		header[issuerHeader] = []string{url.PathEscape(caller.Issuer)}
	}
	delete(header, OrganisationHeader)
	if caller.Reason != "" {
		header[reasonHeader] = []string{url.PathEscape(caller.Reason)}
	}
	if who := caller.Organisation; who.All() {
		header[OrganisationHeader] = []string{theExchange}
	} else if who.Operates() {
		header[OrganisationHeader] = []string{operatorKey}
	} else if who.Name() != "" {
		header[OrganisationHeader] = []string{who.Name()}
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
	// Organisations says that organisations share the exchange. Then a request that names none is refused, and else
	// one that names one: it comes from a process with other settings.
	Organisations bool
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
		caller, carried := callerFrom(c.Request.Context())
		if !carried {
			var refused *problem.Error
			if caller, refused = trust.identified(c.Request); refused != nil {
				refuse(c, refused)
				return
			}
		}
		if err := trust.fits(caller.Organisation); err != nil {
			refuse(c, problem.New(problem.Internal, "").Because(err))
			return
		}
		if err := operates(c.Request.Method, caller); err != nil {
			refuse(c, err)
			return
		}
		if !carried {
			c.Request = c.Request.WithContext(WithCaller(c.Request.Context(), caller))
		}
	}
}

// identified returns the caller that the headers of a request name, if it comes from within the exchange.
func (t Trust) identified(r *http.Request) (Caller, *problem.Error) {
	if err := t.trusts(r); err != nil {
		return Caller{}, problem.New(problem.Unauthorized, "Only the gateway may call this service.").
			WithHeader("WWW-Authenticate", `Bearer realm="exchange"`).Because(err)
	}
	caller := Caller{Scopes: strings.Fields(r.Header.Get(ScopesHeader))}
	for _, part := range [...]struct {
		header string
		value  *string
	}{{CallerHeader, &caller.Subject}, {clientHeader, &caller.Client}, {issuerHeader, &caller.Issuer},
		{reasonHeader, &caller.Reason}} {
		var err error
		if *part.value, err = url.PathUnescape(r.Header.Get(part.header)); err != nil {
			return Caller{}, problem.New(problem.BadHeader, part.header+" is malformed.").Because(err)
		}
	}
	var err error
	if caller.Organisation, err = organisationIn(r.Header); err != nil {
		return Caller{}, problem.New(problem.BadHeader, OrganisationHeader+" is malformed.").Because(err)
	}
	return caller, nil
}

// organisationIn returns the organisation that the headers of a request from within the exchange name: the only one if
// they name none. Errors: organisation.ErrName, more than one name.
func organisationIn(header http.Header) (organisation.ID, error) {
	switch values := header[OrganisationHeader]; {
	case len(values) == 0:
		return organisation.Sole(), nil
	case len(values) > 1:
		return organisation.ID{}, errors.New("there is more than one organisation")
	case values[0] == theExchange:
		return organisation.Exchange(), nil
	case values[0] == operatorKey:
		return organisation.Operator(), nil
	default:
		return organisation.Named(values[0])
	}
}

// fits returns an error if a request is made for another sort of organisation than the exchange has.
func (t Trust) fits(who organisation.ID) error {
	switch {
	case who.All():
		return nil
	case who.Operates() && t.Organisations:
		return nil
	case who.Operates():
		return errors.New("a request is an operator's, although organisations do not share the exchange: give all " +
			"processes the same org-claim")
	case t.Organisations && who.Name() == "":
		return errors.New("a request names no organisation, although organisations share the exchange: give all " +
			"processes the same org-claim")
	case !t.Organisations && who.Name() != "":
		return errors.New("a request names an organisation, although this service was started without org-claim: " +
			"give all processes the same one")
	default:
		return nil
	}
}

// operates returns the refusal of a request of an operator that does more than read, or does not say why. The gateway
// has looked at both; a request that comes here without it is refused all the same. The caller may be anybody.
func operates(method string, caller Caller) *problem.Error {
	switch {
	case !caller.Organisation.Operates():
		return nil
	case method != http.MethodGet && method != http.MethodHead:
		return OnlyReads()
	case caller.Reason == "":
		return problem.New(problem.BadHeader, "An operator says why it reads.")
	default:
		return nil
	}
}

// OnlyReads returns the refusal of a write of an operator.
func OnlyReads() *problem.Error {
	return problem.New(problem.RightMissing, "An operator reads and writes nothing. To write, send a token of an "+
		"organisation that has the scope for it and not the scope of operators.").With("right", "owner")
}

// refuse responds with a problem and stops the handlers that would follow.
func refuse(c *gin.Context, p *problem.Error) {
	_ = c.Error(p)
	problem.Write(c.Writer, p)
	c.Abort()
}
