package secret

import (
	"crypto/tls"
)

// ServerTLS returns how a server secures its connections: with the certificate of the pair. Unless callers is nil, a
// handshake fails without a certificate that callers accepts. HTTP/2 and HTTP/1.1 are offered.
func ServerTLS(pair *Pair, callers *Callers) *tls.Config {
	config := &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return pair.Get(), nil },
	}
	if callers == nil {
		return config
	}
	config.ClientAuth = tls.RequireAndVerifyClientCert
	// A ticket would let a caller in without asking for its certificate again.
	config.SessionTicketsDisabled = true
	config.VerifyConnection = func(state tls.ConnectionState) error { return callers.Accept(&state) }
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		current := config.Clone()
		current.GetConfigForClient, current.ClientCAs = nil, callers.authorities.Get().pool
		return current, nil
	}
	return config
}

// ClientTLS returns a function that returns how a client secures its next connection. It trusts servers whose
// certificates the authorities have signed; nil stands for the authorities of the system. It shows the certificate of
// the pair, if pair is not nil. It offers HTTP/1.1 only.
func ClientTLS(authorities *Value[*Authorities], pair *Pair) func() *tls.Config {
	return func() *tls.Config {
		config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
		if authorities != nil {
			config.RootCAs = authorities.Get().pool
		}
		if pair != nil {
			config.Certificates = []tls.Certificate{*pair.Get()}
		}
		return config
	}
}
