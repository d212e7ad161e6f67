package secret

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/pkg/setting"
)

// Authorities sign the certificates that are accepted.
type Authorities struct {
	pool *x509.CertPool
	all  []*x509.Certificate
}

// ReadAuthorities reads the certificates of authorities from a PEM file. Errors name the setting.
func ReadAuthorities(file setting.File) (*Value[*Authorities], error) {
	return Read(func(contents [][]byte) (*Authorities, error) {
		a := &Authorities{pool: x509.NewCertPool()}
		for block, rest := pem.Decode(contents[0]); block != nil; block, rest = pem.Decode(rest) {
			one, err := x509.ParseCertificate(block.Bytes)
			if block.Type != "CERTIFICATE" || err != nil {
				return nil, fmt.Errorf("setting %s: %s holds something else than certificates", file.Setting, file.Path)
			}
			a.pool.AddCert(one)
			a.all = append(a.all, one)
		}
		if len(a.all) == 0 {
			return nil, fmt.Errorf("setting %s: %s holds no certificate in PEM", file.Setting, file.Path)
		}
		return a, nil
	}, file)
}

// has reports whether a certificate is one of the authorities.
func (a *Authorities) has(one *x509.Certificate) bool {
	return slices.ContainsFunc(a.all, func(of *x509.Certificate) bool { return bytes.Equal(of.Raw, one.Raw) })
}

// Callers decides which certificates of its callers a server accepts.
type Callers struct {
	authorities *Value[*Authorities]
	names       []string
}

// NewCallers returns callers whose certificates one of the authorities has signed and bear one of the names. A name is
// a whole DNS name or URI among the certificate's alternative names. Without names, every certificate that one of the
// authorities has signed is accepted.
func NewCallers(authorities *Value[*Authorities], names []string) *Callers {
	return &Callers{authorities, names}
}

// Named reports whether a certificate must bear one of certain names. Only then does it identify a caller.
func (c *Callers) Named() bool { return len(c.names) > 0 }

// Accept returns nil if the certificate of a connection is accepted now. One that was accepted when the connection was
// made may have ended since, or its authority may no longer be trusted.
func (c *Callers) Accept(connection *tls.ConnectionState) error {
	if connection == nil || len(connection.VerifiedChains) == 0 {
		return errors.New("the caller has no certificate that is accepted")
	}
	authorities, now := c.authorities.Get(), time.Now()
	if !slices.ContainsFunc(connection.VerifiedChains, func(chain []*x509.Certificate) bool {
		ended := slices.ContainsFunc(chain, func(one *x509.Certificate) bool { return now.After(one.NotAfter) })
		return !ended && authorities.has(chain[len(chain)-1])
	}) {
		return errors.New("the certificate of the caller has ended, or its authority is not trusted any more")
	}
	return c.acceptName(connection.VerifiedChains[0][0])
}

func (c *Callers) acceptName(leaf *x509.Certificate) error {
	if !c.Named() {
		return nil
	}
	for _, name := range c.names {
		if slices.ContainsFunc(leaf.DNSNames, func(has string) bool { return strings.EqualFold(has, name) }) {
			return nil
		}
		for _, has := range leaf.URIs {
			if has.String() == name {
				return nil
			}
		}
	}
	return errors.New("the certificate of the caller bears none of the names that are accepted")
}
