package kafka

import (
	"context"
	"fmt"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"

	"insurance.example/exchange/pkg/kafka/cluster"
	"insurance.example/exchange/pkg/setting"
)

// passwordFile is a mechanism of SASL that reads the password from a file at each connection, so that it can be changed
// while the process runs.
type passwordFile struct{ mechanism, user, path string }

// Name returns the name that brokers know the mechanism by.
func (p *passwordFile) Name() string { return strings.ToUpper(p.mechanism) }

// Start begins to authenticate a connection.
func (p *passwordFile) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	password, err := p.read()
	if err != nil {
		return nil, nil, err
	}
	switch p.mechanism {
	case cluster.Plain:
		return plain.Mechanism{Username: p.user, Password: password}.Start(ctx)
	case cluster.ScramSHA256:
		return startScram(ctx, scram.SHA256, p.user, password)
	default:
		return startScram(ctx, scram.SHA512, p.user, password)
	}
}

func startScram(
	ctx context.Context, algorithm scram.Algorithm, user, password string,
) (sasl.StateMachine, []byte, error) {
	mechanism, err := scram.Mechanism(algorithm, user, password)
	if err != nil {
		// The cause might quote the password.
		return nil, nil, fmt.Errorf("setting %s or %s: it has characters that %s does not allow", cluster.UserSetting,
			cluster.PasswordFileSetting, algorithm.Name())
	}
	return mechanism.Start(ctx)
}

func (p *passwordFile) read() (string, error) {
	return setting.Password(setting.File{Setting: cluster.PasswordFileSetting, Path: p.path})
}
