package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/kafka/cluster"
)

// explained adds to an error of reaching Kafka which setting or right it is about, where that is known.
func explained(err error) error {
	var unknown x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var header tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unknown):
		return fmt.Errorf("the certificate of the broker is signed by an unknown authority; setting %s names the "+
			"file with the authorities: %w", cluster.AuthoritySetting, err)
	case errors.As(err, &hostname):
		return fmt.Errorf("the certificate of the broker is for another host than setting %s names: %w",
			cluster.BrokersSetting, err)
	case errors.As(err, &header):
		return fmt.Errorf("the broker does not speak TLS on this address; see settings %s and %s: %w",
			cluster.BrokersSetting, cluster.TLSSetting, err)
	case errors.As(err, &alert):
		return fmt.Errorf("the broker refuses the TLS connection, perhaps for want of a certificate; see setting "+
			"%s: %w", cluster.CertificateSetting, err)
	case errors.Is(err, kafka.SASLAuthenticationFailed), strings.Contains(err.Error(), "SASL Authentication Failed"):
		return fmt.Errorf("the broker refuses the user or the password; see settings %s and %s: %w",
			cluster.UserSetting, cluster.PasswordFileSetting, err)
	case errors.Is(err, kafka.UnsupportedSASLMechanism):
		return fmt.Errorf("the broker does not know the mechanism of setting %s: %w", cluster.SASLSetting, err)
	case errors.Is(err, kafka.TopicAuthorizationFailed), errors.Is(err, kafka.GroupAuthorizationFailed), errors.Is(err,
		kafka.ClusterAuthorizationFailed):
		return fmt.Errorf("the broker does not allow this to the user; it needs the rights to read, write and "+
			"describe the topics, and to read the group: %w", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the broker closes the connection, perhaps because it refuses the user or the password, "+
			"or expects TLS; see settings %s, %s and %s: %w",
			cluster.UserSetting, cluster.PasswordFileSetting, cluster.TLSSetting, err)
	}
	return err
}
