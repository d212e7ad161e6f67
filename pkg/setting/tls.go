package setting

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
)

// File is the path of a file, and the setting that named it. The path may be empty.
type File struct{ Setting, Path string }

// Password returns the password in a file, without the end of its line that editors add. Its errors name the setting.
func Password(file File) (string, error) {
	text, err := os.ReadFile(file.Path)
	password := strings.TrimRight(string(text), "\r\n")
	if err == nil && password == "" {
		err = errors.New(file.Path + " is empty; it should hold the password")
	}
	if err != nil {
		return "", fmt.Errorf("setting %s: %w", file.Setting, err)
	}
	return password, nil
}

// ClientTLS returns what a client secures its connections with. authority is a PEM file of the authorities that
// servers' certificates may be signed by; those of the system if it has no path. certificate and key are PEM files,
// which may be one, by which the client proves who it is; it does not if certificate has no path. Errors name the
// setting, and quote no file.
func ClientTLS(authority, certificate, key File) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority.Path != "" {
		text, err := os.ReadFile(authority.Path)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", authority.Setting, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("setting %s: %s holds no certificate in PEM", authority.Setting, authority.Path)
		}
	}
	if certificate.Path == "" {
		return config, nil
	}
	load := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(certificate.Path, key.Path)
		if err != nil {
			return nil, fmt.Errorf("settings %s and %s: %w", certificate.Setting, key.Setting, withoutContent(err))
		}
		return &pair, nil
	}
	if _, err := load(); err != nil {
		return nil, err
	}
	// The files are read at each connection, so that a certificate can be renewed while the process runs.
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return load() }
	return config, nil
}

// withoutContent replaces errors of parsing, which may quote a file, by their kind. Errors of opening a file name it.
func withoutContent(err error) error {
	var opening *os.PathError
	if errors.As(err, &opening) {
		return err
	}
	return errors.New("the two files are not a certificate and its private key in PEM")
}
