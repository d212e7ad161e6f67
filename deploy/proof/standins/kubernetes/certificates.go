package kubernetes

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"time"
)

// authority signs the certificates of a cluster.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// issueCertificates writes the keys and certificates of the cluster: its authority, the apiserver, the administrator
// (the other parts use the administrator's too), and the key that signs the tokens of service accounts.
func (c *Cluster) issueCertificates() error {
	key, err := c.newKey("ca")
	if err != nil {
		return err
	}
	a := authority{key: key, certificate: template(pkix.Name{CommonName: "standin"})}
	a.certificate.IsCA, a.certificate.BasicConstraintsValid = true, true
	a.certificate.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	if err := c.sign("ca", a, a.certificate, key); err != nil {
		return err
	}
	apiserver := template(pkix.Name{CommonName: "kube-apiserver"})
	apiserver.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	apiserver.IPAddresses = []net.IP{net.ParseIP(nodeAddress), net.ParseIP(apiService)}
	apiserver.DNSNames = []string{"kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	admin := template(pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}})
	admin.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	for name, certificate := range map[string]*x509.Certificate{"apiserver": apiserver, "admin": admin} {
		key, err := c.newKey(name)
		if err == nil {
			err = c.sign(name, a, certificate, key)
		}
		if err != nil {
			return err
		}
	}
	_, err = c.newKey("accounts")
	return err
}

func template(subject pkix.Name) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: subject, NotBefore: now.Add(-time.Hour),
		NotAfter: now.AddDate(0, 0, 30),
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
}

// newKey makes a private key and writes it to its file.
func (c *Cluster) newKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	return key, errors.Join(err, c.writePEM(name+".key", "EC PRIVATE KEY", der))
}

// sign signs a certificate for a key and writes it to its file.
func (c *Cluster) sign(name string, by authority, certificate *x509.Certificate, key *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, certificate, by.certificate, key.Public(), by.key)
	return errors.Join(err, c.writePEM(name+".crt", "CERTIFICATE", der))
}

func (c *Cluster) writePEM(name, kind string, der []byte) error {
	return os.WriteFile(c.path("keys", name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
