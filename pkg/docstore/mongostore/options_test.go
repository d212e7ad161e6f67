package mongostore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/mongostore/access"
)

// TestLimits checks that a setting overrides the URL, and the URL the default.
func TestLimits(t *testing.T) {
	const uri = "mongodb://127.0.0.1:1/"
	const full = uri +
		"?timeoutMS=7000&serverSelectionTimeoutMS=2000&maxPoolSize=20&minPoolSize=2" +
		"&maxConnecting=3&appName=mine&connectTimeoutMS=900"
	type limits struct {
		timeout, selection, connect time.Duration
		maxPool, minPool, making    uint64
		name                        string
	}
	settings := access.Settings{Timeout: 9 * time.Second, SelectionTimeout: time.Second, MaxPool: 30, MinPool: 4,
		MaxConnecting: 5}
	for name, c := range map[string]struct {
		options Options
		want    limits
	}{
		"default": {Options{URI: uri, AppName: "claims/1"}, limits{access.DefaultTimeout,
			access.DefaultSelectionTimeout, connectTimeout, 0, 0, access.DefaultMaxConnecting, "claims/1"}},
		"URL": {Options{URI: full, AppName: "claims/1"},
			limits{7 * time.Second, 2 * time.Second, 900 * time.Millisecond, 20, 2, 3, "mine"}},
		"settings": {Options{URI: full, Settings: settings},
			limits{9 * time.Second, time.Second, 900 * time.Millisecond, 30, 4, 5, "mine"}},
	} {
		client, timeout, err := c.options.clientOptions()
		if err != nil {
			t.Fatal(err)
		}
		got := limits{
			timeout, *client.ServerSelectionTimeout, *client.ConnectTimeout,
			of(client.MaxPoolSize), of(client.MinPoolSize), of(client.MaxConnecting), of(client.AppName),
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		if client.Timeout != nil {
			t.Errorf("%s: the making of an index is bounded by %s", name, *client.Timeout)
		}
	}
}

// of returns what a pointer points to, and the zero value for none.
func of[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// TestSettingsThatCannotWork checks that wrong settings are refused before a connection is made. The error names the
// setting and shows no secret.
func TestSettingsThatCannotWork(t *testing.T) {
	const uri, secret = "mongodb://127.0.0.1:1/", "sEcret"
	folder := t.TempDir()
	file := func(content string) string {
		path := filepath.Join(folder, "file"+content[:min(1, len(content))])
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	noPEM, empty := file(secret), file("")
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{URI: "mongodb://u:" + secret + "%zz@127.0.0.1/"}, "uri"},
		{Options{URI: "mongodb://u:" + secret + "@127.0.0.1:99999999/"}, "port"},
		{Options{URI: "mongodb://u:" + secret + "/x@127.0.0.1/"}, ""},
		// The @ and the host are missing, so that the password stands where a port does.
		{Options{URI: "mongodb://u:" + secret + "/"}, "port"},
		{Options{URI: uri + "?maxPoolSize=many"}, "maxPoolSize"},
		{Options{URI: uri + "?tls=true&tlsCAFile=/none"}, "/none"},
		{Options{URI: uri, Settings: access.Settings{Authority: "/none"}}, "setting mongo-ca: open /none"},
		{Options{URI: uri, Settings: access.Settings{Authority: noPEM}},
			"setting mongo-ca: " + noPEM + " holds no certificate"},
		{Options{URI: uri, Settings: access.Settings{Certificate: noPEM}},
			"settings mongo-certificate and mongo-key: "},
		{Options{URI: uri, Settings: access.Settings{Key: noPEM}}, "setting mongo-certificate: "},
		{Options{URI: uri, Settings: access.Settings{X509: true}}, "setting mongo-x509: the certificate is missing"},
		{Options{URI: uri, Settings: access.Settings{X509: true, User: "u"}},
			"setting mongo-x509: the certificate names the user"},
		{Options{URI: uri, Settings: access.Settings{User: "u"}},
			"setting mongo-password-file: the password of the user"},
		{Options{URI: "mongodb://u@127.0.0.1:1/"}, "setting mongo-password-file: the password of the user"},
		{Options{URI: uri, Settings: access.Settings{PasswordFile: noPEM}},
			"setting mongo-password-file: the user is missing"},
		{Options{URI: uri, Settings: access.Settings{User: "u", PasswordFile: "/none"}},
			"setting mongo-password-file: open /none"},
		{Options{URI: uri, Settings: access.Settings{User: "u", PasswordFile: empty}}, "setting mongo-password-file: "},
		{Options{URI: uri, Settings: access.Settings{MaxPool: 2, MinPool: 3}}, "setting mongo-min-pool: "},
		{Options{URI: uri, Settings: access.Settings{Timeout: time.Second, SelectionTimeout: time.Minute}},
			"setting mongo-selection-timeout: "},
	} {
		_, err := c.options.Open(t.Context(), "exchange")
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.options, err, c.want)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows a secret: %v", err)
		}
	}
}

func TestServerThatIsNotThereIsUnavailable(t *testing.T) {
	for _, uri := range []string{"mongodb://127.0.0.1:1/", "mongodb://nowhere.invalid/",
		"mongodb+srv://nowhere.invalid/"} {
		_, err := Options{URI: uri,
			Settings: access.Settings{SelectionTimeout: 50 * time.Millisecond}}.Open(t.Context(), "exchange")
		if !errors.Is(err, docstore.ErrUnavailable) || errors.Is(err, ErrRefused) {
			t.Errorf("%s: error %v", uri, err)
		}
	}
}

// TestX509 checks that a process logs in with its certificate if that is set, and not as a user of the URL.
func TestX509(t *testing.T) {
	client, _, err := Options{
		URI:      "mongodb://127.0.0.1:1/?tls=true",
		Settings: access.Settings{Certificate: testCertificate(t), X509: true},
	}.clientOptions()
	if err != nil {
		t.Fatal(err)
	}
	if a := client.Auth; a == nil || a.AuthMechanism != "MONGODB-X509" || a.AuthSource != "$external" ||
		a.Username != "" {
		t.Errorf("the process logs in as %+v", client.Auth)
	}
	if client.TLSConfig == nil || client.TLSConfig.GetClientCertificate == nil {
		t.Fatal("no certificate is shown")
	}
	if _, err := client.TLSConfig.GetClientCertificate(nil); err != nil {
		t.Error(err)
	}
}
