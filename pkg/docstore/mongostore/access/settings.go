// Package access holds the settings by which a process reaches MongoDB, apart from the driver that talks to it.
package access

import (
	"crypto/tls"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/setting"
)

// The names of the settings.
const (
	timeoutSetting          = "mongo-timeout"
	selectionTimeoutSetting = "mongo-selection-timeout"
	maxPoolSetting          = "mongo-max-pool"
	minPoolSetting          = "mongo-min-pool"
	maxConnectingSetting    = "mongo-max-connecting"
	authoritySetting        = "mongo-ca"
	CertificateSetting      = "mongo-certificate"
	keySetting              = "mongo-key"
	X509Setting             = "mongo-x509"
	UserSetting             = "mongo-user"
	PasswordFileSetting     = "mongo-password-file"
)

// The values of what neither a setting nor the URL gives.
const (
	// DefaultTimeout is well below the time that a request may take. So a server that hangs leads to a 503, and the
	// request is not cut off.
	DefaultTimeout = 5 * time.Second
	// DefaultSelectionTimeout is long enough for a planned change of the primary, which takes about a second. In an
	// election after a loss, which takes ten, a request gets its 503 instead of a place in a queue.
	DefaultSelectionTimeout = 3 * time.Second
	// DefaultMaxConnecting is how many connections to a server may be made at a time. The driver's own two make a
	// process that starts under load, or finds a new primary, wait for TLS and SCRAM of each pair.
	DefaultMaxConnecting = 8
)

// Settings says how MongoDB is reached. What is zero is as the URL says, else a default. A secret is never a setting
// itself, only the name of the file that holds it.
type Settings struct {
	// Timeout bounds one operation, and SelectionTimeout that part of it which waits for a primary.
	Timeout, SelectionTimeout time.Duration
	// MaxPool and MinPool are the most and the least connections to one server, and MaxConnecting how many are made
	// at a time.
	MaxPool, MinPool, MaxConnecting int
	// Authority is a PEM file with the authorities that servers' certificates may be signed by.
	Authority string
	// Certificate and Key are PEM files by which this process proves who it is. Without a Key, Certificate holds both.
	Certificate, Key string
	// X509 has the process log in as the user that its certificate names.
	X509 bool
	// User is the name to log in with by SCRAM. PasswordFile is the file with the password.
	User, PasswordFile string
}

const (
	longest  = 5 * time.Minute
	mostPool = 10_000
)

// Register declares the settings.
func (s *Settings) Register(flags *pflag.FlagSet) {
	otherwise := func(name, value string) string {
		// The default is not that of the flag, because the URL comes before it.
		flags.Lookup(name).DefValue = ""
		return fmt.Sprintf("%s; that of the URL, else %s", flags.Lookup(name).Usage, value)
	}
	setting.DurationVar(flags, &s.Timeout, timeoutSetting, 0, 50*time.Millisecond,
		"longest time of one operation of MongoDB")
	setting.DurationVar(flags, &s.SelectionTimeout, selectionTimeoutSetting, 0, 50*time.Millisecond,
		"longest time to wait for a primary of MongoDB")
	setting.IntVar(flags, &s.MaxPool, maxPoolSetting, 0, 1, mostPool, "most connections to one server of MongoDB")
	setting.IntVar(flags, &s.MinPool, minPoolSetting, 0, 1, mostPool, "least connections to one server of MongoDB")
	setting.IntVar(flags, &s.MaxConnecting, maxConnectingSetting, 0, 1, mostPool,
		"most connections to one server of MongoDB that are made at a time")
	for name, value := range map[string]string{
		timeoutSetting: DefaultTimeout.String(), selectionTimeoutSetting: DefaultSelectionTimeout.String(),
		maxPoolSetting: "100", minPoolSetting: "none", maxConnectingSetting: fmt.Sprint(DefaultMaxConnecting),
	} {
		flags.Lookup(name).Usage = otherwise(name, value)
	}
	flags.StringVar(&s.Authority, authoritySetting, "",
		"PEM file with the authorities that sign the certificates of MongoDB; makes connections encrypted")
	flags.StringVar(&s.Certificate, CertificateSetting, "",
		"PEM file with the certificate to show to MongoDB; makes connections encrypted")
	flags.StringVar(&s.Key, keySetting, "",
		"PEM file with the private key of --mongo-certificate; that file itself if not given")
	flags.BoolVar(&s.X509, X509Setting, false, "log in to MongoDB as the user that --mongo-certificate names")
	flags.StringVar(&s.User, UserSetting, "", "user to log in to MongoDB as")
	flags.StringVar(&s.PasswordFile, PasswordFileSetting, "",
		"file with the password of --mongo-user, or of the user of the URL")
}

// Check returns an error for settings that do not go together. It names the setting to change.
func (s *Settings) Check() error {
	switch {
	case s.Key != "" && s.Certificate == "":
		return fmt.Errorf("setting %s: the certificate of the key is missing; give --%[1]s", CertificateSetting)
	case s.X509 && (s.User != "" || s.PasswordFile != ""):
		return fmt.Errorf("setting %s: the certificate names the user; leave out --%s and --%s", X509Setting,
			UserSetting, PasswordFileSetting)
	case s.MaxPool > 0 && s.MinPool > s.MaxPool:
		return fmt.Errorf("setting %s: %d is more than --%s", minPoolSetting, s.MinPool, maxPoolSetting)
	case s.Timeout > longest || s.SelectionTimeout > longest:
		return fmt.Errorf("settings %s and %s: give at most %s", timeoutSetting, selectionTimeoutSetting, longest)
	case s.Timeout > 0 && s.SelectionTimeout > s.Timeout:
		return fmt.Errorf("setting %s: it is a part of --%s, and cannot be longer", selectionTimeoutSetting,
			timeoutSetting)
	}
	return nil
}

// TLSConfig returns what connections are secured with; nil if no setting asks for it. Its errors name the setting.
func (s *Settings) TLSConfig() (*tls.Config, error) {
	if s.Authority == "" && s.Certificate == "" {
		return nil, nil
	}
	key := s.Key
	if key == "" {
		key = s.Certificate
	}
	return setting.ClientTLS(setting.File{Setting: authoritySetting, Path: s.Authority},
		setting.File{Setting: CertificateSetting, Path: s.Certificate}, setting.File{Setting: keySetting, Path: key})
}
