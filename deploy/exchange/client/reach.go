package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// unreachable is the error of a server that did not respond, or not as such a server does.
type unreachable struct {
	server string
	cause  error
	// advice says what to do.
	advice string
}

func (u *unreachable) Error() string {
	return fmt.Sprintf("%s does not respond: %v", u.server, u.cause)
}
func (u *unreachable) Unwrap() error { return u.cause }

// Unreachable returns the error of a server that did not respond: what it is, why not, and what a person can do.
func Unreachable(server string, cause error, advice string) error {
	return &unreachable{server, cause, advice}
}

// errPlain is the error of a request without TLS to a port that accepts only TLS.
var errPlain = errors.New("it speaks TLS")

func (c *caller) failed(err error) error {
	if lost, is := errors.AsType[*url.Error](err); is {
		err = lost.Err
	}
	return &unreachable{c.base.String(), err, advise(err, c.base, c.client.Timeout.String())}
}

// isA reports whether an error is one of a type.
func isA[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}

// hopeless reports whether another attempt would end in the same error.
func hopeless(err error) bool {
	return isA[*tls.CertificateVerificationError](err) || isA[tls.RecordHeaderError](err) || isA[*fileError](err) ||
		plainResponse(err) || notHTTP(err)
}

// unnamed reports whether the name that was looked up does not exist.
func unnamed(err error) bool {
	lookup, is := errors.AsType[*net.DNSError](err)
	return is && lookup.IsNotFound
}

// plainResponse reports whether a server responded without TLS to a request with TLS. net/http has no type for this
// error.
func plainResponse(err error) bool {
	return strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// notHTTP reports whether the response was no HTTP. net/http has no type for this error.
func notHTTP(err error) bool { return strings.Contains(err.Error(), "malformed HTTP") }

// advise returns what a person can do about an exchange that did not respond.
func advise(err error, base *url.URL, timeout string) string {
	const where = "--url or EXCHANGE_URL says where the exchange is"
	switched := func(scheme string) string {
		other := *base
		other.Scheme = scheme
		return fmt.Sprintf("Give --url %s instead.", other.String())
	}
	var network net.Error
	switch {
	case errors.Is(err, errPlain):
		return switched("https")
	case plainResponse(err), isA[tls.RecordHeaderError](err):
		return "The port does not speak TLS. " + switched("http")
	case isA[x509.HostnameError](err):
		return "The certificate is for another name: use the name in it; " + where + "."
	case isA[x509.UnknownAuthorityError](err):
		return "The certificate is of an authority that this machine does not trust: give the authority's " +
			"certificate as SSL_CERT_FILE=ca.pem, or ask the operator of the exchange."
	case isA[*tls.CertificateVerificationError](err):
		return "The certificate is not good: ask the operator of the exchange."
	case notHTTP(err):
		return "What listens on that port does not speak HTTP; " + where + "."
	case unnamed(err):
		return fmt.Sprintf("There is no machine of the name %s. Check it for a typing error; %s.",
			base.Hostname(), where)
	case errors.Is(err, syscall.ECONNREFUSED) && onThisMachine(base.Hostname()):
		return "Nothing listens there. `exchange run` starts an exchange on this machine; " + where + "."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "The machine is there, but nothing listens on that port; " + where + "."
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return fmt.Sprintf("No connection within %s, or no answer within %s (--timeout): is a firewall or a VPN in "+
			"between? %s.", connecting, timeout, upper(where))
	default:
		return upper(where) + "; --verbose shows each attempt."
	}
}

// upper returns words with a capital at the beginning of a sentence, unless they begin with the name of a flag.
func upper(words string) string {
	if strings.HasPrefix(words, "-") {
		return words
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
