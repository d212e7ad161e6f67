package kafka_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/twmb/franz-go/pkg/kfake"

	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/cluster"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/wait"
)

const password = "correct horse, battery staple"

// authority signs certificates, and writes files for settings.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t}
	der, key := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	a.cert, a.key = cert, key
	return a
}

// sign signs a certificate with a new key: with the authority's, or with its own if the authority has none yet.
func (a *authority) sign(template *x509.Certificate) (der []byte, key *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err = x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	return der, key
}

// issue returns a certificate for a broker on this machine, or for a client.
func (a *authority) issue(name string) tls.Certificate {
	der, key := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// pool returns the authority as what certificates are checked with.
func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// file returns the name of a file with the certificate of the authority.
func (a *authority) file() string { return pemFile(a.t, "CERTIFICATE", a.cert.Raw) }

// files returns the names of files with a certificate and its key.
func (a *authority) files(c tls.Certificate) (certificate, key string) {
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		a.t.Fatal(err)
	}
	return pemFile(a.t, "CERTIFICATE", c.Certificate[0]), pemFile(a.t, "PRIVATE KEY", der)
}

func pemFile(t *testing.T, kind string, der []byte) string {
	return fileOf(t, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
}

// fileOf returns the name of a file with a content.
func fileOf(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// clusterOf returns the cluster that settings describe, given as on the command line.
func clusterOf(arguments ...string) (kafka.Cluster, error) {
	var settings cluster.Settings
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	settings.Register(flags)
	if err := flags.Parse(arguments); err != nil {
		return kafka.Cluster{}, err
	}
	return kafka.NewCluster(settings, "test")
}

func TestConnectionsAreSecuredAsTheSettingsSay(t *testing.T) {
	for _, mechanism := range []string{"", "plain", "scram-sha-256", "scram-sha-512"} {
		t.Run("mechanism "+mechanism, func(t *testing.T) {
			a := newAuthority(t)
			secured := &tls.Config{Certificates: []tls.Certificate{a.issue("broker")}}
			options := []kfake.Opt{kfake.TLS(secured)}
			arguments := []string{"--kafka-tls", "--kafka-ca", a.file()}
			if mechanism == "" {
				secured.ClientAuth, secured.ClientCAs = tls.RequireAndVerifyClientCert, a.pool()
				certificate, key := a.files(a.issue("premium"))
				arguments = append(arguments, "--kafka-certificate", certificate, "--kafka-key", key)
			} else {
				options = append(options, kfake.EnableSASL(),
					kfake.Superuser(strings.ToUpper(mechanism), "exchange", password))
				arguments = append(arguments, "--kafka-sasl", mechanism, "--kafka-user", "exchange",
					"--kafka-password-file", fileOf(t, password+"\n"))
			}
			b := onNetwork(t, options...)
			cluster, err := clusterOf(append(arguments, "--brokers", b.Address)...)
			if err != nil {
				t.Fatal(err)
			}

			r := newPublisher(cluster)
			r.send(0, 3)
			kafkatest.Running(t, r.Run)
			var seen register
			kafkatest.Running(t, newConsumer(b, seen.handle, func(c *kafka.ConsumerConfig) { c.Cluster = cluster }).Run)
			wait.For(t, "all are handled", func() bool { return seen.distinct() == 3 })
		})
	}
}

// TestARefusedConnectionIsToldAndMended: the publisher and the consumer say which setting is wrong, without the secret,
// and go on once it is right. The password is mended in its file, while they run.
func TestARefusedConnectionIsToldAndMended(t *testing.T) {
	for name, c := range map[string]struct {
		mechanism, wrong string
		unknown          bool
		want             string
	}{
		"PLAIN":         {"plain", "guessed-secret", false, "kafka-password-file"},
		"SCRAM-SHA-256": {"scram-sha-256", "guessed-secret", false, "kafka-password-file"},
		"SCRAM-SHA-512": {"scram-sha-512", "guessed-secret", false, "kafka-password-file"},
		"authority":     {"scram-sha-512", password, true, "setting kafka-ca"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t)
			authorities := a.file()
			if c.unknown {
				authorities = newAuthority(t).file()
			}
			b := onNetwork(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{a.issue("broker")}}),
				kfake.EnableSASL(), kfake.Superuser(strings.ToUpper(c.mechanism), "exchange", password))
			secret := fileOf(t, c.wrong)
			cluster, err := clusterOf("--brokers", b.Address, "--kafka-tls", "--kafka-ca", authorities,
				"--kafka-sasl", c.mechanism, "--kafka-user", "exchange", "--kafka-password-file", secret)
			if err != nil {
				t.Fatal(err)
			}
			r := newPublisher(cluster)
			r.send(0, 3)
			kafkatest.Running(t, r.Run)
			var seen register
			consumer := newConsumer(b, seen.handle, func(c *kafka.ConsumerConfig) { c.Cluster = cluster })
			kafkatest.Running(t, consumer.Run)
			says := func(err error) bool { return err != nil && strings.Contains(err.Error(), c.want) }
			wait.For(t, "the check of the publisher says why", func() bool {
				return says(r.Check(t.Context()))
			})
			wait.For(t, "the check of the consumer says why", func() bool {
				return says(consumer.Check(t.Context()))
			})
			if r.log.Count(c.want) != 1 || consumer.log.Count(c.want) != 1 {
				t.Errorf("the logs say it %d and %d times, want once each", r.log.Count(c.want),
					consumer.log.Count(c.want))
			}
			if r.log.Count(c.wrong)+consumer.log.Count(c.wrong) > 0 {
				t.Error("a log holds the password")
			}
			if c.unknown {
				return
			}
			if err := os.WriteFile(secret, []byte(password), 0o600); err != nil {
				t.Fatal(err)
			}
			wait.For(t, "all are handled", func() bool { return seen.distinct() == 3 })
			wait.For(t, "nothing is wrong any more", func() bool {
				return r.Check(t.Context()) == nil && consumer.Check(t.Context()) == nil
			})
		})
	}
}

