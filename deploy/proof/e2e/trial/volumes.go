package trial

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

// The files of a process in its volume: its certificate with its key, and the authorities that it trusts.
const (
	certificateFile = "tls.crt"
	keyFile         = "tls.key"
	authorityFile   = "ca.crt"
)

// Volumes are folders with the certificates of processes, one folder for each process.
type Volumes struct {
	t      testing.TB
	folder string
	// trusted are the authorities that clients of the gateway trust.
	trusted *x509.CertPool
}

// NewVolumes returns volumes without files. Clients of the gateway trust the authorities.
func NewVolumes(t testing.TB, folder string, authorities ...*certificatetest.Authority) *Volumes {
	v := &Volumes{t: t, folder: folder, trusted: x509.NewCertPool()}
	for _, authority := range authorities {
		v.trusted.AppendCertsFromPEM([]byte(authority.PEM))
	}
	return v
}

// Issue gives a process a new certificate for its name and 127.0.0.1, signed by the first of the authorities. The
// process trusts all of them.
func (v *Volumes) Issue(process string, trusted ...*certificatetest.Authority) {
	v.t.Helper()
	service, _, _ := strings.Cut(process, "-")
	certificate, key := trusted[0].Issue(service, "127.0.0.1")
	v.Publish(process, map[string]string{certificateFile: certificate, keyFile: key})
	v.Trust(process, trusted...)
}

// Trust makes a process trust these authorities only.
func (v *Volumes) Trust(process string, trusted ...*certificatetest.Authority) {
	v.t.Helper()
	var all strings.Builder
	for _, authority := range trusted {
		all.WriteString(authority.PEM)
	}
	v.Publish(process, map[string]string{authorityFile: all.String()})
}

// Break gives a process the key of another certificate.
func (v *Volumes) Break(process string, by *certificatetest.Authority) {
	v.t.Helper()
	_, key := by.Issue(process)
	v.Publish(process, map[string]string{keyFile: key})
}

// Pair returns the certificate of a process with its key.
func (v *Volumes) Pair(process string) tls.Certificate {
	v.t.Helper()
	folder := filepath.Join(v.folder, process)
	pair, err := tls.LoadX509KeyPair(filepath.Join(folder, certificateFile), filepath.Join(folder, keyFile))
	if err != nil {
		v.t.Fatal(err)
	}
	return pair
}

// Transport returns a transport for HTTP/1.1 that trusts the servers and shows the given certificates.
func (v *Volumes) Transport(certificates ...tls.Certificate) *http.Transport {
	transport := Connections()
	transport.TLSClientConfig = &tls.Config{
		RootCAs: v.trusted, Certificates: certificates, MinVersion: tls.VersionTLS12,
	}
	return transport
}

// flags returns the flags by which a process serves and calls with TLS. Services accept the certificates of those
// that call them.
func (v *Volumes) flags(service, process string) []string {
	at := func(file string) string { return filepath.Join(v.folder, process, file) }
	all := []string{
		"--tls-certificate", at(certificateFile), "--tls-key", at(keyFile),
		"--peer-ca", at(authorityFile), "--peer-certificate", at(certificateFile), "--peer-key", at(keyFile),
	}
	if service == internalapi.Gateway {
		return all
	}
	all = append(all, "--tls-client-ca", at(authorityFile))
	for _, caller := range internalapi.Processes() {
		if slices.Contains(caller.Calls, service) {
			all = append(all, "--tls-client-names", caller.Name)
		}
	}
	return all
}

// Publish writes files of a process as Kubernetes does with those of a Secret: they are links into a folder that is a
// link. Publish exchanges that link, so that all files change at once. Files that are not named stay as they are.
func (v *Volumes) Publish(process string, files map[string]string) {
	v.t.Helper()
	if err := publish(filepath.Join(v.folder, process), files); err != nil {
		v.t.Fatal(err)
	}
}

func publish(folder string, files map[string]string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	version, err := os.MkdirTemp(folder, "..")
	if err != nil {
		return err
	}
	former, _ := filepath.Glob(filepath.Join(folder, "[^.]*"))
	for _, path := range former {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(version, filepath.Base(path)), text, 0o600); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(version, name), []byte(text), 0o600); err != nil {
			return err
		}
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			continue
		}
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	next := filepath.Join(folder, "..next")
	if err := os.Symlink(filepath.Base(version), next); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(folder, "..data"))
}

// CredentialFile is the file of secrets of a process.
func (v *Volumes) CredentialFile(process string) string {
	return filepath.Join(v.folder, process, "credential")
}

// WriteSecrets writes the file of secrets of a process.
func (v *Volumes) WriteSecrets(process string, secrets ...string) {
	v.t.Helper()
	v.Publish(process, map[string]string{"credential": strings.Join(secrets, "\n") + "\n"})
}
