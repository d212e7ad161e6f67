package store_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore"
	"insurance.example/exchange/pkg/docstore/mongostore/access"
)

// TestEncryptedConnections puts TLS in front of the server, which asks for a certificate.
func TestEncryptedConnections(t *testing.T) {
	files := newAuthority(t)
	server, err := tls.LoadX509KeyPair(files.server, files.server)
	if err != nil {
		t.Fatal(err)
	}
	_, uri := newGate(t, &tls.Config{Certificates: []tls.Certificate{server},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: files.pool})
	another := newAuthority(t)
	// A refused connection is tried again for as long as a server is looked for, and then once more; see below.
	const accepted, refused = 5 * time.Minute, 5 * time.Second
	bySettings := access.Settings{
		Authority: files.authority, Certificate: files.client, Timeout: accepted, SelectionTimeout: accepted,
	}
	for name, c := range map[string]struct {
		options mongostore.Options
		reason  string
	}{
		"by settings": {mongostore.Options{URI: uri, Settings: bySettings}, ""},
		"by the URL": {
			mongostore.Options{URI: uri + "&tls=true&tlsCAFile=" + files.authority + "&tlsCertificateKeyFile=" +
				files.client, Settings: access.Settings{Timeout: accepted, SelectionTimeout: accepted}}, "",
		},
		"by both": {
			mongostore.Options{URI: uri + "&tls=true&tlsCAFile=" + files.authority,
				Settings: access.Settings{
					Certificate: files.client, Timeout: accepted, SelectionTimeout: accepted,
				}}, "",
		},
		"not encrypted": {
			mongostore.Options{URI: uri, Settings: access.Settings{SelectionTimeout: refused}},
			"server selection error",
		},
		"no certificate": {
			mongostore.Options{URI: uri, Settings: access.Settings{Authority: files.authority,
				SelectionTimeout: refused}}, "certificate required",
		},
		"a certificate of another's": {
			mongostore.Options{URI: uri, Settings: access.Settings{Authority: files.authority,
				Certificate: another.client, SelectionTimeout: refused}}, "certificate",
		},
		"an authority that is another": {
			mongostore.Options{URI: uri, Settings: access.Settings{Authority: another.authority,
				Certificate: files.client, SelectionTimeout: refused}}, "certificate signed by unknown authority",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := c.options.Open(t.Context(), "tls")
			if c.reason != "" {
				// The driver names its last attempt, which may be the one that the end of its patience has broken off.
				for try := 1; try < 5 && err != nil && !strings.Contains(err.Error(), c.reason); try++ {
					store, err = c.options.Open(t.Context(), "tls")
				}
				if err == nil {
					_ = store.Close()
				}
				if !errors.Is(err, docstore.ErrUnavailable) || !strings.Contains(err.Error(), c.reason) {
					t.Errorf("error %v, want %q", err, c.reason)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			put(t, collection(t, store, policies), `{"secured":true}`)
		})
	}
}

// TestLogin logs in by SCRAM. A wrong password is refused at once, and shown nowhere.
func TestLogin(t *testing.T) {
	user, password := "exchange-"+uuid.NewString(), "p@ss:w/rd "+uuid.NewString()
	err := client(t).Database("admin").RunCommand(t.Context(), bson.D{
		{Key: "createUser", Value: user}, {Key: "pwd", Value: password},
		{Key: "roles", Value: bson.A{
			bson.D{{Key: "role", Value: "readWriteAnyDatabase"}, {Key: "db", Value: "admin"}},
			bson.D{{Key: "role", Value: "clusterAdmin"}, {Key: "db", Value: "admin"}},
		}},
	}).Err()
	if err != nil {
		t.Fatal(err)
	}
	right, wrong := secretFile(t, password+"\n"), secretFile(t, "not "+password)
	plain := uri(t)
	named := strings.Replace(plain, "://", "://"+user+"@", 1)
	for name, c := range map[string]struct {
		options mongostore.Options
		refused bool
	}{
		"user and file": {
			mongostore.Options{URI: plain, Settings: access.Settings{User: user, PasswordFile: right}}, false,
		},
		"user in the URL": {
			mongostore.Options{URI: named, Settings: access.Settings{PasswordFile: right}}, false,
		},
		"wrong password": {
			mongostore.Options{URI: plain, Settings: access.Settings{User: user, PasswordFile: wrong}}, true,
		},
		"wrong password, in URL": {
			mongostore.Options{URI: strings.Replace(plain, "://", "://"+user+":sEcret%21@", 1)}, true,
		},
		"nobody": {
			mongostore.Options{URI: plain, Settings: access.Settings{User: "nobody", PasswordFile: right}}, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := c.options.Open(t.Context(), "login")
			if !c.refused {
				if err != nil {
					t.Fatal(err)
				}
				put(t, collection(t, store, policies), `{"in":true}`)
				if err := store.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				_ = store.Close()
			}
			if !errors.Is(err, mongostore.ErrRefused) ||
				!strings.Contains(err.Error(), "does not accept the credentials") {
				t.Fatalf("error %v", err)
			}
			for _, secret := range []string{password, "sEcret"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows the password: %v", err)
				}
			}
		})
	}
}

func secretFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// authority is a certification authority with PEM files: its own certificate, and certificates with their keys of a
// server at 127.0.0.1 and of a client.
type authority struct {
	pool                      *x509.CertPool
	authority, server, client string
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	folder := t.TempDir()
	serial := int64(0)
	issue := func(name string, template x509.Certificate, parent *x509.Certificate,
		parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, string) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		serial++
		template.SerialNumber, template.Subject = big.NewInt(serial), pkix.Name{
			CommonName: name, Organization: []string{"Example"},
		}
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		if parent == nil {
			parent, parentKey = &template, key
		}
		der, err := x509.CreateCertificate(rand.Reader, &template, parent, &key.PublicKey, parentKey)
		if err != nil {
			t.Fatal(err)
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
			pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
		path := filepath.Join(folder, name+".pem")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return certificate, key, path
	}
	root, rootKey, rootFile := issue("authority",
		x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil, nil)
	_, _, serverFile := issue("server", x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, root, rootKey)
	_, _, clientFile := issue("client",
		x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, root, rootKey)
	pool := x509.NewCertPool()
	pool.AddCert(root)
	return authority{pool: pool, authority: rootFile, server: serverFile, client: clientFile}
}
