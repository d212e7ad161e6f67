// Package cluster holds the settings of a Kafka cluster, apart from the means to talk to it.
package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/setting"
)

// The names of the settings.
const (
	BrokersSetting      = "brokers"
	TLSSetting          = "kafka-tls"
	AuthoritySetting    = "kafka-ca"
	CertificateSetting  = "kafka-certificate"
	keySetting          = "kafka-key"
	SASLSetting         = "kafka-sasl"
	UserSetting         = "kafka-user"
	PasswordFileSetting = "kafka-password-file"
)

// The mechanisms of SASL, as settings name them.
const (
	Plain       = "plain"
	ScramSHA256 = "scram-sha-256"
	ScramSHA512 = "scram-sha-512"
)

// Settings says how a process reaches Kafka. A secret is never a setting itself, only the name of the file that holds
// it.
type Settings struct {
	// Brokers are the addresses (host:port) of some brokers; these name the others.
	Brokers []string
	// TLS has connections encrypted, and the certificates of the brokers checked.
	TLS bool
	// Authority is a PEM file with the certificates of the authorities that brokers' certificates may be signed by;
	// those of the system if it is empty.
	Authority string
	// Certificate and Key are PEM files by which this process proves to the brokers who it is; none if they are empty.
	Certificate, Key string
	// SASL is the mechanism by which the process proves who it is: plain, scram-sha-256 or scram-sha-512; none if it
	// is empty.
	SASL string
	// User is the name for SASL. PasswordFile is the file with the password.
	User, PasswordFile string
	// Dial, if set, opens the connections in place of the network of the system; no flag sets it. Tests do, whose
	// brokers are in memory.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Register declares the settings.
func (s *Settings) Register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&s.Brokers, BrokersSetting, nil, "addresses of Kafka brokers, as host:port")
	flags.BoolVar(&s.TLS, TLSSetting, false, "encrypt connections to Kafka and check the brokers' certificates")
	flags.StringVar(&s.Authority, AuthoritySetting, "",
		"PEM file with the authorities that sign the brokers' certificates; those of the system if not given")
	flags.StringVar(&s.Certificate, CertificateSetting, "", "PEM file with the certificate to show to Kafka brokers")
	flags.StringVar(&s.Key, keySetting, "", "PEM file with the private key of --kafka-certificate")
	setting.ChoiceVar(flags, &s.SASL, SASLSetting, []string{Plain, ScramSHA256, ScramSHA512},
		"how to prove to Kafka who this process is; not at all if not given")
	flags.StringVar(&s.User, UserSetting, "", "user name for --kafka-sasl")
	flags.StringVar(&s.PasswordFile, PasswordFileSetting, "",
		"file with the password for --kafka-sasl, read at each connection")
}

// Check returns an error for settings that do not go together. It names the setting to change.
func (s *Settings) Check() error {
	for _, file := range []struct{ name, value string }{
		{AuthoritySetting, s.Authority}, {CertificateSetting, s.Certificate}, {keySetting, s.Key},
	} {
		if file.value != "" && !s.TLS {
			return fmt.Errorf("setting %s: it is only used with --%s", file.name, TLSSetting)
		}
	}
	switch {
	case s.Certificate != "" && s.Key == "":
		return fmt.Errorf("setting %s: the key of the certificate is missing; give --%[1]s", keySetting)
	case s.Key != "" && s.Certificate == "":
		return fmt.Errorf("setting %s: the certificate of the key is missing; give --%[1]s", CertificateSetting)
	case s.SASL == "" && s.User != "":
		return fmt.Errorf("setting %s: it is only used with --%s", UserSetting, SASLSetting)
	case s.SASL == "" && s.PasswordFile != "":
		return fmt.Errorf("setting %s: it is only used with --%s", PasswordFileSetting, SASLSetting)
	case s.SASL != "" && s.User == "":
		return fmt.Errorf("setting %s: the user is missing; give --%[1]s", UserSetting)
	case s.SASL != "" && s.PasswordFile == "":
		return fmt.Errorf("setting %s: the file with the password is missing; give --%[1]s", PasswordFileSetting)
	case s.SASL == Plain && !s.TLS:
		return fmt.Errorf("setting %s: %s sends the password as it is; give --%s, or use %s", SASLSetting, Plain,
			TLSSetting, ScramSHA512)
	}
	return nil
}

// TLSConfig returns what connections are secured with; nil if they are not encrypted. Its errors name the setting.
func (s *Settings) TLSConfig() (*tls.Config, error) {
	if !s.TLS {
		return nil, nil
	}
	return setting.ClientTLS(setting.File{Setting: AuthoritySetting, Path: s.Authority},
		setting.File{Setting: CertificateSetting, Path: s.Certificate}, setting.File{Setting: keySetting, Path: s.Key})
}