// TestWrongSettingsAreNamed: each error names the setting, and none quotes a secret.
func TestWrongSettingsAreNamed(t *testing.T) {
	a := newAuthority(t)
	certificate, key := a.files(a.issue("premium"))
	_, otherKey := a.files(a.issue("another"))
	secret := fileOf(t, password)
	for arguments, setting := range map[string]string{
		"--kafka-ca " + certificate:                      "kafka-ca",
		"--kafka-tls --kafka-ca /none":                   "kafka-ca",
		"--kafka-tls --kafka-ca " + secret:               "kafka-ca",
		"--kafka-tls --kafka-certificate " + certificate: "kafka-key",
		"--kafka-tls --kafka-key " +
			key: "kafka-certificate",
		"--kafka-tls --kafka-certificate " + certificate + " --kafka-key " + otherKey: "kafka-key",
		"--kafka-tls --kafka-certificate " + certificate + " --kafka-key " + secret:   "kafka-key",
		"--kafka-user exchange":           "kafka-user",
		"--kafka-password-file " + secret: "kafka-password-file",
		"--kafka-sasl plain --kafka-user exchange --kafka-password-file " + secret:     "kafka-tls",
		"--kafka-sasl scram-sha-256 --kafka-password-file " + secret:                   "kafka-user",
		"--kafka-sasl scram-sha-256 --kafka-user exchange":                             "kafka-password-file",
		"--kafka-sasl scram-sha-256 --kafka-user exchange --kafka-password-file /none": "kafka-password-file",
		"--kafka-sasl scram-sha-256 --kafka-user exchange --kafka-password-file " +
			fileOf(t, "\n"): "kafka-password-file",
		"--kafka-sasl kerberos --kafka-user exchange --kafka-password-file " + secret: "kafka-sasl",
	} {
		_, err := clusterOf(append([]string{"--brokers", "127.0.0.1:1"}, strings.Fields(arguments)...)...)
		if err == nil || !strings.Contains(err.Error(), setting) || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v, want an error about %s", arguments, err, setting)
		}
	}
	if cluster, err := clusterOf("--brokers", "a:1,b:2"); err != nil || len(cluster.Brokers) != 2 ||
		cluster.TLS != nil || cluster.SASL != nil {
		t.Errorf("plain settings make %+v, %v", cluster, err)
	}
}
